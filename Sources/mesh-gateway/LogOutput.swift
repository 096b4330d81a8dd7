import Glibc
import Logging
import Synchronization
import Systemd
import Terminal

/// Writes log lines to standard error, with a time for people; or to the journal, with their fields.
struct LogOutput: LogHandler {
    private let threshold: LogThreshold
    var logLevel: Logger.Level {
        get { threshold.level }
        set { threshold.level = newValue }
    }
    var metadata: Logger.Metadata = [:]

    private let namesDevices: Bool

    /// - Parameter namesDevices: there are several radios: a line says which one it is about.
    init(_ threshold: LogThreshold, namesDevices: Bool = false) {
        self.threshold = threshold
        self.namesDevices = namesDevices
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let device = namesDevices ? metadata["device"].map { "\($0): " } ?? "" : ""
        // Nodes and the radio have a say in it: it stays one line, whatever they say.
        let line = printable("\(device)\(event.message)")
        guard StandardError.isJournal else {
            return writeToStandardError("\(Self.timestamp()) \(event.level): \(line)\n")
        }
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.map { (key: $0.key, value: "\($0.value)") }
        StandardError.writeToJournal(line, priority: Self.priority(of: event.level), fields)
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

/// Where standard error goes.
enum StandardError {
    static let isJournal = Journal.keepsStandardError()
    private static let journal = isJournal ? Journal() : nil

    /// - Parameter fields: beside message and priority. Without the journal's socket they are left out: a line is all
    ///   that fits, with its priority before it (sd-daemon(3)).
    static func writeToJournal(_ line: String, priority: Int, _ fields: [(key: String, value: String)] = []) {
        if journal?.write(line, priority: priority, metadata: fields) == true { return }
        writeToStandardError("<\(priority)>\(line)\n")
    }
}
