import MeshModel
import Nettle

// Bridges between conversations over brokers and channels of radios.
//
// 1. A channel is told from others by its name and key. A bridge keeps a digest of them: when the channel has another one,
//    it is another channel, which is not meant to hear what was said on this one.
// 2. A channel has one bridge, and a conversation one channel. The conversation keeps the numbers of all channels that it
//    was ever joined to, because its texts were said there.

extension Schema {
    /// - `broker_conversations.channels`: a bit for each channel whose rights count.
    /// - `broker_outbox.stays_in_house`: its sender does not allow that it goes to a broker elsewhere.
    /// - `broker_bridges`: `mark` is the digest of the channel as it was when the bridge was set, and `since` the
    ///   newest change by then; `stop` says why nothing passes any more.
    static let brokerBridges = """
        ALTER TABLE broker_conversations ADD COLUMN channels INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE broker_outbox ADD COLUMN stays_in_house INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE broker_bridges (
            conversation INTEGER PRIMARY KEY, source INTEGER NOT NULL, channel INTEGER NOT NULL, up INTEGER NOT NULL,
            down INTEGER NOT NULL, texts_per_hour INTEGER NOT NULL, mark BLOB NOT NULL, since INTEGER NOT NULL,
            stop TEXT, UNIQUE (source, channel)
        ) STRICT;
        """
}

/// Tells whether a channel is still the same.
enum ChannelMark {
    /// - Returns: nil: the radio does not use the channel.
    static func of(_ index: Int, in source: SourceID, on connection: DatabaseConnection) throws -> [UInt8]? {
        let channels = try ChannelRow.all(in: source, on: connection)
        guard let channel = channels.first(where: { $0.index == index }), channel.isUsed else { return nil }
        // Without a name it is called after the modem preset; without a key it has that of the primary channel
        // (firmware Channels::getKey).
        let preset = try SourceRow.one(source, on: connection)?.lora?.defaultChannelName ?? ""
        let name = channel.name.isEmpty ? preset : channel.name
        let key = channel.psk.isEmpty ? channels.first { $0.index == 0 }?.psk ?? [] : channel.psk
        return SHA256.digest(of: Array(name.utf8) + [0, channel.usesAEAD ? 1 : 0] + key)
    }
}

extension Channel {
    fileprivate var isUsed: Bool { index == 0 || role != .disabled && !(name.isEmpty && psk.isEmpty) }
}

/// Whether a bridge's channel is still the one that it was set to.
public enum BridgedChannel: Hashable, Sendable {
    case same, another, unused
}

enum BrokerBridgeRow {
    /// - Returns: nil: the conversation has no bridge.
    static func channel(of conversation: SourceID, on connection: DatabaseConnection) throws -> BridgedChannel? {
        let known = try connection.prepare("SELECT source, channel, mark FROM broker_bridges WHERE conversation = ?")
            .bind(conversation.rawValue)
            .first { (SourceID(rawValue: $0.integer()), Int($0.integer()), $0.bytes()) }
        guard let (source, channel, mark) = known else { return nil }
        guard let present = try ChannelMark.of(channel, in: source, on: connection) else { return .unused }
        return present == mark ? .same : .another
    }
}

