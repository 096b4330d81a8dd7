import MeshModel
import Store

/// What a rule is to do about one event, and has not done yet.
struct Act: Sendable {
    /// Who goes first: answers, then texts at a time, then requests.
    enum Urgency: Int, Comparable, Sendable {
        case answer, text, request

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// As it was when it fired.
    let rule: Rule
    let acting: Acting
    let telling: Telling
    /// Identifies it in the rule's log.
    let key: String
    /// Its line in the log.
    let row: FeedRow
    /// When it is to leave, in milliseconds of the clock that is never set: the event's time and the rule's delay.
    let due: Int64

    /// Milliseconds after ``due`` when nobody waits for it any more, and the age from which a text is not answered.
    static let lifetime: Int64 = 60_000

    /// - Parameter time: of the event, in host milliseconds.
    init?(_ rule: Rule, _ telling: Telling, key: String, at time: Int64, now: Moment) {
        guard let acting = rule.acting else { return nil }
        (self.rule, self.acting, self.telling) = (rule, acting, telling)
        self.key = Self.key(of: key)
        row = telling.row(of: rule, at: time)
        due = now.uptime - max(0, now.at - time) + acting.delay
    }

    /// In the log, beside that of a firing.
    static func key(of firing: String) -> String { "act \(firing)" }

    var deadline: Int64 { due + Self.lifetime }

    /// The text to which it is an answer, perhaps.
    var message: Message? { rule.when.isText ? telling.message : nil }

    /// The node that the event is about.
    var node: NodeNumber? { if case .node(let number) = telling.subject { number } else { nil } }

    var urgency: Urgency { !acting.hasText ? .request : message == nil ? .text : .answer }

    /// A line of the rule's log.
    func line(_ fate: RuleFiring.Fate, why: Skipped? = nil) -> RuleFiring {
        var line = RuleFiring(key: key, fate: fate, row: row)
        line.why = why?.rawValue
        return line
    }
}

/// Why an act comes to nothing. The words are stored.
enum Skipped: String, CaseIterable, Error, Sendable {
    /// The rule has acted for the node, or at all, too short a time ago.
    case coolDown = "cool-down"
    /// The rule acts once for each node.
    case once
    /// Rules have acted for the node less than a minute ago.
    case node
    /// Rules have used the channel less than half a minute ago.
    case channel
    /// The rule has passed on a text to another conversation less than ten minutes ago.
    case elsewhere
    /// The radio measures that others use too much of the channel.
    case channelUse = "channel-use"
    /// Rules have had their share of the hour.
    case airtime = "air-time"
    case quiet
    case late = "too-late"
    /// So many others wait.
    case busy
    /// The service has stopped.
    case stopped
    /// Its file has changed.
    case changed
    case noRadio = "no-radio"
    case transmitterOff = "transmitter-off"
    case noChannel = "no-channel"
    case keyInDoubt = "key-in-doubt"
    /// The text came encrypted to this radio alone, and the answer would not.
    case unencrypted
    /// There is nothing to say, or nobody to say it to.
    case empty
    /// The radio or the node would not answer such a request now.
    case refused
    /// Nothing can be stored.
    case disk

    /// For people.
    var words: String {
        switch self {
        case .coolDown: "its cool-down is not over"
        case .once: "it has acted for this node, and once = node"
        case .node: "rules have acted for this node less than a minute ago"
        case .channel: "rules have used this channel less than 30 seconds ago"
        case .elsewhere: "it has passed on a text less than ten minutes ago"
        case .channelUse: "the channel is used too much"
        case .airtime: "rules have had their share of the air"
        case .quiet: "quiet hours"
        case .late: "it could not leave within a minute"
        case .busy: "20 others wait"
        case .stopped: "the service has stopped"
        case .changed: "its file has changed"
        case .noRadio: "the radio is away"
        case .transmitterOff: "the transmitter is off"
        case .noChannel: "the radio has no such channel"
        case .keyInDoubt: "the node's key is in doubt"
        case .unencrypted: "the text came encrypted, and the answer would not be"
        case .empty: "there is nothing to say"
        case .refused: "it cannot be asked now"
        case .disk: "nothing can be stored"
        }
    }
}
