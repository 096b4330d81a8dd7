import Folders
import Store

// The rule that is in force without a file: while an app or a browser has registered, direct messages are told, so that they
// hear something before anybody has written a rule. A file of its name replaces it, also one that is switched off or broken.

extension RuleFile {
    /// What `direct-message.conf` would be.
    public static let builtIn: RuleFile = {
        var file = RuleFile("when = direct message\n", name: "direct-message", path: "")
        file.isBuiltIn = true
        return file
    }()
}

extension RunningRules.State {
    /// With the built-in rule in force if no file has its name.
    ///
    /// - Parameter change: if the rule is new then, it sees what came after this change; nil: what comes from now on.
    func withBuiltInRule(since change: Int64? = nil) -> Self {
        guard var rule = RuleFile.builtIn.rule else { return self }
        rule.since = change
        return adding(.builtIn, rule)
    }

    var hasBuiltInRule: Bool { files.contains(where: \.isBuiltIn) }
}

extension RunningRules {
    /// The active rules that tell something, the built-in one included while nobody has registered: what a registration may name.
    public var telling: [(name: String, isBuiltIn: Bool)] {
        let state = state.withBuiltInRule()
        return state.inForce.filter { $0.isEnabled && $0.tells }.map { rule in
            (rule.name, state.files.contains { $0.name == rule.name && $0.isBuiltIn })
        }
    }
}

extension Engine {
    /// Lets a new rule that begins at an earlier change see what came since.
    ///
    /// - Parameter changes: of messages only: the engine knows everything else already.
    mutating func recall(
        _ changes: [StoredChange], for name: String, _ facts: any RuleFacts, at now: Moment
    ) throws {
        let all = active
        active = all.filter { $0.rule.name == name }
        for change in changes { try take(change, facts, at: now) }
        let recalled = active
        active = all.map { one in recalled.first { $0.rule.name == one.rule.name } ?? one }
    }
}
