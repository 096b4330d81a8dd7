import HTTPServer
import JSON
import Routes
import Store

// Our own routes for this gateway's rules: what they say and what they have told, in the shapes of `mesh-gateway rule --json`.

extension RestAPI {
    static let ruleEndpoints: [Endpoint] = [
        .v1(.get, "rules", Permission(.configuration, .read), RestAPI.listedRules),
        .v1(.get, "rules/{ruleName}/log", Permission(.configuration, .read), RestAPI.ruleLog),
        .v1(.get, "rules/{ruleName}/test", Permission(.configuration, .read), RestAPI.ruleTest),
        .perSource(.get, "nodes/{nodeId}/rules", .configuration, .read, RestAPI.rulesOfNode),
        .perSource(.get, "messages/{messageId}/rules", .configuration, .read, RestAPI.rulesOfMessage),
    ]

    /// `rules`: all of them, by name. The folder of their files is not shown to clients.
    func listedRules(_ call: Call) throws(APIError) -> Response {
        let report = rules?.report()
        let shown = try read("the rules") { reader in
            try reader.shownRules(report, withStates: true).map { $0.withStates { call.caller.maySee([$0]) } }
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("schema", "rules/1")
                json.member("via", "daemon")
                json.rules(shown, report, showsFiles: false)
            }
        }
    }

    /// `rules/{name}/log?limit=`: the newest first, only the rows that the token may see, as in the feed.
    func ruleLog(_ call: Call) throws(APIError) -> Response {
        let (name, limit) = (call.parameters[0], call.request.limit(default: 50, cap: 1_000))
        let report = rules?.report()
        let (firings, sources) = try read("the rule's log") { reader in
            let isKnown = try !reader.shownRules(report, named: name).isEmpty
            var (found, last) = ([RuleFiring](), Int64.max)
            var seen = try SeenFeed(call.caller, reader)
            while found.count < limit {
                let page = try reader.firings(of: name, before: last, limit: 200)
                found += try page.filter { try seen.maySee($0.row) }
                guard let end = page.last?.row.id, page.count == 200 else { break }
                last = end
            }
            guard isKnown || last != .max || !found.isEmpty else { throw APIError.noRule(name) }
            return (Array(found.prefix(limit)), try reader.sources())
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("schema", "rule-log/1")
                json.member("via", "daemon")
                json.ruleLog(name, firings, near: nearMisses(to: call.caller) { $0.rule == name }) { id in
                    sources.first { $0.id == id }?.source.uuid
                }
            }
        }
    }

    /// The service's near misses since its start that the token may see.
    private func nearMisses(to caller: Caller, _ isWanted: (NearMissReport) -> Bool) -> [NearMissReport] {
        (rules?.nearMisses() ?? []).filter { isWanted($0) && caller.maySee([$0.need]) }
    }

    /// `rules/{name}/test?limit=`: what the rule would have told, judging by what is stored.
    func ruleTest(_ call: Call) throws(APIError) -> Response {
        let (name, limit) = (call.parameters[0], call.request.limit(default: 50, cap: 1_000))
        guard let rules else { throw .noRule(name) }
        let (test, sources) = try read("what the rule would have told") { reader in
            (try rules.test(name, nil, nil, reader), try reader.sources())
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("schema", "rule-test/1")
                json.member("via", "daemon")
                json.ruleTest(name, test.filtered(limit: limit) { call.caller.maySee($0) }) { id in
                    sources.first { $0.id == id }?.source.uuid
                }
            }
        }
    }

    // MARK: why was I not told?

    /// `P/nodes/{nodeId}/rules`: what rules have told about a node, and their near misses.
    func rulesOfNode(_ call: Call) throws(APIError) -> Response {
        try checkMay(.nodes, call)
        let number = try read("the node") { try visibleNode(call, $0) }.number
        return try said(call, { try $0.firings(about: number, limit: 200) }) { $0.node == number }
    }

    /// `P/messages/{messageId}/rules`: the same for a message, whichever radio heard it.
    func rulesOfMessage(_ call: Call) throws(APIError) -> Response {
        try checkMay(.messages, call)
        let message = try read("the message") {
            try $0.message(call.parameters[0], to: call.caller, in: call.source.id)
        }
        let key = RuleFiring.key(ofMessage: message.id)
        return try said(
            call,
            { reader in
                let names = Set(try reader.rules().map(\.name) + (rules?.report().rules.map(\.name) ?? []))
                return try names.sorted().compactMap { try reader.firing(of: $0, key: key) }
            }
        ) { $0.messageID.map(RuleFiring.key) == key }
    }

    private func checkMay(_ resource: Resource, _ call: Call) throws(APIError) {
        guard call.caller.may(.read, resource) else {
            throw .insufficient(resource: resource.name, action: .read)
        }
    }

    private func said(
        _ call: Call, _ firings: (Reader) throws -> [RuleFiring], _ isWanted: (NearMissReport) -> Bool
    ) throws(APIError) -> Response {
        let (shown, sources) = try read("what rules have told") { reader in
            var seen = try SeenFeed(call.caller, reader)
            return (try firings(reader).filter { try seen.maySee($0.row) }.prefix(50), try reader.sources())
        }
        let near = nearMisses(to: call.caller, isWanted).prefix(50)
        return .item(to: call.request) { json in
            json.object { json in
                json.said(Array(shown), Array(near)) { id in sources.first { $0.id == id }?.source.uuid }
            }
        }
    }
}
