import Glibc
import MeshProtocol
import Platform

/// Hands on what a running daemon adds to its ring, as it comes: inotify(7) says when.
public final class RingFollower: Sendable {
    private let stopPipe: [Int32]
    private let thread: Thread

    /// - Parameter body: called on the follower's thread; throws to end the following. What it throws goes to `ended`.
    public init(
        _ ring: Ring, _ body: @escaping @Sendable (Ring.Dated) throws -> Void,
        ended: @escaping @Sendable (any Error) -> Void
    ) throws(RecordingError) {
        let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard watch >= 0, inotify_add_watch(watch, ring.folder, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)) >= 0 else {
            throw .system("\(ring.folder) cannot be watched", errno)
        }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .system("no pipe", errno) }
        stopPipe = ends
        let stop = ends[0]
        let newest = try ring.segments().last
        let reader = SegmentReader(ring, from: newest)
        thread = Thread {
            do { try reader.follow(watch: watch, stop: stop, body) } catch { ended(error) }
            close(watch)
        }
    }

    /// Hands on what has come until now and ends.
    public func stop() {
        close(stopPipe[1])
        thread.join()
        close(stopPipe[0])
    }
}

/// Reads on in the newest segment, and in those that come after it.
private struct SegmentReader: Sendable {
    private let ring: Ring
    private let first: Int?

    init(_ ring: Ring, from newest: Int?) {
        self.ring = ring
        first = newest
    }

    func follow(watch: Int32, stop: Int32, _ body: (Ring.Dated) throws -> Void) throws {
        var current: (number: Int, file: Int32, start: Int64, rest: [UInt8])?
        defer { if let current { close(current.file) } }
        if let first, let file = opened(first) {
            current = (first, file, 0, [])
            // What is there already dates what comes.
            try drain(&current!) { _ in }
        }
        var isOver = false
        while !isOver {
            var waiting = [
                pollfd(fd: watch, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: 0, revents: 0),
            ]
            if poll(&waiting, 2, -1) < 0, errno != EINTR {
                throw RecordingError.system("no news of traffic", errno)
            }
            isOver = waiting[1].revents != 0
            var events = [UInt8](repeating: 0, count: 4096)
            while read(watch, &events, events.count) > 0 {}
            if current != nil { try drain(&current!, body) }
            for number in try ring.segments() where number > current?.number ?? 0 {
                if let current { close(current.file) }
                current = opened(number).map { (number, $0, 0, []) }
                if current != nil { try drain(&current!, body) }
            }
        }
    }

    private func opened(_ number: Int) -> Int32? {
        let file = open(ring.path(of: number), O_RDONLY | O_CLOEXEC)
        return file >= 0 ? file : nil
    }

    private func drain(
        _ current: inout (number: Int, file: Int32, start: Int64, rest: [UInt8]), _ body: (Ring.Dated) throws -> Void
    ) throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = retrying { read(current.file, &chunk, chunk.count) }
            guard count > 0 else { break }
            current.rest += chunk[..<count]
        }
        guard let end = current.rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
        let stream = try RecordedStream(Array(current.rest[...end]))
        current.rest.removeFirst(end + 1)
        if let start = stream.startedAt { current.start = start }
        for entry in stream.entries where entry.kind != .beginning {
            try body(Ring.Dated(at: current.start + Int64(entry.time * 1000), kind: entry.kind))
        }
    }
}
