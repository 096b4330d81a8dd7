import CShims
import Glibc

/// Wakes one waiting thread (eventfd). A signal while nobody waits is kept for the next wait.
public final class WakeEvent: Sendable {
    /// Readable from a signal to the next ``clear()``, for a poll(2) of one's own.
    public let descriptor: Int32

    /// Nil: the process or the system has no descriptor left, as errno says.
    public init?() {
        descriptor = mg_eventfd()
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    public func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    public func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Waits for a signal, until a time of ``MonotonicClock`` in nanoseconds (.max: without end), or until one of these connections is
    /// ended by its client.
    ///
    /// - Returns: the places of those whose client has left.
    @discardableResult
    public func wait(until deadline: UInt64, watching connections: [Int32] = []) -> [Int] {
        // POLLRDHUP, which Swift's Glibc does not show: the client will send no more, which nobody does who still reads.
        let left: Int16 = 0x2000
        var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        entries += connections.map { pollfd(fd: $0, events: left, revents: 0) }
        wait(until: deadline, &entries)
        return connections.indices.filter { entries[$0 + 1].revents != 0 }
    }

    /// Waits for a signal, until a time of ``MonotonicClock``, or until there is something to read elsewhere.
    public func wait(until deadline: UInt64, orReadable other: Int32) {
        var entries = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        wait(until: deadline, &entries)
    }

    /// poll(2); the event's own entry is the first.
    private func wait(until deadline: UInt64, _ entries: inout [pollfd]) {
        var milliseconds: Int32 = -1
        if deadline != .max {
            let now = MonotonicClock.nanoseconds()
            // Rounded up: one wake too early would be one too many.
            milliseconds = deadline <= now ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
        }
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else {
            for index in entries.indices { entries[index].revents = 0 }
            return
        }
        if entries[0].revents != 0 { clear() }
    }
}
