import Folders
import JSON
import MeshModel
import Platform
import Store

// The rules as they are shown: one shape for the command line and for REST (deploy/schemas/rules.json).

/// A rule as its file and the daemon know it.
struct ShownRule {
    let name: String
    let rule: Rule?
    /// It may be so although its file has mistakes by now.
    let isInForce: Bool
    let isBuiltIn: Bool
    let mistakes: [Mistake]

    fileprivate init(_ file: RuleFile, _ state: RunningRules.State) {
        let inForce = state.inForce(file.name)
        (name, rule, isInForce) = (file.name, inForce ?? file.rule, inForce?.isEnabled ?? false)
        (isBuiltIn, mistakes) = (file.isBuiltIn, file.mistakes)
    }
}

/// A state that lasts, of a rule that waits for one.
struct OpenState {
    /// What it is about.
    let name: String
    /// Host milliseconds.
    let since: Int64
    /// Not if it was so already when the rule was read.
    let isTold: Bool
    /// What its reader must be allowed to see.
    let need: FeedRow.Need
}

/// The rules of a folder with what the database has of them.
public struct ShownRules: Sendable {
    fileprivate let folder: String
    fileprivate let rows: [ShownRow]
    fileprivate let mistakes: [Mistake]
    /// Milliseconds that rules have sent in the last hour.
    fileprivate let airtime: Int64

    /// - Parameter maySee: by what it takes to see something.
    public init(
        _ state: RunningRules.State, in folder: RulesFolder, _ wanted: RowsWanted, _ reader: Reader,
        limits: ActLimits = ActLimits(), maySee: (Set<FeedRow.Need>) -> Bool
    ) throws {
        let known = try reader.rules()
        rows = try state.files.filter { wanted.includes($0.name) }.map { file in
            try ShownRow(ShownRule(file, state), known, wanted, folder, reader, limits, maySee)
        }
        (self.folder, mistakes) = (folder.path, state.mistakesOfFolder)
        let hourAgo = WallClock.milliseconds() - ActQueue.window
        airtime = try reader.sentActs(since: hourAgo).reduce(0) { $0 + $1.airtime }
    }
}

/// A rule with what the database has of it.
struct ShownRow: Sendable {
    let rule: ShownRule
    let row: RuleRow?
    /// How many states last.
    let open: Int
    /// Those of them that may be seen.
    let states: [OpenState]
    let last: RuleFiring?
    /// What its acts of the last day came to; nil: it does not act.
    let acts: ActCounts?
    /// For how many nodes it has acted, as one that does so once for each.
    let actedNodes: Int?
    /// Nil where nobody asks.
    let watched: WatchedNodes?
    /// The same, and where it does not act.
    let cost: ActCost?

    init(
        _ rule: ShownRule, _ known: [RuleRow], _ wanted: RowsWanted, _ folder: RulesFolder, _ reader: Reader,
        _ limits: ActLimits, _ maySee: (Set<FeedRow.Need>) -> Bool
    ) throws {
        self.rule = rule
        row = known.first { $0.name == rule.name }
        let episodes = try reader.episodes(of: rule.name).filter { !$0.isWaiting }
        open = episodes.count
        let states = try rule.rule?.when.isState == true ? episodes.map { try OpenState($0, reader) } : []
        self.states = states.filter { maySee([$0.need]) }.sorted { ($0.since, $0.name) < ($1.since, $1.name) }
        last = try reader.firings(of: rule.name, limit: 1).first
        let acting = rule.rule?.acting
        acts =
            try acting == nil
            ? nil : reader.actCounts(of: rule.name, since: WallClock.milliseconds() - 86_400_000)
        actedNodes = try acting?.isOnce == true ? reader.actedNodes(of: rule.name) : nil
        // By the file as it is now: a person has just written it.
        let now = rule.isBuiltIn ? rule.rule : folder.file(named: rule.name)?.rule
        let asked = wanted.showsFiles && wanted.name != nil ? now : nil
        watched = try asked.map { try WatchedNodes($0, reader, at: WallClock.milliseconds()) }
        cost = try asked.flatMap { try ActCost($0, reader, limits) }
    }
}

extension OpenState {
    fileprivate init(_ episode: Episode, _ reader: Reader) throws {
        let parts = episode.subject.split(separator: ":").map(String.init)
        var need = FeedRow.Need.info
        switch (parts.first, parts.last) {
        case ("node", let id?):
            let node = try NodeNumber(id: id).flatMap { try reader.node($0, in: episode.source) }
            name = node?.shown ?? id
            need = .node(channel: node?.channel)
        case ("radio", _):
            name = try reader.sources().first { $0.id == episode.source }?.source.name ?? "the radio"
        case ("problem", let problem?): name = problem
        default: name = "the gateway"
        }
        (since, isTold, self.need) = (episode.beganAt, episode.toldAt != nil, need)
    }
}

extension JSONWriter {
    /// The members behind `schema` and `via`.
    public mutating func rules(_ shown: ShownRules, _ wanted: RowsWanted) {
        member("folder", wanted.showsFiles ? shown.folder : nil)
        key("rules")
        array { json in for row in shown.rows { json.row(row, showsFiles: wanted.showsFiles) } }
        mistakes(shown.mistakes, showsFiles: wanted.showsFiles)
        member("airtime", shown.airtime)
    }

    private mutating func row(_ row: ShownRow, showsFiles: Bool) {
        let rule = row.rule.rule
        object { json in
            json.member("name", row.rule.name)
            json.member("type", rule?.when.type)
            json.key("settings")
            json.array { json in
                for line in (rule?.text ?? "").split(separator: "\n") {
                    let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
                    json.object { json in
                        json.member("key", parts.first ?? "")
                        json.member("value", parts.count > 1 ? parts[1] : "")
                    }
                }
            }
            json.member("enabled", rule?.isEnabled ?? true)
            json.member("inForce", row.rule.isInForce)
            json.member("builtIn", row.rule.isBuiltIn)
            json.member("since", row.row.map { ISO8601.text($0.at) })
            json.member("open", row.open)
            json.member("lastFiredAt", row.last.map { ISO8601.text($0.row.createdAt) })
            json.mistakes(row.rule.mistakes, showsFiles: showsFiles)
            json.states(row.states)
            json.watched(row.watched)
            json.acts(row.acts, row.actedNodes)
            json.cost(row.cost)
        }
    }

    private mutating func acts(_ counts: ActCounts?, _ nodes: Int?) {
        key("acts")
        guard let counts else { return null() }
        object { json in
            json.member("sent", counts.sent)
            json.member("skipped", counts.skipped)
            json.member("lastSentAt", counts.lastAt.map { ISO8601.text($0) })
            json.member("nodes", nodes)
        }
    }

    private mutating func states(_ states: [OpenState]) {
        key("states")
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

    private mutating func watched(_ watched: WatchedNodes?) {
        key("watched")
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
}
