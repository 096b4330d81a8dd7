import Foundation
import Log
import MeshModel
import Platform
import RadioLink
import RadioSimulator
import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// A gateway whose conversation `club` is bridged to the first channel of its radio, at work without a broker and with the clock
/// in hand.
final class BridgedValley {
    private struct NoRadio: Error {}

    static let anna = NodeNumber(0xA1B2_C3D4)

    let folder = NSTemporaryDirectory() + "valley-\(UUID().uuidString)"
    let store: Store
    let gateway: Gateway
    let source: SourceID
    let club: SourceID
    /// nil: it is away.
    let radio: SimulatedRadio?
    private let broker: Broker
    private(set) var bridges: TalkBridges?
    /// Since the test's beginning, in milliseconds.
    private var passed: Int64 = 0
    private let began = HostTime.now
    /// By how many milliseconds the host's clock was set.
    private var ahead: Int64 = 0
    private let hasChanges = Monitor(false)
    /// Nil: the broker is away.
    var upsFrom: Int64? = .min
    private var packets: UInt32 = 0x2A

    /// - Parameters:
    ///   - host: the broker's.
    ///   - hasRadio: else it is never there.
    init(host: String = "127.0.0.1", hasRadio: Bool = false) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try Store(path: folder + "/db")
        let radio = try hasRadio ? Self.newRadio() : nil
        self.radio = radio
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(
                address: .connection(name: "simulated"),
                connect: {
                    guard let radio else { throw NoRadio() }
                    return try radio.connect()
                }, delegate: delegate)
        }
        source = try store.read { try $0.sources()[0].id }
        var broker = Broker("house", path: "")
        broker.host = host
        self.broker = broker
        club = try store.commit { writer in
            var conversation = BrokerConversation("club", broker: "house", filters: ["club/talk"])
            conversation.isJSON = true
            return try writer.insert(conversation, uuid: UUID().uuidString.lowercased(), at: WallClock.milliseconds())
        }
        if hasRadio {
            gateway.start()
            let (gateway, source) = (gateway, source)
            try wait { gateway.status(of: source).link == .live }
            try wait { try self.store.read { try !$0.channels(in: source).isEmpty } }
        } else {
            try change([Channel(index: 0, role: .primary, name: "Valley", psk: [1])])
        }
        try hear("before the bridge")
        try join()
        begin()
    }

    private static func newRadio() throws -> SimulatedRadio {
        var options = SimulatorOptions()
        (options.chatter, options.timeScale, options.limitsRates, options.region) = (0, 10, false, 3)
        let radio = try SimulatedRadio(options)
        radio.start()
        return radio
    }

    deinit {
        bridges = nil
        gateway.stop()
        radio?.stop()
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func wait(until condition: () throws -> Bool) throws {
        for _ in 0..<12_000 {
            if try condition() { return }
            usleep(5_000)
        }
        let isSo = try condition()
        try #require(isSo)
    }

    func change(_ channels: [Channel]) throws {
        let source = source
        try store.commit { try $0.updateChannels(channels, in: source, at: WallClock.milliseconds()) }
    }

    func join(_ change: (inout ConversationBridge) -> Void = { _ in }) throws {
        let (source, club) = (source, club)
        var bridge = ConversationBridge(channel: 0, of: try store.read { try $0.source(source)?.uuid ?? "" })
        change(&bridge)
        let isUsed = try store.commit { [bridge] in try $0.setBridge((bridge, radio: source), of: club) }
        #expect(isUsed)
    }

    // MARK: the thread

    var now: HostTime { HostTime(wall: began.wall + passed + ahead, steady: began.steady + passed) }

    /// The thread begins, as after a restart. What waited in the memory of an earlier one is lost.
    func begin() {
        bridges = nil
        bridges = TalkBridges(broker, gateway: gateway, logger: .silent) { [hasChanges] in
            hasChanges.withLock { $0 = true }
        }
        load()
    }

    /// Conversations have changed.
    func load() {
        do {
            bridges?.load(try store.read { try $0.brokerConversations() })
            _ = try bridges?.pass(true, upsFrom: upsFrom, at: now)
        } catch { Issue.record("\(error)") }
    }

    /// Whether somebody has said something since.
    private func takeChanges() -> Bool {
        hasChanges.withLock { hasChanges in
            defer { hasChanges = false }
            return hasChanges
        }
    }

    func pass(_ milliseconds: Int64, steps: Int64 = 100) throws {
        let end = passed + milliseconds
        repeat {
            passed = min(end, passed + milliseconds / steps)
            _ = try bridges?.pass(takeChanges(), upsFrom: upsFrom, at: now)
        } while passed < end
    }

    func setClock(by milliseconds: Int64) { ahead += milliseconds }

    /// A time in which nothing is looked at.
    func sleep(_ milliseconds: Int64) { passed += milliseconds }

    // MARK: what is said

    @discardableResult
    func hear(
        _ text: String, bitfield: UInt32? = 1, as origin: StoredChange.Origin = .live,
        _ change: (inout Message) -> Void = { _ in }
    ) throws -> Message {
        let (source, time) = (source, now.wall)
        packets += 1
        var message = Message(
            id: "", from: Self.anna, to: .broadcast, text: text, channel: 0, packetID: packets, timestamp: time,
            createdAt: time, updatedAt: time)
        change(&message)
        let data = MeshData(port: message.port, payload: Array(text.utf8), bitfield: bitfield)
        let packet = MeshPacket(from: message.from, to: message.to, id: packets, payload: .decoded(data))
        try store.commit(as: origin) { [message] writer in
            try writer.logPacket(packet, direction: .rx, in: source, at: time)
            try writer.insertMessage(message, in: source)
        }
        return message
    }

    /// - Returns: the number of its row.
    @discardableResult
    func receive(_ text: String, from writer: String = "Bert", id: String? = UUID().uuidString) throws -> Int64? {
        let (club, time, about) = (club, now.wall, BrokerText(topic: "club/talk", writer: writer, id: id))
        return try store.commit { try $0.insertReceived(text, about, in: club, at: time) }
    }

    func write(_ text: String) throws {
        let (club, time) = (club, now.wall)
        let about = BrokerText(topic: "club/talk", writer: "Hut", id: UUID().uuidString)
        _ = try store.commit {
            try $0.insertOwn(text, about, by: .cli, in: club, at: time, expiresAt: time + 86_400_000)
        }
    }

    /// The broker takes everything that waits.
    func takeWaiting() throws {
        let time = now.wall
        for text in try store.read({ try $0.waitingTexts(for: "house", after: 0, limit: 1_000) }) {
            try store.commit { try $0.settle(text, at: time) { ($0.state, $0.ackedAt) = (.relayed, time) } }
        }
    }

    // MARK: what has come of it

    /// What waits for the broker and came from the channel.
    var goneUp: [WaitingText] {
        get throws {
            try store.read { reader in
                let own = try reader.messages(.init(source: club, limit: 1_000)).filter { $0.sender == .bridge }
                return try reader.waitingTexts(for: "house", after: 0, limit: 1_000)
                    .filter { text in own.contains { $0.packetID == text.packetID } }
            }
        }
    }

    /// What was sent on the channel, in its order.
    var goneDown: [Message] {
        get throws {
            try store.read { try $0.messages(.init(source: source, channel: 0, order: .oldestFirst, limit: 1_000)) }
                .filter { $0.sender == Sender(.mqtt, "club") }
        }
    }

    var report: ConversationBridge.Report? { bridges?.reports["club"] }

    var bridge: ConversationBridge? {
        get throws { try store.read { try $0.brokerConversation("club")?.conversation.bridge } }
    }
}
