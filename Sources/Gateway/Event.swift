import MeshModel
import Store

/// Something that has just happened at a radio, on its mesh, or to what is stored of it.
public struct Event: Sendable {
    /// Grows by one from event to event, and goes on when the gateway starts again. Below 2^53.
    public let sequence: UInt64
    /// Host milliseconds.
    public let time: Int64
    /// At whose radio.
    public let source: SourceID
    public let what: What

    /// What concerns something stored is told after its commit: who then reads finds it.
    public enum What: Sendable {
        /// The radio handed on a packet. `raw` is the FromRadio message as it came, without the radio's secrets.
        case received(MeshPacket, raw: [UInt8])
        /// The radio was given an own packet.
        case sent(MeshPacket)
        /// A message was stored, a received or an own one, under this id (``Message/id``).
        case message(id: String)
        /// The own message with this id has come further, or failed.
        case delivery(id: String, Delivery)
        /// A node was heard for the first time.
        case node(NodeNumber)
        /// What has come to light about a node's key: a kebab-case name for programs, a sentence for people.
        case key(NodeNumber, name: String, text: String)
        case link(LinkState)
        case problem(Problem)
        /// The problem is over.
        case solved(Problem)
        /// The radio has restarted, and why we think so.
        case restarted(String)
        /// The radio's own words for its user, or ours about its number.
        case notice(String)
        /// A line of the radio's debug output; told only while somebody listens to it.
        case debugText(String)
    }

    /// The kinds of events by which listeners choose.
    public enum Kind: String, CaseIterable, Sendable {
        case packet, sent, message, delivery, node, key, link, problem, solved, restart, notice, debug
    }

    public var kind: Kind { what.kind }
}

extension Event.What {
    var kind: Event.Kind {
        switch self {
        case .received: .packet
        case .sent: .sent
        case .message: .message
        case .delivery: .delivery
        case .node: .node
        case .key: .key
        case .link: .link
        case .problem: .problem
        case .solved: .solved
        case .restarted: .restart
        case .notice: .notice
        case .debugText: .debug
        }
    }
}
