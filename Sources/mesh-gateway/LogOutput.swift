import Glibc
import Logging

/// Writes log lines to standard error: with a time for people, with a priority for the journal, which adds its own.
struct LogOutput: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let toJournal = getenv("JOURNAL_STREAM") != nil

    init(level: Logger.Level) { logLevel = level }

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
