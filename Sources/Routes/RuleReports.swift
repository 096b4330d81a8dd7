import Folders
import JSON
import MeshModel
import Store

// The rules as they are shown: one shape for the command line and for REST (deploy/schemas/rules.json, rule-log.json).

/// A rule as its file and the daemon know it.
public struct RuleReport: Sendable {
    public let name: String
    /// In kebab-case.
    public let type: String?
    /// Its settings, a line each.
    public let text: String
    public let isEnabled: Bool
    /// It may be so although its file has mistakes by now.
    public let isInForce: Bool
    /// It waits for a state, which begins and ends.
    public let isOfState: Bool
    public let mistakes: [Mistake]

    public init(
        name: String, type: String?, text: String, isEnabled: Bool, isInForce: Bool, isOfState: Bool = false,
        mistakes: [Mistake] = []
    ) {
        (self.name, self.type, self.text) = (name, type, text)
        (self.isEnabled, self.isInForce, self.isOfState, self.mistakes) = (isEnabled, isInForce, isOfState, mistakes)
    }
}

/// For which nodes a rule is, as the mesh is now.
public struct WatchedReport: Sendable {
    /// Nil: it is about no node.
    public let count: Int?
    /// Names that the rule gives and no node has, with one that is nearly the same.
    public let strangers: [(name: String, similar: String?)]
    /// It is about favourites, and no node is one.
    public let lacksFavourites: Bool

    public init(count: Int?, strangers: [(name: String, similar: String?)], lacksFavourites: Bool) {
        (self.count, self.strangers, self.lacksFavourites) = (count, strangers, lacksFavourites)
    }
}

/// Why a rule has told nothing although its trigger came.
public struct NearMissReport: Sendable {
    public let rule: String
    /// Host milliseconds.
    public let at: Int64
    public let source: SourceID?
    public let node: NodeNumber?
    public let messageID: String?
    /// What it takes to see it.
    public let need: FeedRow.Need
    /// In words.
    let condition: String

    public init(
        rule: String, at time: Int64, source: SourceID?, node: NodeNumber?, messageID: String?, need: FeedRow.Need,
        condition: String
    ) {
        (self.rule, at, self.source, self.node) = (rule, time, source, node)
        (self.messageID, self.need, self.condition) = (messageID, need, condition)
    }
}

/// What a rule would tell.
public struct RuleTestReport: Sendable {
    /// In kebab-case.
    let type: String
    /// Host milliseconds since when what has happened is known.
    let since: Int64?
    /// How far that goes, or what came of an event.
    let reach: String
    let count: Int
    /// The newest first.
    public var firings: [RuleFiring]
    public var near: [NearMissReport]

    public init(
        type: String, since: Int64?, reach: String, count: Int, firings: [RuleFiring], near: [NearMissReport]
    ) {
        (self.type, self.since, self.reach) = (type, since, reach)
        (self.count, self.firings, self.near) = (count, firings, near)
    }

    /// Those that may be seen, at most so many of each.
    ///
    /// - Parameter isSeen: by what it takes to see them.
    public func filtered(limit: Int, _ isSeen: (Set<FeedRow.Need>) -> Bool) -> RuleTestReport {
        let firings = firings.filter { isSeen($0.row.needs) }
        let count = firings.count == self.firings.count ? count : firings.count
        return RuleTestReport(
            type: type, since: since, reach: reach, count: count, firings: Array(firings.prefix(limit)),
            near: Array(near.filter { isSeen([$0.need]) }.prefix(limit)))
    }
}

/// What the daemon's rules tell of themselves, and what they can be asked to do.
public struct RulesDoor: Sendable {
    public struct Report: Sendable {
        public let folder: String
        public let rules: [RuleReport]
        /// Of the folder itself.
        public let mistakes: [Mistake]
        /// Why none of them is at work.
        public let obstacle: Obstacle?

        public init(folder: String, rules: [RuleReport], mistakes: [Mistake], obstacle: Obstacle? = nil) {
            (self.folder, self.rules, self.mistakes, self.obstacle) = (folder, rules, mistakes, obstacle)
        }
    }

