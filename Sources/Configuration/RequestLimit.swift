/// How many requests a client may make in a window of time.
public struct RequestLimit: Sendable, Equatable {
    /// 1...1000000; nil: as many as it likes.
    public let count: Int?

    public static let unlimited = RequestLimit(count: nil)

    public init(count: Int?) { self.count = count }

    static let allowed = "1 to 1000000, or unlimited"

    /// A number or "unlimited", which MeshMonitor also takes as 0 and -1; nil for anything else.
    public init?(_ text: String) {
        switch (text.lowercased(), Int(text)) {
        case ("unlimited", _), (_, 0), (_, -1): self = .unlimited
        case (_, let count?) where (1...1_000_000).contains(count): self.init(count: count)
        default: return nil
        }
    }
}
