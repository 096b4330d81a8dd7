/// How much goes into the log, from everything to errors alone.
public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error

    /// The level of that name, in any case.
    public init?(name: String) { self.init(rawValue: name.lowercased()) }

    static var allNames: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
