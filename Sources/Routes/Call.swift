import HTTPServer
import JSON
import MeshModel
import Store

/// A request on its way to the one function that answers it: who asks, for which source, and what the path said.
public struct Call: Sendable {
    public let request: Request
    /// Nil when there is one that is neither JSON nor a form.
    public let body: JSONValue?
    public let caller: Caller
    /// What stands in the place of the path's `{…}`, percent-decoded, the source's left out.
    public let parameters: [String]
    /// Nil for an endpoint that has no source.
    public let sourceIfAny: FoundSource?

    /// The path itself names the source, and not only a habit does.
    public internal(set) var isSourceInPath = false
    /// It is for one source and no other: a habit, or `default`, names none.
    public internal(set) var namesSource = false

    /// The source that the path names. Only for endpoints that have one.
    public var source: FoundSource {
        guard let sourceIfAny else { preconditionFailure("an endpoint without a source asks for it") }
        return sourceIfAny
    }

    public init(_ request: Request, _ body: JSONValue?, _ caller: Caller, _ parameters: [String], source: FoundSource?)
    {
        self.request = request
        self.body = body
        self.caller = caller
        self.parameters = parameters
        sourceIfAny = source
    }
}

/// Who asks.
public struct Caller: Sendable {
    /// Nil for a user of this machine on the local socket, and for a stranger.
    public var token: Int64?
    /// Of the token.
    public var tokenName = ""
    public var scopes: Scopes
    /// The channels of the gateway's own keys (``ChannelDatabase``). Who reads the channel database reads them.
    public var gatewayChannels = 0..<0

    public init(token: Int64?, tokenName: String = "", scopes: Scopes) {
        self.token = token
        self.tokenName = tokenName
        self.scopes = scopes
    }

    public static let stranger = Caller(token: nil, scopes: .none)
    public static let localUser = Caller(token: nil, scopes: .admin)

    /// As which messages are sent.
    public var sender: Sender { token == nil ? .cli : Sender(.rest, tokenName) }

    /// What may be shown of who had a message sent: everybody knows himself, and of others what they are. Who they are
    /// is for those who may read how the gateway is set up.
    public func shown(_ sender: Sender?) -> String? {
        guard let sender else { return nil }
        return readsSenders || sender == self.sender ? sender.text : sender.kind.rawValue
    }

    public var readsSenders: Bool { may(.read, .configuration) }

    public func may(_ action: Action, _ resource: Resource) -> Bool { scopes.allows(Permission(resource, action)) }

    /// The first permission that is missing to read or write in a conversation over a broker; nil: none is. Whoever may do
    /// so with messages may do so there, and on the channels whose rights count in the conversation.
    ///
    /// - Parameter channels: ``BrokerConversation/channels``.
    public func lacks(_ action: Action, over channels: Set<Int>) -> Permission? {
        let needed = [Resource.messages] + channels.sorted().map { Resource.channel($0) }
        return needed.map { Permission($0, action) }.first { !scopes.allows($0) }
    }

    /// Whether a channel's texts, or what is shared with everybody on it, may be shown. Nodes that were heard on no
    /// channel, and direct messages' positions, go by the primary one.
    public func mayView(_ channel: Int?) -> Bool {
        let index = channel ?? 0
        return (0...7).contains(index) ? may(.viewOnMap, .channel(index)) : may(.read, .channelDatabase)
    }

    /// Whether no channel's messages are hidden from it.
    public var readsAllChannels: Bool { channels(for: .read) == nil }

    /// Whether it may be told a number that counts all that is stored, whatever it is about.
    public var readsEverything: Bool {
        readsAllChannels && [.nodes, .messages, .traceroute, .packetMonitor].allSatisfy { may(.read, $0) }
    }

    /// The channels for which the action is allowed; nil when that is all of them, so that nothing need be filtered.
    public func channels(for action: Action) -> [Int]? {
        let allowed = (0...7).filter { may(action, .channel($0)) }
        let isReader = may(.read, .channelDatabase)
        if allowed.count == 8, isReader || gatewayChannels.isEmpty { return nil }
        return allowed + (isReader ? Array(gatewayChannels) : [])
    }
}
