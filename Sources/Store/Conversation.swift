import MeshModel

/// A channel, or the direct messages with one node. Each message of a source belongs to one.
public enum Conversation: Hashable, Sendable {
    /// 0 to 7, or the channel of an entry of the channel database (``ChannelEntry/channel(of:)``).
    case channel(Int)
    case direct(NodeNumber)
    /// Those with all nodes, for a mark on them at once.
    case allDirect

    /// As ``Message/channel``.
    var channel: Int { if case .channel(let index) = self { index } else { -1 } }
    /// 0 for a channel, and for all direct messages.
    var node: NodeNumber { if case .direct(let number) = self { number } else { NodeNumber(0) } }

    /// Where a message belongs for the owner of the radio.
    public init(of message: Message) {
        if message.channel >= 0 {
            self = .channel(message.channel)
        } else {
            self = .direct(message.isOwn ? message.to : message.from)
        }
    }

    /// As it is stored (``channel``, ``node``).
    init(channel: Int, node: NodeNumber) {
        self = channel >= 0 ? .channel(channel) : node.rawValue == 0 ? .allDirect : .direct(node)
    }

    /// `channel:0` or `direct:!a1b2c3d4`, as clients name it; `direct` for all of them.
    public var id: String {
        switch self {
        case .channel(let index): "channel:\(index)"
        case .direct(let number): "direct:\(number.id)"
        case .allDirect: "direct"
        }
    }

    /// - Parameter id: of a channel, or of the direct messages with one node, exactly as ``id`` has it.
    public init?(id: some StringProtocol) {
        let parts = id.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "channel":
            // Nothing that means a number in another way: an id has one form.
            guard let index = UInt32(decimal: parts[1]), String(index) == parts[1], index <= Int32.max else {
                return nil
            }
            self = .channel(Int(index))
        case "direct":
            guard let number = NodeNumber(id: String(parts[1])), number.id == parts[1], !number.isBroadcast else {
                return nil
            }
            self = .direct(number)
        default: return nil
        }
    }
}

/// The place of a message in the order in which they are listed. It stays when the message is deleted.
public struct MessagePosition: Hashable, Comparable, Sendable {
    /// ``Message/createdAt``.
    public var createdAt: Int64
    /// The number of its row, which never belongs to another message.
    public var row: Int64

    public init(createdAt: Int64, row: Int64) {
        self.createdAt = createdAt
        self.row = row
    }

    public static func < (a: Self, b: Self) -> Bool { (a.createdAt, a.row) < (b.createdAt, b.row) }

    /// Before every message.
    static let beginning = MessagePosition(createdAt: -1, row: -1)

    /// Just before it, and just behind it.
    var before: MessagePosition { MessagePosition(createdAt: createdAt, row: row - 1) }
    var behind: MessagePosition { MessagePosition(createdAt: createdAt, row: row + 1) }

    init(_ row: Statement) { self.init(createdAt: row.integer(), row: row.integer()) }
}
