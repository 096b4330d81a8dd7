import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `mesh-gateway conversation key`: the only page that shows the key of a conversation over a broker, and the only one that
// takes one. It is made and forgotten over the API's own routes.

extension ControlAPI {
    static let conversationKeyEndpoints: [Endpoint] = [
        .local(.get, "/local/mqtt/conversations/{name}/key", ControlAPI.conversationKey),
        .local(.post, "/local/mqtt/conversations/{name}/key", ControlAPI.takeConversationKey),
    ]

    private func conversationKey(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        let key = try read("the key") { reader in
            guard let found = try reader.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
            guard let key = try reader.conversationKey(of: found.source) else {
                throw APIError.noKey(of: found.conversation)
            }
            return key
        }
        var json = JSONWriter()
        json.object { json in
            json.member("name", name)
            json.member("keyId", key.id)
            json.member("key", key.text)
        }
        return .json(.bytes(json.bytes))
    }

    /// `POST {key}`: answers without it.
    private func takeConversationKey(_ call: Call) throws(APIError) -> Response {
        guard let key = call.body?["key"]?.string.flatMap({ ConversationKey($0) }) else {
            throw .badRequest("key is not a conversation's key")
        }
        try seal(call.parameters[0], with: key, by: call.caller)
        var json = JSONWriter()
        json.object { json in
            json.member("name", call.parameters[0])
            json.member("keyId", key.id)
        }
        return .json(.bytes(json.bytes))
    }
}