    public let report: @Sendable () -> Report
    /// Of all rules, the newest first.
    public let nearMisses: @Sendable () -> [NearMissReport]
    /// What a rule would have told, by what is stored; with an event by hand, what it would tell of that; with a target,
    /// as that would get it. Throws an ``APIError``, or what the store throws.
    public let test: @Sendable (_ name: String, _ event: String?, _ target: String?, Reader) throws -> RuleTestReport
    /// For which nodes a rule is; nil: its file is gone, or has a mistake.
    public let watched: @Sendable (_ name: String, Reader) throws -> WatchedReport?
    /// Reads the folder again.
    public let reload: @Sendable () -> Void

    public init(
        report: @escaping @Sendable () -> Report,
        nearMisses: @escaping @Sendable () -> [NearMissReport] = { [] },
        test: @escaping @Sendable (String, String?, String?, Reader) throws -> RuleTestReport,
        watched: @escaping @Sendable (String, Reader) throws -> WatchedReport? = { _, _ in nil },
        reload: @escaping @Sendable () -> Void
    ) {
        (self.report, self.nearMisses, self.test, self.reload) = (report, nearMisses, test, reload)
        self.watched = watched
    }
}

/// A rule with what the database has of it.
public struct ShownRule {
    let report: RuleReport
    let row: RuleRow?
    /// States that last.
    let open: Int
    let last: RuleFiring?
    /// Those of a rule that waits for a state, with what each is about.
    var states: [OpenState]
    /// Nil where nobody asks.
    public var watched: WatchedReport?

    struct OpenState {
        let name: String
        /// Host milliseconds.
        let since: Int64
        /// Not if it was so already when the rule was read.
        let isTold: Bool
        /// What its reader must be allowed to see.
        let need: FeedRow.Need
    }

    /// With those states only that a reader may see.
    public func withStates(for maySee: (FeedRow.Need) -> Bool) -> ShownRule {
        var shown = self
        shown.states.removeAll { !maySee($0.need) }
        return shown
    }
}

extension Reader {
    /// The rules, by name.
    ///
    /// - Parameters:
    ///   - report: nil: no daemon runs, and those are shown that were in force when one ran last.
    ///   - withStates: with the names of the nodes of which a rule's state holds now.
    public func shownRules(
        _ report: RulesDoor.Report?, named name: String? = nil, withStates: Bool = false
    ) throws -> [ShownRule] {
        let rows = try rules()
        let reports =
            report?.rules
            ?? rows.map { RuleReport(name: $0.name, type: nil, text: $0.settings, isEnabled: true, isInForce: false) }
        return try reports.filter { name == nil || $0.name == name }.map { report in
            let open = try episodes(of: report.name).filter { !$0.isWaiting }
            let states = try withStates && report.isOfState ? open.map(shown) : []
            return ShownRule(
                report: report, row: rows.first { $0.name == report.name }, open: open.count,
                last: try firings(of: report.name, limit: 1).first,
                states: states.sorted { ($0.since, $0.name) < ($1.since, $1.name) })
        }
    }

    private func shown(_ episode: Episode) throws -> ShownRule.OpenState {
        let parts = episode.subject.split(separator: ":").map(String.init)
        var need = FeedRow.Need.info
        let name: String
        switch (parts.first, parts.last) {
        case ("node", let id?):
            let node = try NodeNumber(id: id).flatMap { try self.node($0, in: episode.source) }
            name = node.map { $0.nickname ?? $0.shownLongName } ?? id
            need = .node(channel: node?.channel)
        case ("radio", _): name = try sources().first { $0.id == episode.source }?.source.name ?? "the radio"
        case ("problem", let problem?): name = problem
        default: name = "the gateway"
        }
        return ShownRule.OpenState(name: name, since: episode.beganAt, isTold: episode.toldAt != nil, need: need)
    }
}

extension JSONWriter {
    /// The members behind schema and via.
    public mutating func rules(_ rules: [ShownRule], _ report: RulesDoor.Report?, showsFiles: Bool) {
        member("folder", showsFiles ? report?.folder : nil)
        key("rules")
        array { json in for rule in rules { json.rule(rule, showsFiles: showsFiles) } }
        key("mistakes")
        array { json in for mistake in report?.mistakes ?? [] { json.mistake(mistake, showsFiles: showsFiles) } }
    }

