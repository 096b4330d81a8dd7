import Glibc
import MeshProtocol
import Platform
import RadioLink

/// Keeps the last 4 MB of a radio's traffic in a ``Ring``, while the daemon runs.
///
/// The link's thread only puts lines into memory; a thread of its own writes them. It sleeps while nothing comes. What it
/// cannot write, because the disk is full, is lost and nothing else: a daemon without its recorder works. Heartbeats and their
/// answers, all that there is while a radio is silent, wait in memory for what comes next: nothing is written for them alone.
public final class FlightRecorder: TrafficSink {
    private struct State {
        var lines: [UInt8] = []
        /// Among the lines is one that is to be written.
        var isDue = false
        var handshake: [UInt8]?
        /// Lines that nobody wrote in time.
        var dropped = 0
        var isStopping = false
    }

    private let ring: Ring
    private let group: UInt32?
    private let start: MonotonicTime
    private let state = Monitor(State())
    private let thread: Monitor<Thread?>

    /// What waits for a disk that does not write.
    private static let maximumWaiting = 256 * 1024
    /// Bytes of a handshake that are kept for recordings which begin later.
    private static let maximumHandshake = 256 * 1024

    /// - Parameter group: may read the files, as it may use the local socket; nil: their owner alone.
    public init(_ ring: Ring, group: UInt32?) {
        self.ring = ring
        self.group = group
        start = MonotonicClock.nanoseconds()
        thread = Monitor(nil)
        thread.withLock { $0 = Thread { [state, ring, start] in Self.write(state, SegmentWriter(ring, group, start)) } }
    }

    /// Writes what has come and ends.
    public func stop() {
        state.notify { $0.isStopping = true }
        thread.withLock { $0.take() }?.join()
    }

    public func add(_ kind: RecordedStream.Entry.Kind, at now: MonotonicTime) {
        let line = RecordedStream.Entry(time: seconds(now), kind: kind).line()
        let keep = { [self] (state: inout State) in
            guard state.lines.count + line.count <= Self.maximumWaiting else { return state.dropped += 1 }
            if state.dropped > 0 {
                let note = RecordedStream.Entry(
                    time: seconds(now), kind: .event("\(state.dropped) entries were lost: the disk did not take them"))
                state.lines += note.line()
                state.dropped = 0
            }
            state.lines += line
        }
        guard !kind.isBeat else { return state.withLock(keep) }
        state.notify { state in
            keep(&state)
            state.isDue = true
        }
    }

    public func begin(after handshake: [UInt8], at now: MonotonicTime) {
        guard handshake.count <= Self.maximumHandshake else { return }
        let begin = RecordedStream.Entry(time: seconds(now), kind: .beginning).line(at: WallClock.milliseconds())
        let frames = RecordedStream.Entry(time: seconds(now), kind: .received(handshake)).line()
        state.notify { $0.handshake = begin + frames }
    }

    private func seconds(_ now: MonotonicTime) -> Double { Double(now > start ? now - start : 0) / 1e9 }

    private static func write(_ state: Monitor<State>, _ writer: SegmentWriter) {
        while true {
            let (lines, handshake, isOver) = state.wait(until: nil) { state, _ -> ([UInt8], [UInt8]?, Bool)? in
                guard state.isDue || state.handshake != nil || state.isStopping else { return nil }
                defer { (state.lines, state.isDue, state.handshake) = ([], false, nil) }
                return (state.lines, state.handshake, state.isStopping)
            }!
            if !lines.isEmpty { writer.append(lines) }
            if let handshake { writer.keep(handshake: handshake) }
            if isOver { return writer.close() }
        }
    }
}

extension RecordedStream.Entry.Kind {
    /// A heartbeat, or the answer to one.
    fileprivate var isBeat: Bool {
        switch self {
        case .sent(let frame):
            guard Self.lengths.contains(frame.count),
                case .heartbeat = frame[4...].withUnsafeBytes({ ToRadio(decoding: $0) })
            else { return false }
            return true
        case .received(let frame):
            guard Self.lengths.contains(frame.count),
                case .queueStatus(let status) = frame[4...].withUnsafeBytes({ FromRadio(decoding: $0) })
            else { return false }
            return status.packetID == 0
        case .event: return false
        }
    }

    /// Neither of them is longer.
    private static let lengths = 5...32
}

/// Writes the segments of a ring. For one thread.
private final class SegmentWriter {
    private let ring: Ring
    private let group: UInt32?
    private let start: MonotonicTime
    private var descriptor: Int32 = -1
    private var written = 0

    init(_ ring: Ring, _ group: UInt32?, _ start: MonotonicTime) {
        self.ring = ring
        self.group = group
        self.start = start
    }

    /// - Parameter lines: whole ones.
    func append(_ lines: [UInt8]) {
        if descriptor < 0 || written + lines.count > Ring.segmentSize { next(room: lines.count) }
        guard descriptor >= 0 else { return }
        // Half a line would spoil what follows.
        if writeAll(lines, to: descriptor) != 0 { close() }
        written += lines.count
    }

    func keep(handshake: [UInt8]) {
        makeFolder()
        let beside = ring.handshakePath + "~"
        let file = open(beside)
        guard file >= 0 else { return }
        let isWhole = writeAll(handshake, to: file) == 0
        Glibc.close(file)
        if isWhole { rename(beside, ring.handshakePath) } else { unlink(beside) }
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private func next(room: Int) {
        close()
        makeFolder()
        var segments = (try? ring.segments()) ?? []
        let number = (segments.last ?? 0) + 1
        var total = segments.reduce(0) { $0 + size(of: ring.path(of: $1)) }
        // A daemon that restarts often, or a full disk, leaves small ones.
        while let oldest = segments.first, segments.count >= 32 || total > Ring.size - Ring.segmentSize {
            total -= size(of: ring.path(of: oldest))
            unlink(ring.path(of: oldest))
            segments.removeFirst()
        }
        descriptor = open(ring.path(of: number))
        guard descriptor >= 0 else { return }
        let now = MonotonicClock.nanoseconds()
        let line = RecordedStream.Entry(time: Double(now - start) / 1e9, kind: .beginning).line(
            at: WallClock.milliseconds())
        if writeAll(line, to: descriptor) != 0 {
            close()
            unlink(ring.path(of: number))
        }
        written = line.count
    }

    private func makeFolder() {
        guard mkdir(ring.folder, group == nil ? 0o700 : 0o750) == 0, let group else { return }
        chown(ring.folder, uid_t.max, group)
    }

    private func open(_ path: String) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let file = Glibc.open(path, flags, group == nil ? 0o600 : 0o640)
        if file >= 0, let group { fchown(file, uid_t.max, group) }
        return file
    }

    private func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
