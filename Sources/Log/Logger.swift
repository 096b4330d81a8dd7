import Synchronization

/// Says what happens, in one line an entry. What an entry looks like, and where it goes, is the sink's business.
///
/// A copy can have more fields than its original; both go by one threshold and write to one sink.
public struct Logger: Sendable {
    /// What every entry carries beside its text, such as the radio that it is about.
    public var fields: [String: String]
    private let threshold: LogThreshold
    private let sink: @Sendable (LogEntry) -> Void

    /// - Parameter sink: takes each entry that the threshold lets pass. It is called on the thread that logs, so on
    ///   several at a time.
    public init(
        _ threshold: LogThreshold, fields: [String: String] = [:], sink: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.threshold = threshold
        self.fields = fields
        self.sink = sink
    }

    /// Logs nothing.
    public static var silent: Logger { Logger(LogThreshold(.critical)) { _ in } }

    /// - Parameters:
    ///   - text: made only when its level is on, and so are the fields.
    ///   - fields: of this entry. They win over those of the logger.
    public func log(
        _ level: Level, _ text: @autoclosure () -> String, fields more: @autoclosure () -> [String: String] = [:]
    ) {
        guard level >= threshold.level else { return }
        sink(LogEntry(level: level, text: text(), fields: fields.merging(more()) { $1 }))
    }

    public func trace(_ text: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]) {
        log(.trace, text(), fields: fields())
    }

    public func debug(_ text: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]) {
        log(.debug, text(), fields: fields())
    }

    public func info(_ text: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]) {
        log(.info, text(), fields: fields())
    }

    public func notice(_ text: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]) {
        log(.notice, text(), fields: fields())
    }

    public func warning(_ text: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]) {
        log(.warning, text(), fields: fields())
    }

    public func error(_ text: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]) {
        log(.error, text(), fields: fields())
    }
}

public struct LogEntry: Hashable, Sendable {
    public var level: Logger.Level
    /// As it was said: it can have line ends and control characters from the mesh in it.
    public var text: String
    public var fields: [String: String]
}

/// What is logged at all; one for all loggers of the process, so that it can be changed while they are in use.
public final class LogThreshold: Sendable {
    private let state: Atomic<Logger.Level>

    public init(_ level: Logger.Level) { state = Atomic(level) }

    /// The lowest level that is on.
    public var level: Logger.Level {
        // Nothing else depends on it: an entry that is made meanwhile may go by either level.
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}
