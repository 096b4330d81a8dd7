/// How many requests a client may make in a window of time.
public enum RequestLimit: Sendable, Equatable {
    case unlimited
    /// 1...1000000.
    case count(Int)

    static let allowed = "1 to 1000000, or unlimited"

    /// A number or "unlimited", which MeshMonitor also takes as 0 and -1; nil for anything else.
    public init?(_ text: String) {
        switch (text.lowercased(), Int(text)) {
        case ("unlimited", _), (_, 0), (_, -1): self = .unlimited
        case (_, let count?) where (1...1_000_000).contains(count): self = .count(count)
        default: return nil
        }
    }
}
