import Foundation
import Log
import MeshModel
import MeshProtocol
import Synchronization

@testable import Gateway
@testable import RadioLink
@testable import RadioSimulator
@testable import Store

/// Everything of the gateway but sockets and threads of its own, on a simulated radio, in virtual time: the session, the
/// outbox and the rules of delivery are the real ones, and so is the database, in a folder in memory.
///
/// What happens is drawn from a seed. The same seed gives the same story.
final class World {
    static let second: MonotonicTime = 1_000_000_000
    private static let byteTime: MonotonicTime = 86_806
    private static let start: MonotonicTime = 1_000_000 * second

    let seed: UInt64
    private let retention: Retention
    var dice: SeededGenerator
    let clock = VirtualClock(World.start)
    private(set) var radio: Radio
    private(set) var gateway: Gateway!
    private(set) var attached: AttachedRadio!
    private(set) var store: Store!
    private var folder: String
    private var generation = 0

    private var session: RadioSession
    private var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
    private var hostFrames = HostFrames()
    private var lineFreeAt = World.start
    /// The port is open from then on; nil: it is, or the cable is out.
    private var opensAt: MonotonicTime? = World.start
    private(set) var isPlugged = true
    /// So many of the next frames from the radio are lost.
    private var framesToLose = 0

    var ledger = Ledger()
    /// What the radio was given since somebody has looked.
    private var given: [MeshPacket] = []

    init(seed: UInt64, chatter: Double, retention: Retention) throws {
        self.seed = seed
        self.retention = retention
        dice = SeededGenerator(seed: seed, purpose: 40)
        var options = SimulatorOptions()
        options.seed = seed
        options.nodes = 12
        options.chatter = chatter
        let firmwares = SimulatorOptions.Firmware.allCases
        options.firmware = firmwares[Int(seed % UInt64(firmwares.count))]
        radio = Radio(options)
        session = RadioSession(pace: .serial, wallClock: { 0 }, random: { 7 })
        folder = Self.newFolder()
        session = newSession()
        try open()
    }

