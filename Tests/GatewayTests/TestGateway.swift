import Foundation
import Glibc
import HeldWriter
import Log
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

let own = NodeNumber(0x1234_5678)
let alice = NodeNumber(0xA11C_E001)
let bob = NodeNumber(0xB0B0_0002)
let carol = NodeNumber(0xCA40_1003)
/// A moment in 2026, in milliseconds.
let noon: Int64 = 1_787_300_000_000
let noonSeconds = UInt32(noon / 1000)

/// A gateway on a database of its own, with a radio at the end of a socket pair, and a clock that the test sets.
final class TestGateway: Sendable {
    let folder: String
    let store: Store
    let radio: PeerRadio
    let gateway: Gateway
    private let events: EventRelay
    private let clock: TestClock
    private let writer: HeldWriter

    /// Connects, and returns when the radio is live and adopted.
    ///
    /// - Parameter folder: of an earlier gateway, which was stopped.
    init(
        pace: SendingPace = SendingPace(text: 0, traceroute: 0, request: 0), at time: Int64 = noon,
        folder: String? = nil, retention: Retention = Retention(), radio: PeerRadio = PeerRadio(),
        keyChange: KeyChangePolicy = .refuse, holding hold: Hold = .milliseconds(0),
        startsLive: Bool = true, logger: Logger = .silent, tap: (any LinkTap)? = nil,
        monotonic: (@Sendable () -> MonotonicTime)? = nil
    ) throws {
        self.folder = folder ?? FileManager.default.temporaryDirectory.path + "/gateway-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        self.radio = radio
        let clock = TestClock(time)
        let events = EventRelay()
        self.clock = clock
        self.events = events
        let store = try Store(path: self.folder + "/mesh.db", retention: retention)
        self.store = store
        let writer = HeldWriter(hold)
        self.writer = writer
        gateway = try Gateway(
            store: store, keyChange: keyChange, pace: pace, clock: { clock.now }, monotonic: monotonic,
            logger: logger,
            makeLink: { delegate in
                writer.attach(delegate, store: store)
                events.attach(writer)
                return RadioLink(
                    address: .connection(name: "test"), connect: { try radio.connect() }, tap: tap, delegate: events)
            })
        gateway.start()
        if startsLive { try waitUntilLive() }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func stop() {
        gateway.stop()
        store.close()
    }

    func setTime(_ time: Int64) { clock.now = time }

    /// Between two steps of whoever looks at the clock next, this happens.
    func meanwhile(_ event: @escaping @Sendable () -> Void) { clock.meanwhile(event) }

    // MARK: Events

    /// Waits for the `count`-th time that the link is live.
    func waitUntilLive(count: Int = 1) throws {
        try #require(events.wait { $0.lives >= count }, "the radio does not get live")
        try settle()
    }

    /// The same, stored or not: also while the writer is held.
    func waitUntilLiveUnstored(count: Int) throws {
        try #require(events.wait { $0.lives >= count }, "the radio does not get live")
    }

    func waitForLoss(count: Int = 1) throws {
        try #require(events.wait { $0.losses >= count }, "the loss is not noticed")
    }

    /// Everything that the link has told is in the database.
    func settle() throws { try store.commit { _ in } }

    /// The radio says this, and the gateway has stored what follows from it.
    func hear(_ messages: FromRadio...) throws { try hear(messages) }

    func hear(_ packet: MeshPacket) throws { try hear([.packet(packet)]) }

    func hear(_ messages: [FromRadio]) throws {
        let mark = "mark \(UUID())"
        radio.send(messages + [.logRecord(LogRecord(message: mark, time: 0, source: "", level: 0))])
        try #require(events.wait { $0.marks.contains(mark) }, "the gateway did not hear it")
        try settle()
    }

    /// The link tells this.
    func tell(_ event: RadioEvent) { events.radioLink(event) }

    /// The radio says this, and the gateway has taken it in, stored or not.
    func hearUnstored(_ messages: FromRadio...) throws {
        let mark = "mark \(UUID())"
        radio.send(messages + [.logRecord(LogRecord(message: mark, time: 0, source: "", level: 0))])
        try #require(events.wait { $0.marks.contains(mark) }, "the gateway did not hear it")
    }

    /// The radio tells its settings once more; the gateway has taken them in, stored or not.
    func readAgain() throws {
        let lives = events.seenLives
        gateway.radios.all[0].readAgain()
        try #require(events.wait { $0.lives > lives }, "the radio does not get live")
    }

    /// The writer does nothing until what is returned is called.
    func stopWriter() -> @Sendable () -> Void {
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.enqueue(
            .grouped,
            { _ in
                begun.signal()
                ended.wait()
            })
        begun.wait()
        return { ended.signal() }
    }

    // MARK: Sending

    var source: SourceID { get throws { try #require(try sources.first { $0.1.isEnabled }).0 } }
    var sources: [(SourceID, Source)] { get throws { try store.read { try $0.sources() } } }

    @discardableResult
    func send(_ text: String, to destination: OutgoingText.Destination = .channel(0)) throws -> Message {
        let messages = try gateway.send(OutgoingText(parts: [text], destination: destination), by: .cli, to: source)
        return try #require(messages.first)
    }

    /// Sends a text and waits until the radio has it.
    func sendAndHand(_ text: String, to destination: OutgoingText.Destination = .channel(0)) throws -> Message {
        let count = radio.received.count
        let message = try send(text, to: destination)
        try #require(radio.wait(for: count + 1).count == count + 1, "the radio did not get it")
        try waitUntilHanded(message.packetID)
        return message
    }

    /// The radio has a packet's bytes a moment before the gateway notes that it was handed over.
    func waitUntilHanded(_ id: PacketID) throws {
        func isHanded() -> Bool {
            gateway.radios.all.allSatisfy { radio in
                switch radio.attachment.outbox.entry(id)?.state {
                case .waiting?, .noting?, .noted?, .offered?: false
                case .handed?, .accepted?, nil: true
                }
            }
        }
        for _ in 0..<60_000 where !isHanded() { usleep(1_000) }
        try #require(isHanded(), "it was not handed over")
    }

    // MARK: What is stored

    func node(_ number: NodeNumber) throws -> Node? {
        let source = try source
        return try store.read { try $0.node(number, in: source) }
    }

    /// Oldest first.
    func messages() throws -> [Message] {
        let source = try source
        return try store.read { try $0.messages(MessageQuery(source: source, order: .oldestFirst)) }
    }

    func delivery(of message: Message) throws -> Delivery? {
        let (source, id) = (try source, message.packetID)
        return try store.read { try $0.message(packetID: id, from: nil, in: source) }?.delivery
    }

    /// Oldest first.
    func packets(from sender: NodeNumber? = nil) throws -> [MeshPacket] {
        let source = try source
        return try store.read { try $0.packets(PacketQuery(in: source, from: sender)) }.map(\.packet).reversed()
    }

    func outbox() throws -> [OutboxItem] {
        let source = try source
        return try store.read { try $0.outbox(in: source) }
    }
}

/// Host milliseconds that stand still until the test moves them.
final class TestClock: Sendable {
    private let time: Mutex<Int64>
    private let event = Mutex<(@Sendable () -> Void)?>(nil)
    init(_ time: Int64) { self.time = Mutex(time) }
    var now: Int64 {
        get {
            event.withLock { $0.take() }?()
            return time.withLock { $0 }
        }
        set { time.withLock { $0 = newValue } }
    }

    func meanwhile(_ event: @escaping @Sendable () -> Void) { self.event.withLock { $0 = event } }
}

/// Between the link and the gateway: passes everything on, and lets the test wait for it.
final class EventRelay: RadioLinkDelegate, @unchecked Sendable {
    struct Seen {
        var lives = 0
        var losses = 0
        var marks: Set<String> = []
    }

    private let changed = NSCondition()
    private var seen = Seen()
    private var target: (any RadioLinkDelegate)?

    func attach(_ delegate: any RadioLinkDelegate) { changed.withLock { target = delegate } }

    func radioLink(_ event: RadioEvent) {
        changed.withLock { target }?.radioLink(event)
        changed.withLock {
            switch event {
            case .state(.live): seen.lives += 1
            case .state(.lost): seen.losses += 1
            case .received(.logRecord(let record), _): seen.marks.insert(record.message)
            default: return
            }
            changed.broadcast()
        }
    }

    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        changed.withLock { target }?.nextPacket(at: now, queueFree: queueFree) ?? .wait(until: nil)
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? { changed.withLock { target }?.expire(at: now) }

    var seenLives: Int { changed.withLock { seen.lives } }

    func wait(seconds: Double = 90, until isDone: (Seen) -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: seconds)
        return changed.withLock {
            while !isDone(seen) {
                if !changed.wait(until: limit) { return isDone(seen) }
            }
            return true
        }
    }
}
