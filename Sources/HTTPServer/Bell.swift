import CShims
import Glibc

/// Wakes one waiting thread (eventfd). A ring while nobody waits is kept for the next wait.
struct Bell: ~Copyable, Sendable {
    private let descriptor: Int32

    init() throws(HTTPServerError) {
        descriptor = mg_eventfd()
        guard descriptor >= 0 else { throw .system(call: "eventfd", subject: "the HTTP server", code: errno) }
    }

    deinit { close(descriptor) }

    func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits for a ring or until the time of `monotonicNow()`; .max waits without end.
    func wait(until deadline: UInt64) {
        var milliseconds: Int32 = -1
        if deadline != .max {
            let now = monotonicNow()
            // Rounded up: one wake too early would be one too many.
            milliseconds = deadline <= now ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
        }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return }
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
