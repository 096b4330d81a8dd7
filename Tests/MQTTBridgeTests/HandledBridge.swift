import Foundation
import JSON
import MeshModel
import MeshProtocol
import Platform
import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// A bridge with the clock in hand, and a broker that acknowledges, or loses, what it is given.
final class HandledBridge {
    static let radio = NodeNumber(0x0000_ABCD)
    private let anna = NodeNumber(0xA1B2_C3D4)
    let test: BridgedGateway
    let names = TopicNames(gateway: "0a1b2c3d")
    let notes = Monitor(HomeBridge.Notes())
    /// What is wrong with the gateway.
    let problems = Monitor<[Problem]>([])
    private let broker: Broker
    private(set) var bridge: HomeBridge
    var now = HostTime.now
    private(set) var told: [(topic: String, event: JSONValue)] = []
    /// Events of which the broker has not heard when the connection ends.
    var loses = false
    private var packets: UInt32 = 100

    init(_ change: (inout Broker.Speech) -> Void = { _ in }) throws {
        test = try BridgedGateway()
        let source = test.source
        try test.store.commit { writer in
            let channels = [
                Channel(index: 0, role: .primary, psk: [1]),
                Channel(index: 1, role: .secondary, name: "Hikers", psk: Array(1...16)),
                Channel(index: 3, role: .secondary, name: "Hikers", psk: Array(2...17)),
            ]
            try writer.updateChannels(channels, in: source, at: WallClock.milliseconds())
            try writer.updateNode(NodeNumber(0x77), in: source, at: 1) { $0.longName = "Known" }
            // Texts of ours wait for a radio that is known, whether it is there or not.
            try writer.update(source) { $0.nodeNumber = Self.radio }
        }
        var broker = Broker("house", path: "house.conf")
        broker.homeAssistant = .all
        broker.speech.channels = [.init("hikers")]
        change(&broker.speech)
        self.broker = broker
        bridge = try Self.bridge(broker, names, test, notes, problems)
        connect()
    }

    private static func bridge(
        _ broker: Broker, _ names: TopicNames, _ test: BridgedGateway, _ notes: Monitor<HomeBridge.Notes>,
        _ problems: Monitor<[Problem]>
    ) throws -> HomeBridge {
        try HomeBridge(
            broker, names, gateway: test.gateway,
            facts: {
                var facts = GatewayFacts(version: "1.0")
                facts.problems = problems.withLock { $0 }
                return facts
            }, notes: notes, logger: .silent, showPlan: { _ in })
    }

    /// The process begins anew.
    func restart() throws {
        bridge = try Self.bridge(broker, names, test, notes, problems)
        connect()
    }

    func connect() {
        _ = bridge.connected(.mqtt5, BrokerLimits(), isSessionPresent: false, at: now)
        bridge.subscribed(isAllowed: true, at: now)
        for _ in 0..<10 { pass(2_000) }
    }

    func disconnect() { bridge.ended(Ending(), at: now) }

    func pass(_ milliseconds: Int64) {
        now.steady += milliseconds
        now.wall += milliseconds
        notes.withLock { $0.isWoken = true }
        while case let next = bridge.next(20, at: now), !next.isEmpty {
            for publication in next {
                guard publication.row != nil else {
                    bridge.settled(publication, .acknowledged, at: now)
                    continue
                }
                told.append((publication.topic, JSONValue(publication.payload) ?? .null))
                #expect(!publication.isRetained && publication.expiry == 60 && publication.quality == .atLeastOnce)
                if !loses { bridge.settled(publication, .acknowledged, at: now) }
            }
        }
    }

    func hear(
        _ text: String, as origin: StoredChange.Origin = .live, _ change: (inout Message) -> Void = { _ in }
    ) throws {
        let (source, time) = (test.source, now.wall)
        packets += 1
        var message = Message(
            id: "", from: anna, to: .broadcast, text: text, channel: 1,
            packetID: packets, timestamp: time, createdAt: time, updatedAt: time)
        change(&message)
        _ = try test.store.commit(as: origin) { [message] in try $0.insertMessage(message, in: source) }
    }

    /// Somebody at the broker publishes a command.
    func command(_ device: DeviceID, _ key: String, _ payload: String) {
        bridge.received(IncomingMessage(names.command(device, key), Array(payload.utf8)), at: now)
    }

    /// What became of commands, as it was told.
    var outcomes: [JSONValue] {
        told.filter { $0.topic == names.event(.gateway, "commands") }.map(\.event)
    }

    /// Texts that commands had sent, oldest first.
    func own() throws -> [String] {
        try test.store.readCommitted { [source = test.source] in
            try $0.messages(.init(source: source, limit: 5_000)).filter(\.isOwn).map(\.text).reversed()
        }
    }

    var texts: [String] { told.compactMap { $0.event["text"]?.string } }
    var ids: [String] { told.compactMap { $0.event["id"]?.string } }

    func stop() { test.stop() }
}
