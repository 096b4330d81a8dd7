import Gateway
import MeshModel
import MeshProtocol
import Platform

// What was refused, in words: a notification for the client, which apps show as a window, and a line of the log for its
// owner. A program that goes on and on gets neither again and again.

/// The client that something is refused. It may have left by then.
struct RefusedClient: Sendable {
    let sender: Sender
    /// As `status` names it.
    let name: String
    let right: ClientRight
    /// The place of its port in the list of ports.
    let port: Int
}

/// Who was told what lately, and how often it was not said again.
struct ShareRefusals {
    private let times: ShareTimes
    /// Clients, and reasons told to clients. A client that makes up more of them is not told.
    private static let (capacity, wordsCapacity) = (64, 512)

    private struct Logged {
        let name: String
        let until: UInt64
        var more = 0
    }
    private struct Told: Hashable {
        let sender: Sender
        let words: String
    }

    init(_ times: ShareTimes) { self.times = times }

    private var logged: [Sender: Logged] = [:]
    private var told: [Told: UInt64] = [:]

    /// When there is something to be said of those that were only counted.
    var deadline: UInt64? { logged.values.lazy.filter { $0.more > 0 }.map(\.until).min() }

    /// Once for each reason in that time, which is an hour. A program that comes back under the same address is the same client.
    mutating func isToBeTold(_ words: String, to sender: Sender, at now: UInt64) -> Bool {
        let key = Told(sender: sender, words: words)
        if let until = told[key], now < until { return false }
        if told.count >= Self.wordsCapacity { told = told.filter { now < $0.value } }
        guard told.count < Self.wordsCapacity else { return false }
        told[key] = now + times.refusalWords
        return true
    }

    /// Once a minute for each client; the others of that minute are counted.
    mutating func isToBeLogged(of client: RefusedClient, at now: UInt64) -> Bool {
        // Of a minute that is over there is nothing to say, unless some were counted.
        if let last = logged[client.sender], now < last.until || last.more > 0 {
            logged[client.sender]?.more += 1
            return false
        }
        guard logged[client.sender] != nil || logged.count < Self.capacity else { return false }
        logged[client.sender] = Logged(name: client.name, until: now + times.refusalLog)
        return true
    }

    /// Sentences about minutes that are over.
    mutating func takeOverdue(at now: UInt64) -> [String] {
        let over = logged.filter { $0.value.until <= now }
        guard !over.isEmpty else { return [] }
        for sender in over.keys { logged[sender] = nil }
        return over.values.filter { $0.more > 0 }.map { entry in
            "shared radio: \(entry.name) was refused \(entry.more) more packet\(entry.more == 1 ? "" : "s") in that minute"
        }.sorted()
    }
}

/// Why a packet is refused, in a sentence for a person.
enum RefusalWords {
    /// - Parameter packet: nil: it cannot be read.
    static func of(_ packet: ClientPacket?, _ error: RoutingError, _ right: ClientRight, own: NodeNumber?) -> String {
        switch error {
        case .notAuthorized:
            guard let packet, let content = packet.content else { return unreadable }
            return content.port == .admin ? ofOrder(packet, content, right, own) : ofPort(packet, content, right)
        case .noInterface: return "The radio is not there now, and only messages wait for it in mesh-gateway."
        case .timeout: return "The radio has not answered; it may have done it all the same."
        case .rateLimitExceeded: return "Too much of this program waits in mesh-gateway already; try again later."
        case .tooLarge: return "This is too long for one packet."
        case .noChannel: return "The radio has no such channel."
        case .pkiFailed:
            return "The recipient's key is in doubt, so that nothing is sent to it: mesh-gateway keys says more."
        case .badRequest where packet?.content == nil: return unreadable
        default: return "The radio has refused this: \(EnumNames.routingError(error.rawValue) ?? "\(error.rawValue)")."
        }
    }

    private static let unreadable = "mesh-gateway cannot read this packet, and sends none that it cannot read."

    private static func ofPort(
        _ packet: ClientPacket, _ content: ClientPacket.Content, _ right: ClientRight
    ) -> String {
        let port = EnumNames.port(content.port.rawValue) ?? "a port without a name"
        if right == .read { return readOnly }
        return switch AirRefusal(packet, right: right) {
        case .right: "\(port) says what the radio itself says; for that mesh-gateway wants a port with the right admin."
        case .form: "mesh-gateway passes \(port) on only as a question to one node, or as a client's word to a server."
        case .nobody, nil: "mesh-gateway passes nothing on \(port) on: the mesh would take it for the radio's own word."
        case .unknown: "mesh-gateway does not know this port. A program's own ports are 256 to 511."
        }
    }

    private static let readOnly =
        "This port of mesh-gateway is for reading: nothing is sent from here. Another one may have the right send."

    private static func ofOrder(
        _ packet: ClientPacket, _ content: ClientPacket.Content, _ right: ClientRight, _ own: NodeNumber?
    ) -> String {
        let order = AdminOrder(content.payload)
        if packet.to == own, order?.kind == .forbidden {
            return "Through mesh-gateway nobody resets, updates or switches off the radio, or takes its keys."
        }
        if right == .read { return readOnly }
        guard packet.to == own || right == .admin else {
            return "Far nodes are administered at a port of mesh-gateway with the right admin."
        }
        return right < .admin
            ? "The radio's settings are changed at a port of mesh-gateway with the right admin."
            : "mesh-gateway keeps this to itself: it concerns its own connection to the radio, or everybody."
    }
}
