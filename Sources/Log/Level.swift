import Synchronization

extension Logger {
    /// How much an entry matters, from the least to the most.
    public enum Level: UInt8, CaseIterable, Comparable, AtomicRepresentable, CustomStringConvertible, Sendable {
        case trace, debug, info, notice, warning, error, critical

        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

        /// The name that `log-level` has for it.
        public var description: String {
            switch self {
            case .trace: "trace"
            case .debug: "debug"
            case .info: "info"
            case .notice: "notice"
            case .warning: "warning"
            case .error: "error"
            case .critical: "critical"
            }
        }

        /// Its priority in syslog(3), which has none below debug.
        public var priority: Int {
            switch self {
            case .trace, .debug: 7
            case .info: 6
            case .notice: 5
            case .warning: 4
            case .error: 3
            case .critical: 2
            }
        }
    }
}
