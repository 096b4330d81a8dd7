/// A target that rules tell, and that gets nothing.
public struct TargetInVain: Hashable, Sendable {
    public let target: String
    /// Names of the rules.
    public let rules: [String]
    /// It is there, and only learns that the gateway is alive.
    public let isAlive: Bool

    public init(target: String, rules: [String], isAlive: Bool) {
        (self.target, self.rules, self.isAlive) = (target, rules, isAlive)
    }

    /// What is wrong, and what to do.
    public var sentence: String {
        let who = rules.count == 1 ? "The rule \(rules[0]) tells" : "The rules \(rules.joined(separator: ", ")) tell"
        return isAlive
            ? "\(who) \(target), which only learns that the gateway is alive: name another one in `tell`."
            : "\(who) \(target), and there is no such target: \(command ?? "")"
    }

    /// What to type; nil: the rule's file is to be changed.
    public var command: String? { isAlive ? nil : "sudo mesh-gateway target add \(target) ntfy" }

    /// - Parameters:
    ///   - tells: rules with the targets that they name.
    ///   - targets: those that are there, by name, and whether they only learn that the gateway is alive.
    public static func all(_ tells: [(rule: String, targets: [String])], _ targets: [String: Bool]) -> [TargetInVain] {
        var rules: [String: [String]] = [:]
        for tell in tells {
            for target in Set(tell.targets) { rules[target, default: []].append(tell.rule) }
        }
        return rules.sorted { $0.key < $1.key }.compactMap { target, names in
            guard let isAlive = targets[target] else {
                return TargetInVain(target: target, rules: names, isAlive: false)
            }
            return isAlive ? TargetInVain(target: target, rules: names, isAlive: true) : nil
        }
    }
}
