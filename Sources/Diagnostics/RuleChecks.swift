import MeshModel

// What the gateway notices.

let ruleChecks = [Check("rules", rules)]

/// What is known of the rules.
public struct RuleFacts: Hashable, Sendable {
    /// One as the daemon has it.
    public struct Standing: Hashable, Sendable {
        public var name: String
        /// Its file does not switch it off.
        public var isEnabled: Bool
        public var isInForce: Bool

        public init(name: String, isEnabled: Bool = true, isInForce: Bool = true) {
            (self.name, self.isEnabled, self.isInForce) = (name, isEnabled, isInForce)
        }
    }

    /// Of all files.
    public var names: [String] = []
    /// Nil: no daemon could be asked.
    public var standings: [Standing]?

    public init() {}
}

private func rules(_ facts: Facts) -> Check.Finding {
    let names = facts.rules.names
    guard !names.isEmpty else { return .skipped("There are no rules.") }
    if let mistake = facts.settings.ruleMistakes.first {
        return .warning(
            "\(Problem.Kind.ruleBroken): \(mistake)" + (mistake.hasSuffix("?") ? "" : "."),
            fix: "mesh-gateway rule list")
    }
    guard let standings = facts.rules.standings else {
        return .skipped("No daemon to ask whether the rules are in force.")
    }
    let idle = names.filter { name in !standings.contains { $0.name == name && ($0.isInForce || !$0.isEnabled) } }
    guard let first = idle.first else {
        let off = standings.count { !$0.isEnabled }
        let count = standings.count - off
        return .ok(
            (count == 1 ? "1 rule is in force" : "\(count) rules are in force")
                + (off > 0 ? ", \(off) switched off." : "."))
    }
    let more = idle.count > 1 ? " Nor are \(idle.count - 1) more." : ""
    return .warning(
        "The rule \(first) is not in force: the service has not read its file.\(more)",
        fix: "sudo systemctl reload mesh-gateway")
}
