import MeshProtocol
import Synchronization

// The problem. A recording must not hold what the radio keeps secret, and bytes come in any chunking: a key can be cut by
// the end of a read, by log text in the middle of its frame, by a lost byte. So nothing is recorded as it was read, but
// as it was understood:
//
//  1. A frame that decodes is written with its secrets blanked, at its full length.
//  2. Garbage is never written. Its length and a hash say that it was there.
//  3. Text is written; while the radio tells its settings, only what is a line of the firmware's own, and not when a frame
//     has been damaged since the last good one: a piece of a password can be printable.

/// Takes what a recorder has made of a link's traffic. Called on the link's thread; must not block.
public protocol TrafficSink: Sendable {
    func add(_ kind: RecordedStream.Entry.Kind, at now: MonotonicTime)
    /// The handshake after which the session is live, as whole frames without secrets. What was added before is part of it
    /// or older.
    func begin(after handshake: [UInt8], at now: MonotonicTime)
}

/// Turns what goes over one link into the entries of a recording, without the radio's secrets.
public final class TrafficRecorder: LinkTap {
    fileprivate struct State {
        /// Bytes that no output has accounted for, oldest first.
        var pending: [UInt8] = []
        /// So many before them are not kept: garbage without end.
        var forgotten = 0
        /// The radio may be telling its settings.
        var isConfiguring = true
        /// The nonce of our last want_config.
        var nonce: UInt32?
        /// Until then the answer to an admin request may come.
        var adminUntil: MonotonicTime = 0
        /// There was garbage since the last frame.
        var isDamaged = false
    }

    private let sink: any TrafficSink
    private let salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
    private let state = Mutex(State())

    /// More than a candidate frame, a line and a read together; what is older is garbage.
    private static let maximumPending = 16_384

    public init(to sink: any TrafficSink) { self.sink = sink }

    public func opened(_ name: String, at now: MonotonicTime) {
        state.withLock { $0 = State() }
        sink.add(.opened(name), at: now)
    }

    public func arrived(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            state.pending.append(contentsOf: bytes)
            let excess = state.pending.count - Self.maximumPending
            if excess > 0 {
                state.pending.removeFirst(excess)
                state.forgotten += excess
            }
        }
    }

    public func decoded(_ output: StreamDecoder<FromRadio>.Output, at now: MonotonicTime) {
        let kind: RecordedStream.Entry.Kind = state.withLock { state in
            switch output {
            case .frame(let message, let raw):
                let bytes = state.removeOldest(4 + raw.count).bytes
                state.note(message, at: now)
                state.isDamaged = false
                guard let blanked = Redaction.blankedFromRadio(raw), bytes.count == 4 + raw.count else {
                    return .withheld(raw, salt: salt)
                }
                return .received(StreamFrame.encode(blanked))
            case .text(let line, let raw):
                _ = state.removeOldest(raw.count)
                return state.mayShow(line, raw, at: now) ? .received(raw) : .withheld(raw, salt: salt)
            case .garbage(let count):
                state.isDamaged = true
                let (bytes, forgotten) = state.removeOldest(count)
                return .withheld(bytes, after: forgotten, salt: salt)
            }
        }
        sink.add(kind, at: now)
    }

    public func handedOn() {}

    public func wrote(_ bytes: [UInt8], at now: MonotonicTime) {
        // What is no frame are the bytes that wake the radio's parser.
        guard bytes.count >= 4, bytes[0] == 0x94 else { return sink.add(.sent(bytes), at: now) }
        let payload = Array(bytes[4...])
        state.withLock { $0.note(sent: payload, at: now) }
        let blanked = Redaction.blankedToRadio(payload)
        sink.add(blanked.map { .sent(StreamFrame.encode($0)) } ?? .withheld(payload, salt: salt), at: now)
    }

    public func live(_ handshake: [[UInt8]], at now: MonotonicTime) {
        sink.begin(
            after: handshake.compactMap { Redaction.blankedFromRadio($0) }.flatMap { StreamFrame.encode($0) }, at: now)
    }

    public func closed(_ reason: String, at now: MonotonicTime) {
        state.withLock { $0 = State() }
        sink.add(.closed(reason), at: now)
    }
}

extension TrafficRecorder.State {
    private static let adminPatience = 10 * RadioSession.second

    /// The oldest bytes, and how many there were before them that are not kept.
    mutating func removeOldest(_ count: Int) -> (bytes: [UInt8], forgotten: Int) {
        let lost = min(forgotten, count)
        forgotten -= lost
        let rest = min(count - lost, pending.count)
        defer { pending.removeFirst(rest) }
        return (Array(pending[..<rest]), lost)
    }

    mutating func note(_ message: FromRadio, at now: MonotonicTime) {
        switch message {
        case .configComplete(let complete) where complete == nonce: isConfiguring = false
        case .packet(let packet) where packet.decoded?.port == .admin: adminUntil = now + Self.adminPatience
        default: break
        }
    }

    mutating func note(sent payload: [UInt8], at now: MonotonicTime) {
        switch payload.withUnsafeBytes({ ToRadio(decoding: $0) }) {
        case .wantConfig(let new): (isConfiguring, nonce) = (true, new)
        case .packet(let packet) where packet.decoded?.port == .admin: adminUntil = now + Self.adminPatience
        default: break
        }
    }

    func mayShow(_ line: String, _ raw: [UInt8], at now: MonotonicTime) -> Bool {
        guard isConfiguring || now < adminUntil else { return true }
        return !isDamaged
            && (raw.first == 0x1B || RebootText.isLogLine(line) || RebootText.reason(in: line) != nil)
    }
}