extension Writer {
    /// Joins a conversation to a channel, or ends that. A bridge that was stopped works again.
    ///
    /// - Parameter radio: the source that ``ConversationBridge/source`` names. No other conversation may have the
    ///   channel.
    /// - Returns: false if the radio does not use the channel. Nothing has changed then.
    public func setBridge(_ bridge: (ConversationBridge, radio: SourceID)?, of conversation: SourceID) throws -> Bool {
        guard let (bridge, radio) = bridge else {
            markChanged(.sources)
            try connection.prepare("DELETE FROM broker_bridges WHERE conversation = ?").bind(conversation.rawValue)
                .run()
            return true
        }
        guard let mark = try ChannelMark.of(bridge.channel, in: radio, on: connection) else { return false }
        let newest = try lastChange ?? connection.integer("SELECT max(number) FROM changes") ?? 0
        // A bridge of which only a limit changes goes on where it is.
        let since = try connection.prepare(
            """
            SELECT since FROM broker_bridges
            WHERE conversation = ? AND source = ? AND channel = ? AND up >= ? AND stop IS NULL
            """
        )
        .bind(conversation.rawValue).bind(radio.rawValue).bind(bridge.channel).bind(bridge.goesUp)
        .first { $0.integer() }
        markChanged(.sources)
        try connection.prepare(
            """
            INSERT OR REPLACE INTO broker_bridges (conversation, source, channel, up, down, texts_per_hour, mark, since)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(conversation.rawValue).bind(radio.rawValue).bind(bridge.channel).bind(bridge.goesUp)
        .bind(bridge.goesDown).bind(bridge.textsPerHour).bind(mark).bind(since ?? newest).run()
        let bit = Int64(1) << Int64(bridge.channel)
        try connection.prepare("UPDATE broker_conversations SET channels = channels | ? WHERE source = ?")
            .bind(bit).bind(conversation.rawValue).run()
        let channels = try connection.prepare("SELECT channels FROM broker_conversations WHERE source = ?")
            .bind(conversation.rawValue).first { Set(bits: $0.integer()) }
        try narrowFeed(ofConversation: conversation, to: channels ?? [])
        return true
    }

    /// Nothing passes any more until the bridge is set again.
    public func stopBridge(of conversation: SourceID, because reason: String) throws {
        markChanged(.sources)
        try connection.prepare("UPDATE broker_bridges SET stop = ? WHERE conversation = ?").bind(reason)
            .bind(conversation.rawValue).run()
    }

    /// nil: the conversation has no bridge.
    public func bridgedChannel(of conversation: SourceID) throws -> BridgedChannel? {
        try BrokerBridgeRow.channel(of: conversation, on: connection)
    }
}

/// What a bridge has to remember of a conversation's texts.
public struct BridgedText: Hashable, Sendable {
    public let id: String?
    public let writer: String
    public let text: String
    /// Host milliseconds.
    public let at: Int64
}

extension Reader {
    /// nil: the conversation has no bridge.
    public func bridgedChannel(of conversation: SourceID) throws -> BridgedChannel? {
        try BrokerBridgeRow.channel(of: conversation, on: connection)
    }

    /// The channels whose rights count for a conversation, by its source; none for a radio.
    public func channels(ofConversation source: SourceID) throws -> Set<Int> {
        try connection.prepare("SELECT channels FROM broker_conversations WHERE source = ?").bind(source.rawValue)
            .first { Set(bits: $0.integer()) } ?? []
    }

    /// The texts of a conversation since a time, oldest first.
    ///
    /// - Parameter time: host milliseconds.
    public func bridgedTexts(since time: Int64, in source: SourceID, limit: Int) throws -> [BridgedText] {
        try connection.prepare(
            """
            SELECT t.text_id, t.writer, m.text, m.created_at FROM messages m INDEXED BY messages_all
            CROSS JOIN broker_texts t ON t.message = m.id
            WHERE m.source = ? AND m.created_at >= ? ORDER BY m.created_at DESC, m.id DESC LIMIT ?
            """
        )
        .bind(source.rawValue).bind(time).bind(limit)
        .rows { BridgedText(id: $0.textOrNil(), writer: $0.text(), text: $0.text(), at: $0.integer()) }.reversed()
    }

    /// When messages were sent on a channel by a sender since a time, in host milliseconds, oldest first.
    public func timesSent(
        by sender: Sender, on channel: Int, since time: Int64, in source: SourceID, limit: Int
    ) throws -> [Int64] {
        try connection.prepare(
            """
            SELECT created_at FROM messages INDEXED BY messages_channel
            WHERE source = ? AND channel = ? AND created_at >= ? AND is_own AND sender = ?
            ORDER BY created_at DESC LIMIT ?
            """
        )
        .bind(source.rawValue).bind(channel).bind(time).bind(sender.text).bind(limit).rows { $0.integer() }.reversed()
    }

    /// Whether the sender of a text allows that it goes to a broker: bit 0 of the bitfield of its packet, as far as
    /// the packet log has it.
    public func isOKToMQTT(_ packetID: PacketID, from node: NodeNumber, in source: SourceID) throws -> Bool {
        try connection.prepare(
            """
            SELECT bitfield FROM packets WHERE source = ? AND packet_id = ? AND from_node = ? AND port = 1
                AND direction = 0 ORDER BY id DESC LIMIT 1
            """
        )
        .bind(source.rawValue).bind(packetID).bind(node.rawValue).first { $0.unsignedOrNil() ?? 0 }.map { $0 & 1 != 0 }
            ?? false
    }
}

extension Set<Int> {
    /// The numbers of the bits that are set.
    init(bits: Int64) { self = Set((0..<8).filter { bits >> Int64($0) & 1 != 0 }) }
}
