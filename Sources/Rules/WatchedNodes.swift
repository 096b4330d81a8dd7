import Folders
import MeshModel
import Store

/// For which nodes a rule is, as the mesh is now.
public struct WatchedNodes: Sendable {
    /// A name that the rule gives and no node has.
    public struct Stranger: Hashable, Sendable {
        public let name: String
        /// A node's name that is nearly the same; nil if there is none.
        public let similar: String?
    }

    /// How many nodes it watches; nil if it watches none, but texts, strangers or the own radio.
    public private(set) var count: Int?
    public private(set) var strangers: [Stranger] = []
    /// It is about favourites, and no node is one.
    public private(set) var lacksFavourites = false

    /// - Parameter now: host milliseconds.
    public init(_ rule: Rule, _ reader: Reader, at now: Int64) throws {
        try self.init(rule, StoreFacts(reader, nil), at: now)
    }

    init(_ rule: Rule, _ facts: any RuleFacts, at now: Int64) throws {
        guard rule.when.isOfNode, !rule.isAboutOwnRadio else { return }
        let moment = Moment(at: now, uptime: Engine.settling)
        let engine = Engine(episodes: [], history: [], lastRunAt: 0, known: 0, at: moment)
        let heard = try facts.heardNodes().compactMap { heard in
            try facts.node(heard.number, in: heard.source).map { (node: $0, source: heard.source) }
        }
        if rule.when.watchesNodes {
            count = try heard.count { try engine.failed(rule, $0.node, $0.node.channel, $0.source, facts) == nil }
        }
        guard let wanted = rule.conditions.nodes else { return }
        lacksFavourites = wanted.areFavourites && !heard.contains { $0.node.isFavorite }
        let nodes =
            try heard.map(\.node)
            + facts.sources().compactMap { found in
                try found.source.nodeNumber.flatMap { try facts.node($0, in: found.id) }
            }
        let names = nodes.flatMap { [$0.nickname, $0.longName, $0.shortName].compactMap(\.self) }
        strangers = wanted.names.filter { name in !nodes.contains { $0.isCalled(name) } }
            .map { Stranger(name: $0, similar: nearestWord(to: $0, among: names)) }
    }
}

extension Trigger {
    /// It is about nodes that are there, and not about what somebody writes or who is new.
    fileprivate var watchesNodes: Bool {
        switch self {
        case .silent, .value, .rebooted, .nodeBack, .keyChanged, .entersCircle, .leavesCircle: true
        default: false
        }
    }
}

extension Rule {
    /// A value that the own radio measures, and no nodes are named.
    fileprivate var isAboutOwnRadio: Bool {
        if case .value(let threshold) = when { threshold.isOwnByItself && conditions.nodes == nil } else { false }
    }
}
