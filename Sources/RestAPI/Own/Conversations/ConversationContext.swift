import Gateway
import MeshModel
import MeshProtocol
import Routes
import Store

/// What a client is shown of a conversation.
struct ConversationRow: Sendable {
    var conversation: Conversation
    var name: String
    /// Of the other node; nil: a channel, or a node that the token may not see.
    var shortName: String?
    var last: Message?
    /// Whether everybody can read along, because they know the key; nil: not a channel, or one that is no longer there.
    var isPublic: Bool?
    /// Who has sent that, for a list of texts; nil: an own one, or of a node that the token may not see.
    var lastSender: String?
    var unread: Int
    /// Nil: it is not muted now.
    var mute: Mute?
    var obstacle: Obstacle?
    /// Nil: it is one of a radio.
    var broker: Broker?

    /// What one over a broker has besides.
    struct Broker: Sendable {
        /// As clients name it.
        var id: String
        /// Of its source.
        var uuid: String
        /// What its last message has besides.
        var last: BrokerText?
        var connection: ConversationDoor.Connection
    }

    /// Why the token cannot send there now.
    struct Obstacle: Sendable {
        /// For programs.
        var code: String
        /// For people.
        var message: String
        /// The scope that is missing.
        var required: Permission?
    }
}

/// What all rows of a list are made with. Valid while its reader is.
struct ConversationContext {
    /// Messages of each conversation that are looked at for its unread ones: a list is made for who never marks any, too.
    static let unreadLimit = 100

    private let call: Call
    private let api: API
    private let reader: Reader
    private let names: ChannelNames
    /// The radio's own, those in use only.
    private let channels: [Int]
    private let keys: [Int: [UInt8]]
    private let mutes: [Conversation: Mute]
    private let token: Int64

    init(_ call: Call, _ api: API, _ reader: Reader) throws {
        let id = call.source.id
        (self.call, self.api, self.reader) = (call, api, reader)
        token = call.caller.token ?? 0
        names = try ChannelNames(call.source, reader)
        let known = try reader.channels(in: id).filter(\.isInUse)
        channels = known.map(\.index).filter { call.caller.mayRead(channel: $0) }
        // A secondary channel without a key has that of the primary one (firmware Channels::getKey).
        let primary = known.first { $0.index == 0 }?.psk ?? []
        let entries = try reader.channelEntries().map { (ChannelEntry.channel(of: $0.id), $0.psk) }
        let slots = known.map { ($0.index, $0.psk.isEmpty ? primary : $0.psk) }
        keys = Dictionary(entries + slots) { first, _ in first }
        mutes = try reader.mutes(by: token, in: id)
    }

    /// All that the token may read, newest first.
    func places() throws -> [ConversationPlace] {
        let spoken = try reader.conversations(in: call.source.id, channels: call.caller.channels(for: .read))
        let silent = channels.map { ConversationPlace(conversation: .channel($0), newest: nil) }
            .filter { channel in !spoken.contains { $0.conversation == channel.conversation } }
        return spoken + silent
    }

    /// Nil: there is no such channel, and nobody has written there; nor is anything known of a chat.
    func place(of conversation: Conversation) throws -> ConversationPlace? {
        if try reader.newest(of: conversation, in: call.source.id) != nil {
            return ConversationPlace(
                conversation: conversation, newest: try reader.newestSaid(in: conversation, of: call.source.id))
        }
        guard case .channel(let index) = conversation, channels.contains(index) else { return nil }
        return ConversationPlace(conversation: conversation, newest: nil)
    }

    func row(_ place: ConversationPlace) throws -> ConversationRow {
        let (conversation, source) = (place.conversation, call.source.id)
        let node: Node? =
            if case .direct(let number) = conversation { try reader.node(number, in: source) } else { nil }
        let last = try place.newest.flatMap { try reader.message(at: $0, in: source) }
        let sender = try last.flatMap { $0.isOwn ? nil : try reader.node($0.from, in: source) }
        return ConversationRow(
            conversation: conversation, name: name(of: conversation, node),
            shortName: call.caller.mayShow(node) ? node?.shownShortName : nil, last: last,
            isPublic: key(of: conversation).map { ChannelCipher.isPublic(psk: $0) },
            lastSender: call.caller.shownName(of: sender),
            unread: try reader.unread(conversation, by: token, in: source, limit: Self.unreadLimit),
            mute: mutes[conversation].flatMap { $0.holds(at: api.clock()) ? $0 : nil },
            obstacle: obstacle(conversation, node))
    }

    private func key(of conversation: Conversation) -> [UInt8]? {
        if case .channel(let index) = conversation { keys[index] } else { nil }
    }

    private func name(of conversation: Conversation, _ node: Node?) -> String {
        switch conversation {
        case .channel(let index): names[index] ?? "Channel \(index)"
        case .direct(let number): call.caller.shownName(of: node) ?? number.id
        case .allDirect: ""
        }
    }

    private func obstacle(_ conversation: Conversation, _ node: Node?) -> ConversationRow.Obstacle? {
        var needed = Resource.messages
        if case .channel(let index) = conversation {
            guard (0...7).contains(index) else {
                return .init(
                    code: "READ_ONLY", message: "The gateway can read this channel, but the radio does not have it")
            }
            guard channels.contains(index) else {
                return .init(code: "CHANNEL_NOT_IN_USE", message: "The radio does not use this channel any more")
            }
            needed = .channel(index)
        }
        let permission = Permission(needed, .write)
        guard call.caller.may(.write, needed) else {
            return .init(
                code: "INSUFFICIENT_SCOPE", message: "The token lacks \(permission)", required: permission)
        }
        let refusal = api.gateway.obstacle(
            to: node, waits: api.queueing.isOn, in: call.source.id, own: call.source.source.nodeNumber)
        return refusal.map { ConversationRow.Obstacle($0) }
    }
}

extension ConversationRow.Obstacle {
    fileprivate init(_ refusal: SendRefusal) {
        switch refusal {
        case .transmitDisabled: self.init(code: "TX_DISABLED", message: "The radio's transmitter is switched off")
        case .keyInDoubt:
            self.init(
                code: "KEY_MISMATCH",
                message: "Another key than the known one was seen for this node, and a person has to decide")
        case .notConnected, .tooLong, .storage: self.init(code: "NOT_CONNECTED", message: "No radio is connected")
        }
    }
}

extension Caller {
    func mayShow(_ node: Node?) -> Bool {
        node.map { may(.read, .nodes) && mayView($0.channel) } ?? false
    }

    /// What a node is called, for those who may see the node; nil: it has no name for them.
    func shownName(of node: Node?) -> String? {
        guard let node, mayShow(node) else { return nil }
        guard let nickname = node.nickname, !nickname.isEmpty else { return node.shownLongName }
        return nickname
    }
}
