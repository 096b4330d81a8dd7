/// What of an example the rules in force watch already.
public enum ExampleOverlap: Hashable, Sendable {
    case none
    /// The rule of this name watches all of it.
    case all(by: String)
    /// - Parameters:
    ///   - names: of the rules, in a list.
    ///   - rest: the value of `node =` for what they do not watch.
    case some(by: String, rest: String)
}

extension ExampleRule {
    /// - Parameter rules: those of the folder.
    public func overlap(with rules: [Rule]) -> ExampleOverlap {
        guard let own = RuleFile(text(), name: name, path: "").rule, own.when.watchesMuch else { return .none }
        let same = rules.filter { $0.isEnabled && $0.when.tells(own.when) && $0.conditions.chooseNodesAlone }
        if let all = same.first(where: { $0.conditions.nodes == nil }) { return .all(by: all.name) }
        let chosen = same.compactMap { rule in rule.conditions.nodes.map { (rule.name, $0) } }
        let (others, some) = (chosen.filter(\.1.isNegated), chosen.filter { !$0.1.isNegated })
        if let (name, nodes) = others.first { return .some(by: name, rest: nodes.list) }
        guard !some.isEmpty else { return .none }
        let isOfFavourites = some.contains { $0.1.areFavourites }
        var names: [String] = isOfFavourites ? ["favourites"] : []
        for name in some.flatMap(\.1.names) where !names.contains(name) { names.append(name) }
        return .some(
            by: some.map(\.0).joined(separator: ", "), rest: "not " + names.joined(separator: ", "))
    }
}

extension Trigger {
    /// It would tell much of what another rule tells already.
    fileprivate var watchesMuch: Bool {
        switch self {
        case .value, .silent, .rebooted: true
        default: false
        }
    }

    /// Whatever fires a rule with the other trigger has fired one with this, not later.
    fileprivate func tells(_ other: Trigger) -> Bool {
        switch (self, other) {
        case (.silent(let time), .silent(let wanted)): time <= wanted
        case (.value(let limit), .value(let wanted)):
            limit.name == wanted.name && limit.isBelow == wanted.isBelow && limit.lasting <= wanted.lasting
                && (limit.isBelow ? limit.limit >= wanted.limit : limit.limit <= wanted.limit)
        case (.rebooted, .rebooted): true
        default: false
        }
    }
}

extension Conditions {
    /// Nothing but the node decides.
    fileprivate var chooseNodesAlone: Bool {
        channels.isEmpty && hops == nil && roles.isEmpty && way == nil && radios.isEmpty
    }
}

extension Conditions.Nodes {
    /// As a file has them, without `not`.
    fileprivate var list: String { ((areFavourites ? ["favourites"] : []) + names).joined(separator: ", ") }
}
