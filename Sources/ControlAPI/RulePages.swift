import HTTPServer
import JSON
import Routes
import Store

// `mesh-gateway rule`: what the rules say, whether they are in force, and what they have told.

extension ControlAPI {
    static let rulePages: [LocalPage] = [
        LocalPage("/local/rules", "rules/1", of: \.rules),
        LocalPage(oneOf: "/local/rules/{name}", "rules/1", of: \.rules),
        LocalPage("/local/rules/{name}/log", "rule-log/1") { question, json in
            let name = question.parameters[0]
            guard let told = question.folders.rules?.told else { throw APIError.notFound("No rules are run here") }
            var asked = FolderDoor.Question(isLocal: true)
            asked.limit = question.request.limit(default: 50, cap: 1_000)
            try told(.rule(name), asked, question.reader)(&json)
        },
        LocalPage("/local/rules/{name}/test", "rule-test/1") { question, json in
            guard let rules = question.folders.rules else { throw APIError.notFound("No rules are run here") }
            var asked = FolderDoor.Question(isLocal: true)
            asked.limit = question.request.limit(default: 50, cap: 1_000)
            asked.event = question.request.queryValue("event")
            asked.target = question.request.queryValue("target")
            guard case .shown(let test) = try rules.test(question.parameters[0], asked, question.reader) else {
                throw APIError.conflict("only mesh-gateway serve can test this")
            }
            test(&json)
        },
    ]

    static let ruleEndpoints: [Endpoint] = [
        .local(.post, "/local/rules/reload") { api in
            { call throws(APIError) in try api.reload(api.rules, "runs rules", "rules/1", call) }
        },
        .local(.post, "/local/rules/{name}/forget", ControlAPI.forgetActedNodes),
    ]

    /// The rule acts once more for each node.
    private func forgetActedNodes(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        let count: Int
        do {
            count = try store.commit { try $0.forgetActed(name) }
        } catch {
            throw .failed("Nothing could be forgotten: \(error)")
        }
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "rule-forget/1")
            json.member("via", "daemon")
            json.member("rule", name)
            json.member("nodes", count)
        }
        return .json(.bytes(json.bytes))
    }
}
