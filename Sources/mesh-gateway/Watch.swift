import Gateway
import Glibc
import HTTPServer
import Log
import Platform
import Synchronization
import Systemd

// What the service manager sees of the running daemon.
//
//     link threads, writer thread --wake signal--> main thread --STATUS-->  service manager
//     main thread, at half of the watchdog's interval --> check thread: each radio's lock, the handlers, the local socket
//                                                           --> writer thread --WATCHDOG--> service manager
//
// 1. The last who is asked gives the sign of life himself. So there is none while any of them is stuck, however; and
//    there is no limit to choose beside the manager's own.
// 2. There is one check at a time: one that hangs is not followed by more threads that hang.
// 3. The network's own listeners are not asked: a client that keeps all of their places taken could have the daemon killed.

/// Tells the service manager how the daemon is doing. Used by the main thread.
struct Watch {
    private let manager: ServiceManager
    private let gateway: Gateway
    private let server: HTTPServer
    private let reload: Reload
    private let socket: String
    private let logger: Logger
    private var told: String
    private let check = Check()
    /// Nanoseconds of CLOCK_MONOTONIC at which ``checkIfDue()`` has something to do; nil: nobody watches.
    private(set) var deadline: UInt64?

    /// Of a check that has begun, what is being asked.
    private final class Check: Sendable {
        let asked = Mutex<String?>(nil)
    }

    /// Says that the daemon is ready, and that it lives.
    init(
        _ manager: ServiceManager, _ gateway: Gateway, _ server: HTTPServer, _ reload: Reload, _ socket: String,
        _ logger: Logger
    ) {
        self.manager = manager
        self.gateway = gateway
        self.server = server
        self.reload = reload
        self.socket = socket
        self.logger = logger
        gateway.events.observe([.link, .problem, .solved]) { Signals.wakeMainThread() }
        told = statusLine(server, gateway, reload)
        manager.ready(status: told)
        deadline = manager.watchdogInterval.map { _ in MonotonicClock.nanoseconds() }
        checkIfDue()
    }

    /// Tells what has changed.
    mutating func tell() {
        let line = statusLine(server, gateway, reload)
        guard line != told else { return }
        told = line
        manager.status(line)
    }

    mutating func checkIfDue() {
        let now = MonotonicClock.nanoseconds()
        guard let interval = manager.watchdogInterval, let due = deadline, now >= due else { return }
        // What depends on the host's clock changes without an event.
        tell()
        let half = interval * 1_000 / 2
        // Twice in that time: one check that comes too late is followed by another in time.
        deadline = now + half / 2
        let late = check.asked.withLock { asked -> String? in
            defer { asked = asked ?? "a radio" }
            return asked
        }
        if let late { return logger.error("\(late) gives no sign of life") }
        let isBegun = Thread.detach { [manager, gateway, server, socket, logger, check] in
            @Sendable func next(_ name: String?) { check.asked.withLock { $0 = name } }
            _ = gateway.radioStatuses
            next("the local socket \(socket)")
            var client = LocalClient(path: socket)
            client.patience = Int(half / 1_000_000_000) + 1
            let answer = try? client.request("GET", "/local/daemon")
            let isAnswering = answer?.status == 200
            if !isAnswering || server.longestHandling > half {
                logger.error("\(isAnswering ? "a request" : "the local socket \(socket)") gives no sign of life")
                return next(nil)
            }
            next("the thread that writes the database")
            gateway.store.probe {
                manager.alive()
                next(nil)
            }
        }
        if !isBegun { check.asked.withLock { $0 = nil } }
    }
}
