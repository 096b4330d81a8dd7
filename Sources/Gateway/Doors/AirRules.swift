import MeshModel
import MeshProtocol

// What clients may put on the air. Everything goes out under the radio's number, so that the mesh takes it for the radio's own
// word: what a program may say is a list, and what is not on it is refused. Answers and reports are made by the radio itself.

/// One kind of packet that clients may send, and the least right that does.
struct AirRule: Sendable {
    enum Form: Sendable {
        case any
        /// It wants a response, and of one node. Its `request_id` does not count: some clients write a random one.
        case request
        /// It wants none.
        case statement
        /// Of store and forward: what a client says, not a server.
        case wordOfClient
    }

    /// What goes out in the place of what the client wrote.
    enum Content: Sendable { case asWritten, ownPosition, ownUser, nothing }

    let ports: ClosedRange<UInt32>
    let form: Form
    let right: ClientRight
    let content: Content

    private init(
        _ ports: ClosedRange<UInt32>, _ form: Form = .any, _ right: ClientRight = .send,
        saying content: Content = .asWritten
    ) {
        (self.ports, self.form, self.right, self.content) = (ports, form, right, content)
    }

    /// The first that fits counts.
    static let all = [
        AirRule(1...1),  // a text: what the port is for
        AirRule(2...2, .any, .admin),  // switches pins of far nodes
        AirRule(3...3, .request, saying: .ownPosition),  // "where are you?" tells the node where the asking one is
        AirRule(3...3, .statement, .admin),  // says where the radio is
        AirRule(4...4, .request, saying: .ownUser),  // "who are you?" tells the node who is asking
        AirRule(7...7),  // a text, compressed
        AirRule(8...8),  // a waypoint, which anybody may set
        AirRule(9...9),  // speech
        AirRule(10...10),  // a sensor's text
        AirRule(11...11),  // an alert, which is a text
        AirRule(12...12, .any, .admin),  // says whose key the radio believes
        AirRule(13...13, .any, .admin),  // commands on a far node's computer
        AirRule(32...32),  // ping of a program
        AirRule(33...33),  // network packets of a program
        AirRule(34...34, .any, .admin),  // says what the radio has counted
        AirRule(35...35, .any, .admin),  // store and forward, second form: says what was said before
        AirRule(36...36, .any, .admin),  // says how the radio is
        AirRule(37...37, .any, .admin),  // a beacon: which mesh is here, and how to join it
        AirRule(64...64),  // bytes of a program's serial line
        AirRule(65...65, .wordOfClient),  // asks a server for its texts
        AirRule(66...66),  // range test: a text with a number
        AirRule(67...67, .request),  // asks for measurements
        AirRule(67...67, .statement, .admin),  // says what the radio has measured
        AirRule(68...68, .any, .admin),  // says where the radio is, in its own code
        AirRule(70...70, .request),  // a traceroute
        AirRule(71...71, .request, saying: .nothing),  // asks for neighbours, and names those of the radio
        AirRule(71...71, .any, .admin),  // names the nodes that the radio hears
        AirRule(72...72),  // ATAK
        AirRule(75...75, .any, .admin),  // what a LoRaWAN bridge has heard
        AirRule(76...76),  // network packets of Reticulum
        AirRule(77...77),  // a program's measurements (Cayenne)
        AirRule(78...78),  // ATAK, its second form
        AirRule(112...112),  // an alarm to a group
        AirRule(256...511),  // private ports: programs' own
    ]
    // Nobody: 4 to everybody or without a question (who does not know the radio takes name and key from there), 5 (acknowledges
    // and refuses in the radio's name), 6 (AdministerDoor), 69 (the simulator's), 73 (where the radio is, for maps), and ports
    // that are not known here.

    /// The rule by which a client may send this; nil: it may not.
    static func of(_ packet: ClientPacket, _ content: ClientPacket.Content, right: ClientRight) -> AirRule? {
        all.first { rule in
            rule.ports.contains(content.port.rawValue) && right >= rule.right && rule.fits(packet, content)
        }
    }

    private func fits(_ packet: ClientPacket, _ content: ClientPacket.Content) -> Bool {
        switch form {
        case .any: return true
        case .request: return content.wantsResponse && packet.to.mayBeNode
        case .statement: return !content.wantsResponse
        // CLIENT_ERROR is the first (SerialReference 4.10); below it servers speak.
        case .wordOfClient: return content.storeForwardKind ?? 0 >= 64
        }
    }
}

/// Why a client may not put a packet on the air.
public enum AirRefusal: Sendable {
    /// With more rights it may.
    case right
    /// In another form it may: as a question to one node.
    case form
    /// What is on this port is the radio's own word, or the gateway's business.
    case nobody
    /// A port that has no meaning here.
    case unknown

    /// - Returns: nil: it may.
    public init?(_ packet: ClientPacket, right: ClientRight) {
        guard let content = packet.content, AirRule.of(packet, content, right: right) == nil else { return nil }
        let port = content.port.rawValue
        let rules = AirRule.all.filter { $0.ports.contains(port) }
        if AirRule.of(packet, content, right: .admin) != nil {
            self = .right
        } else if !rules.isEmpty {
            self = .form
        } else {
            self = EnumNames.port(port) == nil ? .unknown : .nobody
        }
    }
}
