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
