import MeshProtocol
import Recordings

/// A file of `mesh-gateway capture`, read, cut into handshakes and traffic, and written again.
final class CaptureFile: FuzzTarget {
    func run(_ input: [UInt8]) throws {
        guard let stream = try? RecordedStream(input) else { return }
        let again = try RecordedStream(stream.entries.flatMap { $0.line() })
        try check(again.entries.count == stream.entries.count, "an entry was lost when it was written")
        for (entry, other) in zip(stream.entries, again.entries) {
            try check(entry.kind == other.kind, "\(entry) was written as \(other)")
            try check(abs(max(entry.time, 0) - other.time) < 0.001, "\(entry) was written as \(other)")
        }
        for case .received(let bytes) in stream.entries.map(\.kind) {
            try check(Piece.cut(bytes).flatMap(\.bytes) == bytes, "\(bytes) in pieces is something else")
        }
        guard let recording = try? Recording(stream) else { return }
        let given = stream.entries.reduce(0) { $0 + $1.received }
        let kept = recording.segments.reduce(0) { $0 + $1.received }
        try check(kept <= given, "of \(given) bytes there are \(kept)")
        for segment in recording.segments { _ = segment.boots }
    }
}

extension RecordedStream.Entry {
    fileprivate var received: Int { if case .received(let bytes) = kind { bytes.count } else { 0 } }
}

extension Recording.Segment {
    fileprivate var received: Int {
        live.reduce(before.count + handshake.count) { sum, step in
            if case .bytes(let timed) = step { sum + timed.bytes.count } else { sum }
        }
    }
}
