import HTTPServer
import MeshModel
import Store

/// A source as a request found it.
typealias FoundSource = (id: SourceID, source: Source)

/// A request on its way to the one function that answers it: who asks, for which source, and what the path said.
struct Call {
    let request: Request
    /// Nil when there is one that is neither JSON nor a form.
    let body: JSONValue?
    let caller: Caller
    /// What stands in the place of the path's `{…}`, percent-decoded, the source's left out.
    let parameters: [String]
    /// Nil for an endpoint that has no source.
    let sourceIfAny: FoundSource?

    /// The source that the path names. Only for endpoints that have one.
    var source: FoundSource {
        guard let sourceIfAny else { preconditionFailure("an endpoint without a source asks for it") }
        return sourceIfAny
    }

    init(_ request: Request, _ body: JSONValue?, _ caller: Caller, _ parameters: [String], source: FoundSource?) {
        self.request = request
        self.body = body
        self.caller = caller
        self.parameters = parameters
        sourceIfAny = source
    }
}

/// Who asks.
struct Caller {
    /// Nil for a user of this machine on the local socket, and for a stranger.
    var token: Int64?
    /// Of the token.
    var tokenName = ""
    var scopes: Scopes
    /// The channels of the gateway's own keys (``ChannelDatabase``). Who reads the channel database reads them.
    var gatewayChannels = 0..<0

    static let stranger = Caller(token: nil, scopes: .none)
    static let localUser = Caller(token: nil, scopes: .admin)

    /// As which messages are sent.
    var sender: Sender { token == nil ? .cli : Sender(.rest, tokenName) }

    /// What may be shown of who had a message sent: everybody knows himself, and of others what they are. Who they are
    /// is for those who may read how the gateway is set up.
    func shown(_ sender: Sender?) -> String? {
        guard let sender else { return nil }
        return readsSenders || sender == self.sender ? sender.text : sender.kind.rawValue
    }

    var readsSenders: Bool { may(.read, .configuration) }

    func may(_ action: Action, _ resource: Resource) -> Bool { scopes.allows(Permission(resource, action)) }

    /// Whether a channel's texts, or what is shared with everybody on it, may be shown. Nodes that were heard on no
    /// channel, and direct messages' positions, go by the primary one.
    func mayView(_ channel: Int?) -> Bool {
        let index = channel ?? 0
        return (0...7).contains(index) ? may(.viewOnMap, .channel(index)) : may(.read, .channelDatabase)
    }

    /// The channels for which the action is allowed; nil when that is all of them, so that nothing need be filtered.
    func channels(for action: Action) -> [Int]? {
        let allowed = (0...7).filter { may(action, .channel($0)) }
        let isReader = may(.read, .channelDatabase)
        if allowed.count == 8, isReader || gatewayChannels.isEmpty { return nil }
        return allowed + (isReader ? Array(gatewayChannels) : [])
    }
}
