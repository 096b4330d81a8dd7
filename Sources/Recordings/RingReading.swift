import Glibc
import MeshProtocol
import Platform

extension Ring {
    /// An entry and when it was recorded, in host milliseconds since 1970.
    public struct Dated: Sendable {
        public var at: Int64
        public var kind: RecordedStream.Entry.Kind
    }

    /// What was recorded since then, the oldest first, and before it what a recording needs that begins in the middle: the
    /// radio's settings and nodes.
    ///
    /// - Parameter since: host milliseconds since 1970.
    public func entries(since: Int64) throws(RecordingError) -> [Dated] {
        var found: [Dated] = []
        for segment in try segments() {
            // The oldest may have gone meanwhile.
            guard let bytes = try Self.wholeLines(of: path(of: segment)) else { continue }
            found += try Self.dated(bytes).filter { $0.at >= since && $0.kind != .beginning }
        }
        guard let first = found.first else { throw .nothing }
        if case .event(let event) = first.kind, event.hasPrefix("port open") { return found }
        return try handshake(before: first.at) + found
    }

    /// The last handshake as a host would have seen it that has just asked; nothing, when it is newer.
    public func handshake(before time: Int64) throws(RecordingError) -> [Dated] {
        guard let bytes = try Self.wholeLines(of: handshakePath) else { return [] }
        let kept = try Self.dated(bytes)
        guard let at = kept.first?.at, at <= time else { return [] }
        // Any number but those that ask for a part.
        let nonce: UInt32 = 1
        let request = StreamFrame.encode(ToRadio.wantConfig(nonce).encoded())
        let end = StreamFrame.encode(FromRadio.configComplete(nonce).encoded())
        let frames = kept.compactMap { entry -> [UInt8]? in
            if case .received(let bytes) = entry.kind { bytes } else { nil }
        }
        let kinds: [RecordedStream.Entry.Kind] = [
            .opened(name), .sent(request), .received(frames.flatMap(\.self) + end),
        ]
        return kinds.map { Dated(at: time, kind: $0) }
    }

    static func dated(_ text: some Collection<UInt8>) throws(RecordingError) -> [Dated] {
        let stream: RecordedStream
        do { stream = try RecordedStream(Array(text)) } catch { throw .unreadable(error) }
        let start = stream.startedAt ?? 0
        return stream.entries.map { Dated(at: start + Int64($0.time * 1000), kind: $0.kind) }
    }

    /// Nil when there is no such file. A line that was being written when its writer was killed is left out.
    private static func wholeLines(of path: String) throws(RecordingError) -> ArraySlice<UInt8>? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("\(path) cannot be read", errno)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = retrying { read(file, &chunk, chunk.count) }
            guard count >= 0 else { throw .system("\(path) cannot be read", errno) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes[..<(bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)]
    }
}
