import Gateway
import MeshModel

// What a rule does besides telling. Several of these together are one act: a reply with its reaction counts once.

/// The acts that a rule's file asks for.
public struct Acting: Hashable, Sendable {
    enum Reaction: Hashable, Sendable {
        case emoji(String)
        /// `*️⃣` for a text that came directly, else the number of hops.
        case hops
    }

    /// Where `send` and `announce` go.
    enum Addressee: Hashable, Sendable {
        /// A channel by number or name. It is looked up when the act leaves.
        case channel(String)
        case node(NodeNumber)
        /// The node that the event is about.
        case sender
    }

    enum Announcement: String, CaseIterable, Hashable, Sendable {
        case nodeInfo = "nodeinfo"
        case position
    }

    /// `reply`: in the same conversation, with a reference to the text.
    var reply: Template?
    /// `reply-by = direct`: a channel's text is answered to its sender.
    var repliesDirectly = false
    /// `react`.
    var reaction: Reaction?
    /// `send`.
    var text: Template?
    /// `to`.
    var addressee = Addressee.channel("0")
    /// `ask`.
    var request: NodeRequest?
    /// `of = due`: the node whose last traceroute is longest ago, instead of the event's.
    var asksDue = false
    /// `announce`.
    var announcement: Announcement?
    /// `delay`, in milliseconds.
    var delay: Int64 = 0
    /// `once = node`.
    var isOnce = false

    init() {}

    /// The default and the least of `cool-down`, in milliseconds.
    static let leastCoolDown: Int64 = 60_000
    /// The most of `delay`, in milliseconds.
    static let mostDelay: Int64 = 120_000

    var hasText: Bool { reply != nil || reaction != nil || text != nil }
}

/// What templates are filled with, read when the text is handed to the radio.
struct TemplateValues: Sendable {
    /// Of the node that the event is about; empty without one.
    var (node, short, id) = ("", "", "")
    /// nil where unknown.
    var hops: UInt32?
    var snr: Double?
    var rssi: Int?
    /// The channel's name; nil for a direct message, and without a channel.
    var channel: String?
    var channelNumber: Int?
    /// It is about a direct message.
    var isDirect = false
    var viaMQTT = false
    /// The name of the radio that the act leaves over.
    var radio = ""
    /// The short name of the node that relayed the text, or its last byte in hexadecimal; nil where nobody did, or unknown.
    var relay: String?
    /// When it is filled in, in host milliseconds.
    var at: Int64 = 0
    var zone = LocalZone.host
    /// What the trigger measured, with its unit.
    var value = ""
    /// Heard within two hours; of these without a hop; all that are known.
    var (nodes, direct, known) = (0, 0, 0)
    /// Since the gateway started, in milliseconds.
    var uptime: Int64 = 0
    var version = ""
    /// What the names of a phrase found in the text.
    var found: [String: String] = [:]

    init() {}
}
