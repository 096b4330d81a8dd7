// A renewed certificate is taken over by itself.
//
//     certbot, cp, mv --inotify--> this thread --reads both files--> CertificateInForce --> the next handshake
//
// 1. Two files are never replaced in one step. What does not belong together is told once and not used, and what comes
//    next is looked at again.
// 2. A file that is being written is half of one: nothing is read before it has been quiet for a moment.
// 3. The thread sleeps until something changes, it is woken, or the certificate begins or ends to count. The host's
//    clock may be set meanwhile, so it looks once a day at least; and every minute where a folder on the way may only be
//    entered, of which nobody is told anything.

import Glibc
import Platform
import Synchronization

public final class CertificateWatch: Sendable {
    private let inForce: CertificateInForce
    private let tell: @Sendable (CertificateInForce.Change) -> Void
    private let wakeEvent: WakeEvent
    private let isStopping = Mutex(false)
    private let thread = Mutex<Thread?>(nil)

    /// Milliseconds without a change after which the files are read, and how often that is waited for at most.
    private static let (quiet, patience): (Int32, Int) = (200, 20)
    private static let (minute, day): (Int64, Int64) = (60, 86_400)

    /// - Parameter tell: called on the watch's thread with what came of each look, also when nothing did: then the
    ///   certificate may have begun, or ended, to count.
    public init(
        _ inForce: CertificateInForce, tell: @escaping @Sendable (CertificateInForce.Change) -> Void
    ) throws(HTTPServerError) {
        self.inForce = inForce
        self.tell = tell
        wakeEvent = try .made()
        thread.withLock { $0 = Thread { [self] in run() } }
    }

    /// Has the files read again now.
    public func look() { wakeEvent.signal() }

    /// Returns when the thread has ended. A second call does nothing.
    public func stop() {
        isStopping.withLock { $0 = true }
        wakeEvent.signal()
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        while !isStopping.withLock({ $0 }) {
            let folders = FolderWatch(of: [inForce.files.certificate, inForce.files.key])
            tell(inForce.renew())
            let longest = folders.seesAll ? Self.day : Self.minute
            wakeEvent.wait(until: MonotonicClock.nanoseconds() + sleep(longest), orReadable: folders.descriptor)
            settle(folders)
        }
    }

    private func settle(_ folders: borrowing FolderWatch) {
        var entry = pollfd(fd: folders.descriptor, events: Int16(POLLIN), revents: 0)
        for _ in 0..<Self.patience {
            guard poll(&entry, 1, entry.revents == 0 ? 0 : Self.quiet) > 0 else { return }
            folders.empty()
        }
    }

    /// Nanoseconds until the certificate has to be looked at again.
    ///
    /// - Parameter longest: seconds.
    private func sleep(_ longest: Int64) -> UInt64 {
        let now = Int64(time(nil))
        let validity = inForce.value.validity
        let next = [validity.lowerBound, validity.upperBound + 1].filter { $0 > now }.min() ?? .max
        return UInt64(min(longest, next - now)) * 1_000_000_000
    }
}
