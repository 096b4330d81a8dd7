import CShims
import Glibc

/// Wakes one waiting thread (eventfd). A signal while nobody waits is kept for the next wait.
struct WakeEvent: ~Copyable, Sendable {
    private let descriptor: Int32

    init() throws(HTTPServerError) {
        descriptor = mg_eventfd()
        guard descriptor >= 0 else { throw .system(call: "eventfd", subject: "the HTTP server", code: errno) }
    }

    deinit { close(descriptor) }

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits for a signal, until the time of `monotonicNow()` (.max: without end), or until one of these connections is
    /// ended by its client.
    ///
    /// - Returns: the places of those whose client has left.
    @discardableResult
    func wait(until deadline: UInt64, watching connections: [Int32] = []) -> [Int] {
        // POLLRDHUP, which Swift's Glibc does not show: the client will send no more, which nobody does who still reads.
        let left: Int16 = 0x2000
        var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        entries += connections.map { pollfd(fd: $0, events: left, revents: 0) }
        wait(until: deadline, &entries)
        return connections.indices.filter { entries[$0 + 1].revents != 0 }
    }

    /// Waits for a signal, until the time of `monotonicNow()`, or until there is something to read elsewhere.
    func wait(until deadline: UInt64, orReadable other: Int32) {
        var entries = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        wait(until: deadline, &entries)
    }

    /// poll(2); the event's own entry is the first.
    private func wait(until deadline: UInt64, _ entries: inout [pollfd]) {
        var milliseconds: Int32 = -1
        if deadline != .max {
            let now = monotonicNow()
            // Rounded up: one wake too early would be one too many.
            milliseconds = deadline <= now ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
        }
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else {
            for index in entries.indices { entries[index].revents = 0 }
            return
        }
        if entries[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        }
    }
}
