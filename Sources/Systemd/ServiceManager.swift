// What the service manager is told (sd_notify(3)): datagrams of NAME=VALUE lines to the socket that it names.
//
//     start: EXTEND_TIMEOUT_USEC, STATUS -> READY -> STATUS…, WATCHDOG… -> RELOADING -> READY -> STOPPING
//
// 1. Text comes from the mesh, too: a line end in it would begin a line of its own, and that could say anything. So
//    there is none in what is sent.
// 2. Programs that run below us must not speak in our name: the variables go as soon as they are read.
// 3. READY must arrive, or the start counts as failed: it waits for a full queue a little. Nothing else does.

import Glibc
import Platform

/// The service manager that started this process, if one did.
public final class ServiceManager: Sendable {
    private let socket: DatagramSocket
    /// Microseconds in which it wants to hear from us; nil: it does not watch.
    public let watchdogInterval: UInt64?

    /// Bytes of a STATUS line: a datagram of more than 4,096 is not read.
    private static let longestStatus = 1_000

    /// - Parameters:
    ///   - notifySocket: NOTIFY_SOCKET.
    ///   - watchdog: WATCHDOG_USEC, microseconds.
    ///   - watchdogProcess: WATCHDOG_PID; another's is not for us.
    /// - Returns: nil without somebody who wants to know.
    public init?(notifySocket: String?, watchdog: String? = nil, watchdogProcess: String? = nil) {
        guard let notifySocket, let socket = DatagramSocket(to: notifySocket) else { return nil }
        socket.limitWaiting(toSeconds: 5)
        self.socket = socket
        let isOurs = watchdogProcess.map { $0 == "\(getpid())" } ?? true
        let interval = watchdog.flatMap { UInt64($0) } ?? 0
        watchdogInterval = isOurs && interval > 0 ? interval : nil
    }

    /// As the environment says, which it is taken out of: call before the first thread.
    public static func fromEnvironment() -> ServiceManager? {
        func removeVariable(_ name: String) -> String? {
            defer { unsetenv(name) }
            return getenv(name).map { String(cString: $0) }
        }
        return ServiceManager(
            notifySocket: removeVariable("NOTIFY_SOCKET"), watchdog: removeVariable("WATCHDOG_USEC"),
            watchdogProcess: removeVariable("WATCHDOG_PID"))
    }

    /// It serves, or serves again after ``reloading()``.
    public func ready(status: String? = nil) {
        tell("READY=1" + (status.map { "\nSTATUS=" + Self.line($0) } ?? ""), waits: true)
    }

    /// The settings are read again; ``ready(status:)`` ends it. The time tells it from an older reload.
    public func reloading() {
        tell("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.nanoseconds() / 1000)", waits: true)
    }

    public func stopping() { tell("STOPPING=1\nSTATUS=stopping") }

    /// What `systemctl status` shows.
    public func status(_ text: String) { tell("STATUS=" + Self.line(text)) }

    /// What comes now may take so long, from now on, before the start counts as failed.
    public func extendTimeout(seconds: UInt64) { tell("EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)") }

    /// Keeps a descriptor for the next process of this service (FDSTORE, sd_pid_notify_with_fds(3)), which finds it among
    /// its ``HandedSocket``s. One that is kept already is not kept twice.
    ///
    /// - Parameter name: what takes it away again, and how it is called then; printable ASCII without a colon, at most 255.
    /// - Returns: false: it was not told.
    @discardableResult
    public func keep(_ descriptor: Int32, as name: String) -> Bool {
        socket.send(Array("FDSTORE=1\nFDNAME=\(name)".utf8), with: descriptor)
    }

    /// Keeps all of that name no longer.
    public func keepNoLonger(_ name: String) { tell("FDSTOREREMOVE=1\nFDNAME=\(name)", waits: true) }

    /// It lives: to be told within ``watchdogInterval``, again and again.
    public func alive() { tell("WATCHDOG=1") }

    private func tell(_ text: String, waits: Bool = false) { socket.send(Array(text.utf8), waits: waits) }

    private static func line(_ text: String) -> String {
        let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        var cut = String(String.UnicodeScalarView(line))
        if cut.utf8.count > longestStatus {
            while cut.utf8.count > longestStatus - 3 { cut.removeLast() }
            cut += "…"
        }
        return cut
    }
}
