import HTTPServer
import JSON
import Routes
import Store

// `mesh-gateway rule`: what the rules say, whether they are in force, and what they have told.

extension ControlAPI {
    static let rulePages: [LocalPage] = [
        LocalPage("/local/rules", "rules/1") { question, json in
            let report = question.rules?.report()
            json.rules(try question.reader.shownRules(report, withStates: true), report, showsFiles: true)
        },
        LocalPage("/local/rules/{name}", "rules/1") { question, json in
            let report = question.rules?.report()
            var found = try question.reader.shownRules(
                report, named: question.parameters[0], withStates: true)
            guard !found.isEmpty else { throw APIError.noRule(question.parameters[0]) }
            found[0].watched = try question.rules?.watched(question.parameters[0], question.reader)
            json.rules(found, report, showsFiles: true)
        },
        LocalPage("/local/rules/{name}/log", "rule-log/1") { question, json in
            let name = question.parameters[0]
            let limit = question.request.limit(default: 50, cap: 1_000)
            let firings = try question.reader.firings(of: name, limit: limit)
            if firings.isEmpty, try question.reader.shownRules(question.rules?.report(), named: name).isEmpty {
                throw APIError.noRule(name)
            }
            let sources = try question.reader.sources()
            let near = (question.rules?.nearMisses() ?? []).filter { $0.rule == name }
            json.ruleLog(name, firings, near: near) { id in sources.first { $0.id == id }?.source.uuid }
        },
        LocalPage("/local/rules/{name}/test", "rule-test/1") { question, json in
            let name = question.parameters[0]
            guard let rules = question.rules else { throw APIError.noRule(name) }
            let limit = question.request.limit(default: 50, cap: 1_000)
            let test = try rules.test(
                name, question.request.queryValue("event"), question.request.queryValue("target"), question.reader)
            let sources = try question.reader.sources()
            json.ruleTest(name, test.filtered(limit: limit) { _ in true }) { id in
                sources.first { $0.id == id }?.source.uuid
            }
        },
    ]

    static let ruleEndpoints: [Endpoint] = [.local(.post, "/local/rules/reload", ControlAPI.reloadRules)]

    /// `POST /local/rules/reload`: the folder is read again, and what is right in it is in force.
    private func reloadRules(_ call: Call) throws(APIError) -> Response {
        guard let rules else { throw .conflict("only mesh-gateway serve runs rules") }
        rules.reload()
        let report = rules.report()
        let shown = try read("the rules") { try $0.shownRules(report, withStates: true) }
        return .json(
            .bytes(
                LocalPage.bytes("rules/1", via: call.request.via) { $0.rules(shown, report, showsFiles: true) }))
    }
}
