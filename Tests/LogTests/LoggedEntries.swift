import Log
import Synchronization

/// A sink that keeps what was logged.
final class LoggedEntries: Sendable {
    private let entries = Mutex<[LogEntry]>([])

    func logger(_ threshold: LogThreshold) -> Logger {
        Logger(threshold) { [self] entry in entries.withLock { $0.append(entry) } }
    }

    var all: [LogEntry] { entries.withLock { $0 } }
    var texts: [String] { all.map(\.text) }
}