    deinit {
        store?.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func newFolder() -> String {
        let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let folder = "\(memory)/mesh-gateway-simulation-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private func newSession() -> RadioSession {
        let numbers = Numbers(SeededGenerator(seed: seed, purpose: 41 + UInt64(generation)))
        return RadioSession(pace: .serial, wallClock: { [clock] in clock.wall / 1000 }, random: { numbers.next() })
    }

    private func open() throws {
        generation += 1
        store = try Store(path: folder + "/mesh.db", retention: retention)
        let relay = Relay()
        let numbers = Numbers(SeededGenerator(seed: seed, purpose: 1000 + UInt64(generation)))
        try store.commit { $0.random = { numbers.next() } }
        gateway = try Gateway(
            store: store, clock: { [clock] in clock.wall }, monotonic: { [clock] in clock.now },
            logger: .silent,
            devices: [
                Gateway.Device(name: "world") { delegate in
                    relay.delegate = delegate
                    // Never started: this world is the link.
                    return RadioLink(
                        address: .connection(name: "world"), connect: { throw Unplugged() }, delegate: delegate)
                }
            ])
        attached = relay.delegate as? AttachedRadio
        attached.readOutbox()
        settle()
    }

    private struct Unplugged: Error {}

    /// Everything that was told is in the database or its open group.
    func settle() {
        for _ in 1...2 {
            let done = DispatchSemaphore(value: 0)
            store.enqueue(.grouped, { _ in done.signal() })
            done.wait()
        }
    }

    // MARK: Time

    private var seconds: Double { Double(clock.now - Self.start) / Double(Self.second) }

    /// Lets so many seconds pass.
    func run(seconds limit: Double) {
        let end = clock.now + MonotonicTime(limit * Double(Self.second))
        while true {
            step()
            guard let next = nextTime, next <= end else { break }
            clock.now = max(clock.now, next)
        }
        clock.now = end
        step()
    }

    private var nextTime: MonotonicTime? {
        var times = [opensAt, decoder.deadline, session.deadline(canWrite: true), attached.expire(at: clock.now)]
        // Rounded up: what is due then must be due for the radio as well.
        if let deadline = radio.deadline { times.append(Self.start + MonotonicTime(max(0, deadline) * 1e9) + 2) }
        if lineFreeAt > clock.now { times.append(lineFreeAt) }
        return times.compactMap(\.self).min().map { max($0, clock.now + 1) }
    }

    private func step() {
        let now = clock.now
        if let time = opensAt, now >= time {
            opensAt = nil
            decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
            attached.radioLink(.state(.opening))
            session.begin(at: now)
        }
        repeat {
            radio.advance(to: seconds)
            hear(radio.takeBootText())
            if now >= lineFreeAt, let bytes = radio.nextBytes() {
                lineFreeAt = now + MonotonicTime(bytes.count) * Self.byteTime
                if framesToLose > 0 { framesToLose -= 1 } else { hear(bytes) }
            }
            var late: [StreamDecoder<FromRadio>.Output] = []
            decoder.expire(now: now) { late.append($0) }
            handle(late)
            session.expire(at: now)
            collect()
            _ = attached.expire(at: now)
            settle()
            session.wake()
            // What was noted on the first asking leaves on the second, however fast the disk is.
        } while write() || writeNoted()
    }

    private func writeNoted() -> Bool {
        settle()
        session.wake()
        return write()
    }

    // MARK: The line

    /// - Returns: whether there was anything to write, which the radio may answer at once.
    private func write() -> Bool {
        let now = clock.now
        guard
            let frame = whileTheWriterWaits({
                session.nextFrame(at: now, offer: { [attached] free in attached!.nextPacket(at: now, queueFree: free) })
            })
        else { return false }
        var frames: [[UInt8]] = []
        hostFrames.feed(frame.bytes) { frames.append($0) }
        for frame in frames {
            let before = radio.packetsFromHost
            radio.receive(frame, from: .pair)
            if radio.packetsFromHost > before, let packet = radio.received.last {
                ledger.given(packet, at: now)
                given.append(packet)
            }
        }
        if let id = frame.packetID {
            ledger.wrote(id, at: now)
            attached.radioLink(.written(id))
        }
        settle()
        return true
    }

    /// While a text is noted on disk, others may pass it. Here the note is written once the question is over, so that the
    /// writer's speed does not decide what passes.
    private func whileTheWriterWaits<T>(_ question: () -> T) -> T {
        let isOver = DispatchSemaphore(value: 0)
        // Signalled again for the case that it is run once more.
        store.enqueue(
            .grouped,
            { _ in
                isOver.wait()
                isOver.signal()
            })
        defer { isOver.signal() }
        return question()
    }

    private func hear(_ bytes: [UInt8]) {
        guard session.phase != .idle, !bytes.isEmpty else { return }
        var outputs: [StreamDecoder<FromRadio>.Output] = []
        bytes.withUnsafeBytes { decoder.feed($0, now: clock.now) { outputs.append($0) } }
        handle(outputs)
    }

    private func handle(_ outputs: [StreamDecoder<FromRadio>.Output]) {
        for output in outputs {
            switch output {
            case .frame(let message, let raw):
                if case .queueStatus(let status) = message, session.phase == .live { ledger.accepted(status.packetID) }
                if case .packet(let packet) = message, session.phase == .live { ledger.heard(packet) }
                session.receive(message, raw: raw, at: clock.now)
            case .text(let line, _): session.receive(text: line, at: clock.now)
            case .garbage: break
            }
        }
        collect()
    }

    private func collect() {
        for output in session.drain() {
            switch output {
            case .reopen(let problem):
                session.end()
                attached.radioLink(.state(.lost(problem)))
                opensAt = clock.now + Self.second
            case .event(.written), .answered: break
            case .event(let event):
                ledger.note(String("\(event)".prefix(80)), at: clock.now)
                attached.radioLink(event)
            }
        }
    }

    // MARK: What can happen

    func unplug() {
        guard isPlugged else { return }
        isPlugged = false
        lose()
    }

    private func lose() {
        session.end()
        opensAt = nil
        lineFreeAt = clock.now
        attached.radioLink(.state(.lost(.unplugged("world"))))
        settle()
    }

    /// - Parameter withPower: the radio had no power meanwhile.
    func plug(withPower: Bool) {
        guard !isPlugged else { return }
        isPlugged = true
        if withPower { radio.reboot(silently: false) }
        opensAt = clock.now + Self.second / 4
    }

    func reboot(silently: Bool) { radio.reboot(silently: silently) }
    func loseFrames(_ count: Int) { framesToLose += count }
    func misbehave(_ faults: Misbehaviour) { radio.misbehave(faults) }

    /// The process is killed, and started again after a while: what was not committed is gone.
    func kill(downtime: Double) throws {
        settle()
        session.end()
        let next = Self.newFolder()
        for name in ["mesh.db", "mesh.db-wal"] {
            try? FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(next)/\(name)")
        }
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
        folder = next
        ledger.killed()
        let end = clock.now + MonotonicTime(downtime * Double(Self.second))
        while let deadline = radio.deadline {
            let time = Self.start + MonotonicTime(max(0, deadline) * 1e9) + 2
            guard time <= end else { break }
            clock.now = max(clock.now, time)
            radio.advance(to: seconds)
        }
        clock.now = end
        radio.advance(to: seconds)
        _ = radio.takeBootText()
        try open()
        session = newSession()
        opensAt = isPlugged ? clock.now + 1 : nil
        lineFreeAt = clock.now
    }

    /// Somebody is heard.
    func say(from index: Int) {
        guard radio.nodes.indices.contains(index) else { return }
        let data = MeshData(port: .textMessage, payload: Array("hello".utf8), bitfield: 1)
        let id = PacketID(truncatingIfNeeded: dice.next()) | 1
        radio.hear(data, from: radio.nodes[index].number, to: .broadcast, channel: 0, id: id)
    }

    /// Somebody says this to everybody.
    func hear(_ data: MeshData, from node: NodeNumber, id: PacketID) {
        radio.hear(data, from: node, to: .broadcast, channel: 0, id: id)
    }

    func takeGiven() -> [MeshPacket] {
        defer { given = [] }
        return given
    }

    /// The mesh's server repeats a text to us: one that was heard, or one of our own that was on the air.
    func repeatText() {
        guard let said = ledger.repeatable.randomElement(using: &dice) else { return }
        let id = PacketID(truncatingIfNeeded: dice.next()) | 1
        radio.hearRepeated(said.text, from: said.from, original: said.id, isBroadcast: true, channel: 0, id: id)
        if radio.options.firmware == .v2_8_1 { ledger.repeated(under: id, from: said.from) }
    }

    /// A person marks a node, or does so no longer.
    func mark(_ isSet: Bool) throws {
        guard let node = radio.nodes.randomElement(using: &dice)?.number else { return }
        let isKnown = try gateway.set(.favorite, isSet, of: node, in: source, onRadio: true)
        ledger.note("mark \(node.id) \(isSet) \(isKnown)", at: clock.now)
        settle()
    }

    var source: SourceID { get throws { try store.read { try $0.sources().first { $0.1.isEnabled }!.0 } } }
}

/// What stands between the gateway's making and its world.
private final class Relay: @unchecked Sendable { var delegate: (any RadioLinkDelegate)? }

/// Packet ids and nonces from the seed. Of several threads, of which one asks at a time.
private final class Numbers: Sendable {
    private let generator: Mutex<SeededGenerator>
    init(_ generator: SeededGenerator) { self.generator = Mutex(generator) }
    func next() -> UInt32 { generator.withLock { UInt32(truncatingIfNeeded: $0.next() >> 20) } }
}

/// Time that stands still until the world moves it, and a host's clock that can be set.
final class VirtualClock: Sendable {
    private let state: Mutex<(now: MonotonicTime, offset: Int64)>

    init(_ now: MonotonicTime) { state = Mutex((now, 1_787_300_000_000)) }

    var now: MonotonicTime {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    /// Host milliseconds.
    var wall: Int64 { state.withLock { Int64($0.now / 1_000_000) + $0.offset } }

    func jump(milliseconds: Int64) { state.withLock { $0.offset += milliseconds } }
}
