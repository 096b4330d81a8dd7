import Glibc
import Platform
import Store
import Systemd
import Terminal

/// Tells how far an older database is on its way to the present format: a line on a terminal, the journal, the service
/// manager. Ctrl-C, or the manager's wish that the service ends, ends it.
final class UpgradeReport: UpgradeObserver {
    private let manager: ServiceManager?
    private let progress = Progress()
    private var upgrade: Upgrade?
    private let begunAt = MonotonicClock.nanoseconds()
    private var toldAt: UInt64 = 0
    private var fraction = 0.0
    private var blocked = sigset_t()

    /// SIGTERM or SIGINT, when it was one of them that ended it.
    private(set) var signal: Int32?

    /// Seconds that the service manager waits for the next word. Half an hour's work between two is unheard of, but a slow
    /// card may take minutes for a single call.
    static let patience: UInt64 = 600

    /// From now on these signals wait to be looked at.
    init(_ manager: ServiceManager? = nil) {
        self.manager = manager
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, &blocked)
    }

    /// From now on signals do what they did before.
    func end() {
        progress.end()
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
    }

    func begin(_ upgrade: Upgrade) {
        self.upgrade = upgrade
        let free = upgrade.free.map { ", and there are \(Terminal.sizeInWords(UInt64(max(0, $0))))" } ?? ""
        let line =
            "bringing the database \(upgrade.path) (\(sizeInWords(UInt64(upgrade.size)))) from format \(upgrade.from) to "
            + "\(upgrade.to); this needs at most \(sizeInWords(UInt64(upgrade.room))) of free disk space\(free). It may be "
            + "interrupted; then the next start begins again."
        say(line)
        tell()
    }

    func removed(readings: Int) {
        progress.end()
        say(
            readings == 1
                ? "1 reading that had been stored twice was removed"
                : "\(readings) readings that had been stored twice were removed")
    }

    private func say(_ line: String) {
        if StandardError.isJournal {
            StandardError.writeToJournal(printable(line), priority: 5)
        } else {
            writeToStandardError("mesh-gateway: \(printable(line))\n")
        }
    }

    func progress(_ fraction: Double) { self.fraction = fraction }

    var isInterrupted: Bool {
        if MonotonicClock.nanoseconds() - toldAt >= 1_000_000_000 { tell() }
        var pending = sigset_t()
        sigpending(&pending)
        signal = [SIGTERM, SIGINT].first { sigismember(&pending, $0) == 1 }
        return signal != nil
    }

    private func tell() {
        toldAt = MonotonicClock.nanoseconds()
        guard let upgrade else { return }
        let seconds = (toldAt - begunAt) / 1_000_000_000
        let line =
            "bringing the database to format \(upgrade.to): \(Int(fraction * 100)) %"
            + (seconds > 0 ? ", for \(seconds / 60) min \(seconds % 60) s" : "")
        progress.show(line)
        manager?.extendTimeout(seconds: Self.patience)
        manager?.status(line)
    }
}
