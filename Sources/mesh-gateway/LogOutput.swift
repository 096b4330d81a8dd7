import Glibc
import Logging
import Synchronization

/// Writes log lines to standard error: with a time for people, with a priority for the journal, which adds its own.
struct LogOutput: LogHandler {
    private let threshold: LogThreshold
    var logLevel: Logger.Level {
        get { threshold.level }
        set { threshold.level = newValue }
    }
    var metadata: Logger.Metadata = [:]
    private let toJournal = getenv("JOURNAL_STREAM") != nil

    init(_ threshold: LogThreshold) { self.threshold = threshold }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let prefix = toJournal ? "<\(Self.priority(of: event.level))>" : "\(Self.timestamp()) \(event.level): "
        // Of several radios, the one that it is about.
        let device = metadata["device"].map { "\($0): " } ?? ""
        writeToStandardError("\(prefix)\(device)\(event.message)\n")
    }

    /// syslog's priorities.
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func timestamp() -> String { localTime(milliseconds: Int64(time(nil)) * 1000, utc: false) }
}

/// What is logged at all; one for all loggers of the process, so that it can be changed while they are in use.
final class LogThreshold: Sendable {
    private let state: Mutex<Logger.Level>

    init(_ level: Logger.Level) { state = Mutex(level) }

    var level: Logger.Level {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
