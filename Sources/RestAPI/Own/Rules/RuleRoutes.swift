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
    func listedRules(_ call: Call) throws(APIError) -> Response { try rows(of: rules, "the rules", "rules/1", call) }

    /// `rules/{name}/log?limit=`: the newest first, only the rows that the token may see, as in the feed.
    func ruleLog(_ call: Call) throws(APIError) -> Response {
        let (name, limit) = (call.parameters[0], call.request.limit(default: 50, cap: 1_000))
        let log = try told(about: .rule(name), "the rule's log", limit: limit, call)
        return page("rule-log/1", log, to: call.request)
    }

    /// `rules/{name}/test?limit=`: what the rule would have told, judging by what is stored.
    func ruleTest(_ call: Call) throws(APIError) -> Response {
        let limit = call.request.limit(default: 50, cap: 1_000)
        return try test(rules, "what the rule would have told", "rule-test/1", call, limit: limit)
    }

    // MARK: why was I not told?

    /// `P/nodes/{nodeId}/rules`: what rules have told about a node, and their near misses.
    func rulesOfNode(_ call: Call) throws(APIError) -> Response {
        try checkMay(.nodes, call)
        let number = try read("the node") { try visibleNode(call, $0) }.number
        return try said(about: .node(number), call)
    }

    /// `P/messages/{messageId}/rules`: the same for a message, whichever radio heard it.
    func rulesOfMessage(_ call: Call) throws(APIError) -> Response {
        try checkMay(.messages, call)
        let message = try read("the message") {
            try $0.message(call.parameters[0], to: call.caller, in: call.source.id)
        }
        return try said(about: .message(message.id), call)
    }

    private func checkMay(_ resource: Resource, _ call: Call) throws(APIError) {
        guard call.caller.may(.read, resource) else {
            throw .insufficient(resource: resource.name, action: .read)
        }
    }

    private func said(about subject: RuleFiring.Subject, _ call: Call) throws(APIError) -> Response {
        let members = try told(about: subject, "what rules have told", limit: 50, call)
        return .item(to: call.request) { json in json.object { members(&$0) } }
    }

    private func told(
        about subject: RuleFiring.Subject, _ what: String, limit: Int, _ call: Call
    ) throws(APIError) -> FolderDoor.Members {
        guard let told = rules?.told else { throw .notFound("No rules are run here") }
        return try read(what) { reader in
            var (question, seen) = (question(call), try SeenFeed(call.caller, reader))
            (question.limit, question.sees) = (limit, { try seen.maySee($0) })
            return try told(subject, question, reader)
        }
    }
}
