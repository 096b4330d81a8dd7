import Log

extension Logger.Level {
    /// Those that `log-level` can be. What is critical is always logged.
    static let settable = allCases.filter { $0 < .critical }

    static var allowed: String { settable.map(\.description).joined(separator: ", ") }

    /// The level of that name, in any case.
    init?(setting name: String) {
        guard let level = Self.settable.first(where: { $0.description == name.lowercased() }) else { return nil }
        self = level
    }
}
