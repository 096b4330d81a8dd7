import HTTPServer
import JSON
import Routes
import Store

// The rules of this gateway, ours: what they say and what they have told, in the shapes of `mesh-gateway rule --json`.

extension RestAPI {
    static let ruleEndpoints: [Endpoint] = [
        .v1(.get, "rules", Permission(.configuration, .read), RestAPI.listedRules),
        .v1(.get, "rules/{ruleName}/log", Permission(.configuration, .read), RestAPI.ruleLog),
    ]

    /// `rules`: all of them, by name. Where their files lie is nobody's business out there.
    func listedRules(_ call: Call) throws(APIError) -> Response {
        let report = rules?.report()
        let shown = try read("the rules") { try $0.shownRules(report) }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("schema", "rules/1")
                json.member("via", "daemon")
                json.rules(shown, report, showsFiles: false)
            }
        }
    }

    /// `rules/{name}/log?limit=`: the newest first; of these the rows that the token may see, as in the feed.
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
                json.ruleLog(name, firings) { id in sources.first { $0.id == id }?.source.uuid }
            }
        }
    }
}
