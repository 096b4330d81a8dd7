import MeshModel
import MeshProtocol

@testable import RadioLink
@testable import RadioSimulator

/// A session and a simulated radio at the two ends of a serial line of 115200 baud, in virtual time.
struct SimulatedLink {
    static let second: MonotonicTime = 1_000_000_000
    private static let byteTime: MonotonicTime = 86_806
    private static let start: MonotonicTime = 1_000 * second

    var radio: Radio
    private(set) var session = RadioSession(pace: .serial, wallClock: { 1_790_000_000 }, random: { 0x00C0_FFEE })
    private(set) var now = start
    /// Since the last ``forget()``: why the session asked for its port to be opened anew.
    private(set) var reopened: [String] = []
    /// The same.
    private(set) var framesHeard = 0
    private var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
    private var hostFrames = HostFrames()
    private var outgoing: [MeshPacket] = []
    /// The port is open from then on.
    private var opensAt: MonotonicTime? = start
    private var lineFreeAt = start

    init(_ options: SimulatorOptions) { radio = Radio(options) }

    /// The radio serves us, and we know it.
    var isLive: Bool {
        guard session.phase == .live, case .live = radio.api.phase else { return false }
        return !radio.isDeaf && !radio.isLocked
    }

    var problems: [String] { session.problems.map(\.name) }

    /// How often the radio got this packet.
    func deliveries(of id: PacketID) -> Int { radio.received.count { $0.id == id } }

    mutating func offer(_ packet: MeshPacket) {
        outgoing.append(packet)
        session.wake()
    }

    /// The port is gone for a second, as after an unplug of the cable alone.
    mutating func reopen() {
        session.end(isCut: true)
        opensAt = now + Self.second
    }

    mutating func forget() {
        reopened = []
        framesHeard = 0
    }

    /// Lets time pass until something is so.
    ///
    /// - Returns: after how many seconds; nil: not within the limit.
    @discardableResult
    mutating func run(seconds limit: Double, until isSo: (SimulatedLink) -> Bool = { _ in false }) -> Double? {
        let (begin, end) = (now, now + MonotonicTime(limit * Double(Self.second)))
        while true {
            step()
            if isSo(self) { return Double(now - begin) / Double(Self.second) }
            guard let next = nextTime, next <= end else { break }
            now = max(now, next)
        }
        now = end
        step()
        return isSo(self) ? limit : nil
    }

    // MARK: Steps

    private var seconds: Double { Double(now - Self.start) / Double(Self.second) }

    private var nextTime: MonotonicTime? {
        var times = [opensAt, decoder.deadline, session.deadline(canWrite: true)]
        // Rounded up: what is due then must be due for the radio as well.
        if let deadline = radio.deadline { times.append(Self.start + MonotonicTime(deadline * 1e9) + 2) }
        if lineFreeAt > now { times.append(lineFreeAt) }
        return times.compactMap(\.self).min()
    }

    private mutating func step() {
        if let time = opensAt, now >= time {
            opensAt = nil
            decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
            session.begin(at: now)
        }
        repeat {
            radio.advance(to: seconds)
            hear(radio.takeBootText())
            if now >= lineFreeAt, let bytes = radio.nextBytes() {
                lineFreeAt = now + MonotonicTime(bytes.count) * Self.byteTime
                hear(bytes)
            }
            var late: [StreamDecoder<FromRadio>.Output] = []
            decoder.expire(now: now) { late.append($0) }
            handle(late)
            session.expire(at: now)
            collect()
        } while write()
    }

    /// - Returns: whether there was anything to write, which the radio may answer at once.
    private mutating func write() -> Bool {
        var outgoing = outgoing
        defer { self.outgoing = outgoing }
        guard
            let frame = session.nextFrame(
                at: now, offer: { _ in outgoing.isEmpty ? .wait(until: nil) : .send(outgoing.removeFirst()) })
        else { return false }
        var frames: [[UInt8]] = []
        hostFrames.feed(frame.bytes) { frames.append($0) }
        for frame in frames { radio.receive(frame, from: .pair) }
        return true
    }

    private mutating func hear(_ bytes: [UInt8]) {
        guard session.phase != .idle, !bytes.isEmpty else { return }
        var outputs: [StreamDecoder<FromRadio>.Output] = []
        bytes.withUnsafeBytes { decoder.feed($0, now: now) { outputs.append($0) } }
        handle(outputs)
    }

    private mutating func handle(_ outputs: [StreamDecoder<FromRadio>.Output]) {
        for output in outputs {
            switch output {
            case .frame(let message, let raw):
                framesHeard += 1
                session.receive(message, raw: raw, at: now)
            case .text(let line, _): session.receive(text: line, at: now)
            case .garbage: break
            }
        }
        collect()
    }

    private mutating func collect() {
        for output in session.drain() {
            switch output {
            case .reopen(let problem):
                reopened.append(problem.name)
                reopen()
            case .event, .answered: break
            }
        }
    }
}
