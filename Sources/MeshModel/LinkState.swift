/// Where the link to a radio stands.
public enum LinkState: Hashable, Sendable {
    /// No radio to open.
    case searching(Problem?)
    case opening
    /// The handshake runs; packets wait.
    case configuring
    case live
    case lost(Problem)
    /// Stopped in good order.
    case stopped

    /// What is wrong, each with a name for programs and a sentence for people.
    public struct Problem: Hashable, Sendable {
        /// Kebab-case and stable: `no-radio`, `several-radios`, `permission-denied`, `port-busy`, `unplugged`, …
        public var name: String
        /// What happened and what to do.
        public var advice: String
        /// What to type, as it stands in ``advice``; nil where typing does not help.
        public var command: String?

        public init(name: String, advice: String, command: String? = nil) {
            self.name = name
            self.advice = advice
            self.command = command
        }
    }

    public var name: String {
        switch self {
        case .searching: "searching"
        case .opening: "opening"
        case .configuring: "configuring"
        case .live: "live"
        case .lost: "lost"
        case .stopped: "stopped"
        }
    }

    public var problem: Problem? {
        switch self {
        case .searching(let problem): problem
        case .lost(let problem): problem
        default: nil
        }
    }
}