    private mutating func rule(_ rule: ShownRule, showsFiles: Bool) {
        object { json in
            json.member("name", rule.report.name)
            json.member("type", rule.report.type)
            json.key("settings")
            json.array { json in
                for line in rule.report.text.split(separator: "\n") {
                    let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
                    json.object { json in
                        json.member("key", parts.first ?? "")
                        json.member("value", parts.count > 1 ? parts[1] : "")
                    }
                }
            }
            json.member("enabled", rule.report.isEnabled)
            json.member("inForce", rule.report.isInForce)
            json.member("since", rule.row.map { ISO8601.text($0.at) })
            json.member("open", rule.open)
            json.member("lastFiredAt", rule.last.map { ISO8601.text($0.row.createdAt) })
            json.key("mistakes")
            json.array { json in for mistake in rule.report.mistakes { json.mistake(mistake, showsFiles: showsFiles) } }
            json.key("states")
            json.states(rule.states)
            json.key("watched")
            json.watched(showsFiles ? rule.watched : nil)
        }
    }

    private mutating func states(_ states: [ShownRule.OpenState]) {
        array { json in
            for state in states {
                json.object { json in
                    json.member("name", state.name)
                    json.member("since", ISO8601.text(state.since))
                    json.member("told", state.isTold)
                }
            }
        }
    }

    private mutating func watched(_ watched: WatchedReport?) {
        guard let watched else { return null() }
        object { json in
            json.member("nodes", watched.count)
            json.key("strangers")
            json.array { json in
                for stranger in watched.strangers {
                    json.object { json in
                        json.member("name", stranger.name)
                        json.member("similar", stranger.similar)
                    }
                }
            }
            json.member("lacksFavourites", watched.lacksFavourites)
        }
    }

    mutating func mistake(_ mistake: Mistake, showsFiles: Bool) {
        object { json in
            json.member("file", showsFiles ? mistake.file : mistake.file.split(separator: "/").last.map(String.init))
            json.member("line", mistake.line)
            json.member("message", mistake.text)
        }
    }

    /// The members behind schema and via.
    ///
    public mutating func ruleLog(
        _ name: String, _ firings: [RuleFiring], near: [NearMissReport], uuid: (SourceID) -> String?
    ) {
        member("rule", name)
        said(firings, near, uuid: uuid)
    }

    /// The members behind schema and via.
    public mutating func ruleTest(_ name: String, _ test: RuleTestReport, uuid: (SourceID) -> String?) {
        member("rule", name)
        member("type", test.type)
        member("since", test.since.map { ISO8601.text($0) })
        member("reach", test.reach)
        member("count", test.count)
        said(test.firings, test.near, showsBodies: true, uuid: uuid)
    }

    /// What rules have told, and what they have not.
    ///
    /// - Parameter showsBodies: a rule's log keeps titles alone.
    public mutating func said(
        _ firings: [RuleFiring], _ near: [NearMissReport], showsBodies: Bool = false, uuid: (SourceID) -> String?
    ) {
        key("firings")
        array { json in
            for firing in firings {
                json.firing(firing, showsBody: showsBodies, source: firing.row.source.flatMap(uuid))
            }
        }
        key("nearMisses")
        array { json in for miss in near { json.nearMiss(miss, source: miss.source.flatMap(uuid)) } }
    }

    private mutating func nearMiss(_ miss: NearMissReport, source: String?) {
        object { json in
            json.member("rule", miss.rule)
            json.member("at", ISO8601.text(miss.at))
            json.member("condition", miss.condition)
            json.member("nodeId", miss.node?.id)
            json.member("messageId", miss.messageID)
            json.member("sourceId", source)
        }
    }

    /// A line of a rule's log.
    private mutating func firing(_ firing: RuleFiring, showsBody: Bool, source: String?) {
        let row = firing.row
        object { json in
            json.member("id", row.uuid)
            json.member("rule", row.rule)
            json.member("at", ISO8601.text(row.createdAt))
            json.member("fate", firing.fate.word)
            json.member("type", row.type)
            json.member("title", row.title)
            json.member("state", row.state.map { "\($0)" })
            json.member("episode", row.episode)
            json.member("nodeId", row.node?.id)
            json.member("messageId", row.messageID)
            json.member("sourceId", source)
            if showsBody { json.member("body", row.body) }
        }
    }
}

extension APIError {
    public static func noRule(_ name: String) -> APIError {
        .notFound("There is no rule \"\(name)\"; mesh-gateway rule list shows them")
    }
}

extension RuleFiring.Fate {
    public var word: String {
        switch self {
        case .told: "told"
        case .counted: "counted"
        case .old: "old"
        }
    }
}
