import MeshModel
import MeshProtocol
import Search

/// A recording, cut where the recorded host asked for a handshake.
///
///     before | want_config | handshake … config_complete | live, with the host's texts in between | want_config | …
public struct Recording: Sendable {
    /// What one want_config brought.
    public struct Segment: Sendable {
        public var nonce: UInt32
        /// What the port brought after it was opened and before the host asked.
        public var before: [UInt8] = []
        /// Seconds since the recording began, when the host asked, and when it was answered.
        public var askedAt: Double
        public var answeredAt: Double
        /// To the end of the config_complete with ``nonce``.
        public var handshake: [UInt8] = []
        public var live: [Step] = []
    }

    public enum Step: Sendable {
        case bytes(TimedBytes)
        /// A text that the recorded host gave to the radio.
        case text(MeshPacket, time: Double)
        case unplugged(time: Double)
    }

    public let segments: [Segment]
    /// Host milliseconds since 1970 when it began; nil when it does not say.
    public let startedAt: Int64?
    /// Seconds.
    public let duration: Double

    /// - Throws: ``RecordingError/noHandshake``.
    public init(_ stream: RecordedStream) throws(RecordingError) {
        var cutter = Cutter()
        for entry in stream.entries { cutter.add(entry) }
        segments = cutter.finished()
        guard !segments.isEmpty else { throw .noHandshake }
        startedAt = stream.startedAt ?? Self.startByClock(stream)
        duration = stream.entries.reduce(0) { max($0, $1.time) }
    }

    /// A host sets the radio's clock after the handshake.
    private static func startByClock(_ stream: RecordedStream) -> Int64? {
        var host = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
        var found: Int64?
        for entry in stream.entries {
            guard found == nil, case .sent(let bytes) = entry.kind else { continue }
            bytes.withUnsafeBytes {
                host.feed($0, now: 0) { output in
                    guard case .frame(.packet(let packet), _) = output, let data = packet.decoded,
                        case .admin(.setTimeOnly(let seconds)) = PacketContent(data)
                    else { return }
                    found = Int64(seconds) * 1000 - Int64(entry.time * 1000)
                }
            }
        }
        return found
    }

    /// Whether a radio that prints this has just started: the firmware's banner, or the `rebooted` frame of 2.7.
    static func boots(_ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array(#"//\ E S H T"#.utf8)) != nil
            || bytes.firstRange(of: [0x94, 0xC3, 0, 2, 0x40, 1] as [UInt8]) != nil
    }
}

/// Bytes that came in several reads, and when each of those was.
public struct TimedBytes: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var reads: [(end: Int, time: Double)] = []

    mutating func append(_ new: some Collection<UInt8>, at time: Double) {
        bytes += new
        reads.append((bytes.count, time))
    }

    /// When the byte before this place came.
    func time(ofEnd end: Int) -> Double {
        var (low, high) = (0, reads.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if reads[middle].end < end { low = middle + 1 } else { high = middle }
        }
        return reads.isEmpty ? 0 : reads[low].time
    }
}

extension Recording.Segment {
    /// Whether the radio restarts in it.
    public var boots: Bool {
        live.contains { if case .bytes(let timed) = $0 { Recording.boots(timed.bytes) } else { false } }
    }

    var hasTexts: Bool { live.contains { if case .text = $0 { true } else { false } } }
}

/// Distributes a recording's entries over segments.
private struct Cutter {
    private var segments: [Recording.Segment] = []
    private var before: [UInt8] = []
    private var isOpen = true
    private var isInHandshake = false
    private var host = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })

    mutating func finished() -> [Recording.Segment] {
        giveUpHandshake()
        return segments
    }

    mutating func add(_ entry: RecordedStream.Entry) {
        switch entry.kind {
        case .received(let bytes): received(bytes, at: entry.time)
        case .sent(let bytes):
            var messages: [ToRadio] = []
            bytes.withUnsafeBytes {
                host.feed($0, now: 0) { if case .frame(let message, _) = $0 { messages.append(message) } }
            }
            for message in messages { sent(message, at: entry.time) }
        case .event where entry.kind.isEndOfConnection:
            isOpen = false
            giveUpHandshake()
            if !segments.isEmpty { segments[segments.count - 1].live.append(.unplugged(time: entry.time)) }
        case .event: break
        }
    }

    private mutating func received(_ bytes: [UInt8], at time: Double) {
        guard !segments.isEmpty, isOpen else { return before += bytes }
        guard isInHandshake else { return append(bytes, at: time) }
        let last = segments.count - 1
        let mark = StreamFrame.encode(FromRadio.configComplete(segments[last].nonce).encoded())
        let searched = max(0, segments[last].handshake.count - mark.count)
        segments[last].handshake += bytes
        guard let end = segments[last].handshake[searched...].firstRange(of: mark)?.upperBound else { return }
        isInHandshake = false
        segments[last].answeredAt = time
        let rest = Array(segments[last].handshake[end...])
        segments[last].handshake.removeSubrange(end...)
        if !rest.isEmpty { append(rest, at: time) }
    }

    private mutating func append(_ bytes: [UInt8], at time: Double) {
        let last = segments.count - 1
        var timed = TimedBytes()
        if case .bytes(let earlier)? = segments[last].live.last {
            segments[last].live.removeLast()
            timed = earlier
        }
        timed.append(bytes, at: time)
        segments[last].live.append(.bytes(timed))
    }

    private mutating func sent(_ message: ToRadio, at time: Double) {
        switch message {
        case .wantConfig(let nonce):
            giveUpHandshake()
            segments.append(Recording.Segment(nonce: nonce, before: before, askedAt: time, answeredAt: time))
            before = []
            (isOpen, isInHandshake) = (true, true)
        case .packet(let packet) where packet.decoded?.port == .textMessage && !segments.isEmpty:
            segments[segments.count - 1].live.append(.text(packet, time: time))
        default: break
        }
    }

    /// A handshake that never became whole is no segment. What it brought came before the next one.
    private mutating func giveUpHandshake() {
        guard isInHandshake else { return }
        let cut = segments.removeLast()
        before = cut.before + cut.handshake
        isInHandshake = false
    }
}
