import JSON
import MeshModel
import Store

// What rules have told and what not, as it is shown: one shape for the command line and for REST (deploy/schemas/rule-log.json,
// rule-test.json).

/// What rules have told of one thing, as far as somebody may see it.
public struct ToldByRules: Sendable {
    fileprivate let firings: [RuleFiring]
    /// How far the texts of acts have come, in one word each, by the ids of messages.
    fileprivate let deliveries: [String: String]
    fileprivate let near: [NearMiss]
    fileprivate let sources: [FoundSource]

    /// - Parameters:
    ///   - names: the rules that have files.
    ///   - near: those of all rules, the newest first.
    ///   - limit: of what they have told.
    ///   - word: says how far an own text has come.
    public init(
        about subject: RuleFiring.Subject, rules names: [String], near: [NearMiss], limit: Int, _ reader: Reader,
        maySee: (Set<FeedRow.Need>) -> Bool, sees: (FeedRow) throws -> Bool, word: (Message) -> String?
    ) throws {
        switch subject {
        case .rule(let name): firings = try reader.newestFirings(of: name, limit: limit, sees)
        case .node(let number):
            firings = Array(try reader.firings(about: number, limit: 200).filter { try sees($0.row) }.prefix(limit))
        case .message(let id):
            let (key, all) = (RuleFiring.key(ofMessage: id), Set(try reader.rules().map(\.name) + names))
            let about = try all.sorted().flatMap { rule in
                try [key, Act.key(of: key)].compactMap { try reader.firing(of: rule, key: $0) }
            }
            let found = try about + reader.firings(sending: id)
            firings = Array(try found.filter { try sees($0.row) }.prefix(limit))
        }
        deliveries = try reader.words(ofTexts: firings.compactMap(\.sent), word)
        self.near = Array(near.filter { subject.has($0) && maySee([$0.need]) }.prefix(NearMisses.kept))
        sources = try reader.sources()
    }

}

extension RuleFiring.Subject {
    fileprivate func has(_ miss: NearMiss) -> Bool {
        switch self {
        case .rule(let name): miss.rule == name
        case .node(let number): miss.node == number
        case .message(let id): miss.messageID.map(RuleFiring.key) == RuleFiring.key(ofMessage: id)
        }
    }
}

extension Reader {
    /// - Parameter ids: of own texts.
    fileprivate func words(ofTexts ids: [String], _ word: (Message) -> String?) throws -> [String: String] {
        guard !ids.isEmpty else { return [:] }
        let sources = try sources()
        var words: [String: String] = [:]
        for id in ids {
            guard let source = sources.first(where: { id.hasPrefix("\($0.source.uuid)_") })?.id else { continue }
            words[id] = try message(id: id, in: source).flatMap(word)
        }
        return words
    }

    /// Those that may be seen.
    fileprivate func newestFirings(
        of name: String, limit: Int, _ sees: (FeedRow) throws -> Bool
    ) throws -> [RuleFiring] {
        var (found, last) = ([RuleFiring](), Int64.max)
        while found.count < limit {
            let page = try firings(of: name, before: last, limit: 200)
            found += try page.filter { try sees($0.row) }
            guard let end = page.last?.row.id, page.count == 200 else { break }
            last = end
        }
        return Array(found.prefix(limit))
    }
}

extension RuleTest {
    /// What of it may be seen, at most so many of each.
    ///
    /// - Parameter maySee: by what it takes to see something.
    public func filtered(limit: Int, maySee: (Set<FeedRow.Need>) -> Bool) -> RuleTest {
        var shown = self
        shown.firings.removeAll { !maySee($0.row.needs) }
        // It may have counted more than it has kept.
        if shown.firings.count < firings.count { shown.count = shown.firings.count }
        shown.firings = Array(shown.firings.prefix(limit))
        shown.acts.removeAll { !maySee($0.row.needs) }
        if firings.isEmpty, shown.acts.count < acts.count { shown.count = shown.acts.count }
        shown.acts = Array(shown.acts.prefix(limit))
        shown.near = Array(near.filter { maySee([$0.need]) }.prefix(limit))
        return shown
    }
}

extension JSONWriter {
    /// The members `firings` and `nearMisses`.
    public mutating func told(_ told: ToldByRules) {
        self.told(told.firings, told.near, told.sources, told.deliveries)
    }

    /// The members behind `schema` and `via`.
    ///
    /// - Parameter sources: all of them.
    public mutating func ruleTest(_ name: String, _ test: RuleTest, _ sources: [FoundSource]) {
        member("rule", name)
        member("type", test.type)
        member("since", test.since.map { ISO8601.text($0) })
        member("reach", test.reach)
        member("count", test.count)
        told(test.firings, test.near, sources, showsBodies: true)
        acts(test.acts) { id in sources.first { $0.id == id }?.source.uuid }
    }

    /// - Parameter showsBodies: a rule's log keeps titles alone.
    private mutating func told(
        _ firings: [RuleFiring], _ near: [NearMiss], _ sources: [FoundSource], _ deliveries: [String: String] = [:],
        showsBodies: Bool = false
    ) {
        func uuid(_ id: SourceID?) -> String? { sources.first { $0.id == id }?.source.uuid }
        key("firings")
        array { json in
            for firing in firings {
                let delivery = firing.sent.flatMap { deliveries[$0] }
                json.firing(firing, showsBody: showsBodies, source: uuid(firing.row.source), delivery: delivery)
            }
        }
        key("nearMisses")
        array { json in for miss in near { json.nearMiss(miss, source: uuid(miss.source)) } }
    }

    private mutating func nearMiss(_ miss: NearMiss, source: String?) {
        object { json in
            json.member("rule", miss.rule)
            json.member("at", ISO8601.text(miss.at))
            json.member("condition", miss.condition)
            json.member("nodeId", miss.node?.id)
            json.member("messageId", miss.messageID)
            json.member("sourceId", source)
        }
    }

    private mutating func firing(_ firing: RuleFiring, showsBody: Bool, source: String?, delivery: String?) {
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
            json.member("why", firing.why)
            json.member("reason", firing.why.map { Skipped(rawValue: $0)?.words ?? $0 })
            json.member("sentId", firing.sent)
            json.member("delivery", delivery)
            json.member("airtime", firing.airtime)
            if showsBody { json.member("body", row.body) }
        }
    }
}

extension RuleFiring.Fate {
    fileprivate var word: String {
        switch self {
        case .told: "told"
        case .counted: "counted"
        case .old: "old"
        case .sent: "sent"
        case .skipped: "skipped"
        }
    }
}
