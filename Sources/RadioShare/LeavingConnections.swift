import Glibc
import Platform

/// Connections that are over on our side: everything is written, and what still comes is read and thrown away until the other
/// side ends too. A descriptor that is closed with a byte unread makes a reset (RST), on which the official library's reader
/// ends for good.
struct LeavingConnections {
    /// Nanoseconds.
    static let patience: UInt64 = 2_000_000_000
    private static let capacity = 64

    private var entries: [(descriptor: Int32, until: UInt64)] = []

    var descriptors: [Int32] { entries.map(\.descriptor) }
    var deadline: UInt64? { entries.map(\.until).min() }

    mutating func end(_ descriptor: Int32, at now: UInt64) {
        shutdown(descriptor, Int32(SHUT_WR))
        if ShareSocket.drain(descriptor) {
            close(descriptor)
            return
        }
        if entries.count >= Self.capacity { close(entries.removeFirst().descriptor) }
        entries.append((descriptor, now + Self.patience))
    }

    /// There is something to read, if it is one of these.
    mutating func read(_ descriptor: Int32) {
        guard let place = entries.firstIndex(where: { $0.descriptor == descriptor }), ShareSocket.drain(descriptor)
        else { return }
        close(descriptor)
        entries.remove(at: place)
    }

    mutating func expire(at now: UInt64) {
        for entry in entries where entry.until <= now { close(entry.descriptor) }
        entries.removeAll { $0.until <= now }
    }

    /// Until all have ended, or for half a second: who finds the port away for longer does not come back.
    mutating func waitForAll(from begun: UInt64) {
        let deadline = begun + 500_000_000
        while !entries.isEmpty, case let now = MonotonicClock.nanoseconds(), now < deadline {
            var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&polled, nfds_t(polled.count), Int32(clamping: (deadline - now) / 1_000_000 + 1))
            for entry in polled where entry.revents != 0 { read(entry.fd) }
        }
        for entry in entries { close(entry.descriptor) }
        entries = []
    }
}

/// Connections that nobody serves. They are held for some seconds: programs that are turned away at once come back a hundred
/// times a second.
struct RefusedConnections {
    /// Nanoseconds.
    private static let heldFor: UInt64 = 5_000_000_000
    private static let logInterval: UInt64 = 60_000_000_000
    private static let capacity = 32

    private var entries: [(descriptor: Int32, until: UInt64)] = []
    /// When each address was logged last.
    private var logged: [String: UInt64] = [:]

    var descriptors: [Int32] { entries.map(\.descriptor) }
    var deadline: UInt64? { entries.first?.until }

    /// - Returns: the oldest one that has to go for it.
    mutating func hold(_ descriptor: Int32, at now: UInt64) -> Int32? {
        entries.append((descriptor, now + Self.heldFor))
        return entries.count > Self.capacity ? entries.removeFirst().descriptor : nil
    }

    /// What it says is read, so that its end can be seen.
    mutating func read(_ descriptor: Int32) {
        guard let place = entries.firstIndex(where: { $0.descriptor == descriptor }), ShareSocket.drain(descriptor)
        else { return }
        close(descriptor)
        entries.remove(at: place)
    }

    mutating func takeOverdue(at now: UInt64) -> [Int32] {
        let overdue = entries.prefix { $0.until <= now }.map(\.descriptor)
        entries.removeFirst(overdue.count)
        return overdue
    }

    mutating func takeAll() -> [Int32] {
        defer { entries = [] }
        return descriptors
    }

    /// Once a minute an address.
    mutating func isToBeLogged(_ address: String, at now: UInt64) -> Bool {
        if let before = logged[address], now - before < Self.logInterval { return false }
        if logged.count >= 64 { logged = logged.filter { now - $0.value < Self.logInterval } }
        guard logged.count < 64 else { return false }
        logged[address] = now
        return true
    }
}
