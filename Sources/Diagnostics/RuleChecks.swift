import MeshModel
import Terminal

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
        /// How often it has acted in the last day, and how often that came to nothing.
        public var (sent, skipped): (Int, Int)

        public init(
            name: String, isEnabled: Bool = true, isInForce: Bool = true, sent: Int = 0, skipped: Int = 0
        ) {
            (self.name, self.isEnabled, self.isInForce) = (name, isEnabled, isInForce)
            (self.sent, self.skipped) = (sent, skipped)
        }

        /// Most of its acts come to nothing.
        fileprivate var isHeldBack: Bool { isInForce && skipped > sent }
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
        if let held = standings.filter(\.isHeldBack).max(by: { $0.skipped < $1.skipped }) {
            let acted = held.sent == 0 ? "has not acted" : "has acted \(timesInWords(Int64(held.sent)))"
            return .warning(
                "The rule \(held.name) \(acted) in the last day, and was skipped \(timesInWords(Int64(held.skipped))).",
                fix: "mesh-gateway rule log \(held.name)")
        }
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
