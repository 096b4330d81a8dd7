/// How long what was heard is kept, and how large the database may become.
///
/// Age goes by the host's clock, size by itself. When the database would be over its size, the oldest rows go, kind by
/// kind, in the order of their worth: the packet log first, which repeats what other tables hold; then telemetry and what
/// else nodes report; then positions and routes; messages last. Each kind keeps a share of its newest rows that the
/// others cannot take: the last packets for finding faults, some days of what nodes report, and hundreds of days of
/// messages even in a busy mesh. Only when these shares alone are too much, because the room is taken by nodes, they go
/// as well, in the same order.
///
/// Nodes stay. Those that were never heard and are only named by others go when nobody has named them again for as long as
/// telemetry is kept, because a hostile list of neighbours can name any number.
public struct Retention: Hashable, Sendable {
    private static let day: Int64 = 86_400_000

    /// Milliseconds; nil: for ever. Also of people counted, status texts, the radio's notifications and what
    /// happened.
    public var telemetry: Int64? = 30 * day
    /// Milliseconds; nil: for ever. Also of routes.
    public var positions: Int64? = 90 * day
    /// Milliseconds; nil: for ever. Never more than ``packetRows``.
    public var packets: Int64? = 7 * day
    /// Milliseconds; nil: for ever. The newest message of all always stays.
    public var messages: Int64?
    /// Milliseconds; nil: for ever, though never more than ``Writer/feedRows``. Of the feed; its newest row always stays.
    public var feed: Int64? = 7 * day
    /// Bytes of the database file, without its log; nil: as many as it takes. A file that has become larger does not
    /// shrink, but what is free in it is used again.
    public var size: Int64? = 200_000_000

    /// Rows of the packet log, of each source: every query scans all of them.
    public static let packetRows = 50_000

    /// Nothing is deleted but packets beyond ``packetRows``, and what sends of the day before were answered.
    public static let unlimited = Retention(
        telemetry: nil, positions: nil, packets: nil, messages: nil, feed: nil, size: nil)

    public init() {}

    public init(
        telemetry: Int64?, positions: Int64?, packets: Int64?, messages: Int64?, feed: Int64? = Retention().feed,
        size: Int64?
    ) {
        self.telemetry = telemetry
        self.positions = positions
        self.packets = packets
        self.messages = messages
        self.feed = feed
        self.size = size
    }
}

extension Retention {
    /// Bytes in use at which deleting begins. What is left up to the size is for what is written meanwhile.
    static func upperMark(_ size: Int64) -> Int64 { size - size / 16 }
    /// Bytes in use at which it ends: not again for every packet.
    static func lowerMark(_ size: Int64) -> Int64 { upperMark(size) - size / 32 }
}

/// A table whose rows are stored in the order of time, and go in that order.
enum AgingTable: String, CaseIterable {
    // In the order of their worth.
    case packets, telemetry, paxcounts, notifications, happened, feed
    case nodeStatuses = "node_statuses"
    case positions, traceroutes, messages
    case acceptedSends = "accepted_sends"

    var name: String { rawValue }

    /// The column with the time of the host, in milliseconds.
    var time: String { self == .messages ? "created_at" : "at" }

    /// Nil: its rows are shown to nobody.
    var topic: Topic? {
        switch self {
        case .packets: .packets
        case .telemetry: .telemetry
        case .paxcounts: .paxcounts
        case .notifications: .notifications
        case .happened: .happened
        case .feed: .feed
        case .nodeStatuses: .nodeStatuses
        case .positions: .positions
        case .traceroutes: .traceroutes
        case .messages: .messages
        case .acceptedSends: nil
        }
    }

    /// A condition on the rows that may go.
    var mayGo: String {
        switch self {
        case .happened: "NOT \(Happening.isLive)"
        case .feed: "id < (SELECT max(id) FROM feed)"
        default: "true"
        }
    }

    /// Milliseconds.
    func age(in retention: Retention) -> Int64? {
        switch self {
        case .packets: retention.packets
        case .telemetry, .paxcounts, .notifications, .happened, .nodeStatuses: retention.telemetry
        case .positions, .traceroutes: retention.positions
        case .messages: retention.messages
        case .feed: retention.feed
        case .acceptedSends: AcceptedSend.lifetime
        }
    }

    /// How many of the newest rows stay when the database would be over its size. Of 200 MB: 5,000 packets (1 MB),
    /// 200,000 rows of telemetry, half of them worked out (32 MB), 100,000 positions (10 MB), 160,000 messages (55 MB, 100 MB when all are
    /// long). What these leave free messages take before positions, and positions before telemetry.
    func share(of size: Int64) -> Int64 {
        let bytes: Int64 =
            switch self {
            case .packets: 40_000
            case .telemetry: 1_000
            case .positions: 2_000
            case .messages: 1_250
            case .paxcounts, .notifications, .happened, .feed, .nodeStatuses, .traceroutes: 100_000
            case .acceptedSends: 10_000
            }
        return max(size / bytes, 1)
    }

    /// Rows that are deleted before the time is looked at: a slow disk is to be noticed soon.
    var batch: Int { self == .messages ? 4 : 16 }
}
