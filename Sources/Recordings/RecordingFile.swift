import Glibc
import MeshProtocol
import Platform

/// A recording that is being written: beside its place, synced and moved there when it is whole, so that nobody finds
/// half of one.
public final class RecordingFile {
    private let path: String
    private let beside: String
    private var descriptor: Int32
    public private(set) var entries = 0
    public private(set) var bytes = 0
    /// Host milliseconds of the first and the last entry.
    public private(set) var span: ClosedRange<Int64>?
    private var startedAt: Int64?

    /// - Parameter path: `-` is standard output, where nothing can be taken back.
    public init(_ path: String) throws(RecordingError) {
        self.path = path
        beside = "\(path).\(getpid())~"
        guard path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .system("\(path) cannot be written", errno) }
    }

    deinit { cancel() }

    /// - Parameter at: host milliseconds since 1970. The first entry dates the recording.
    public func append(_ kind: RecordedStream.Entry.Kind, at: Int64) throws(RecordingError) {
        var line: [UInt8] = []
        if startedAt == nil {
            startedAt = at
            if kind != .beginning { line = RecordedStream.Entry(time: 0, kind: .beginning).line(at: at) }
        }
        let isFirst = kind == .beginning && entries == 0 && line.isEmpty
        let time = Double(max(0, at - startedAt!)) / 1000
        line += RecordedStream.Entry(time: time, kind: kind).line(at: isFirst ? at : nil)
        let failure = writeAll(line, to: descriptor)
        guard failure == 0 else { throw .system("\(path) cannot be written", failure) }
        bytes += line.count
        entries += 1
        span = (span?.lowerBound ?? at)...max(at, span?.upperBound ?? at)
    }

    /// The recording is whole.
    public func finish() throws(RecordingError) {
        guard path != "-", descriptor >= 0 else { return }
        guard fsync(descriptor) == 0, rename(beside, path) == 0 else {
            let code = errno
            cancel()
            throw .system("\(path) cannot be written", code)
        }
        close(descriptor)
        descriptor = -1
    }

    /// Nothing is left of it.
    public func cancel() {
        guard path != "-", descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        unlink(beside)
    }
}
