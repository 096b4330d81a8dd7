import Gateway
import Log
import MeshModel
import RadioLink

@testable import Rules

/// Two gateways with the same rules, each in a world of its own, whose radios hear each other. In virtual time.
final class JoinedGateways {
    /// A text of one of the two.
    struct Said {
        let gateway: Int
        let id: PacketID
        let reply: PacketID
        let isReaction: Bool
        let text: String
        let at: MonotonicTime
        /// Milliseconds.
        let airtime: Int64
    }

    let worlds: [World]
    private var rules: [WorkingRules] = []
    /// Everything that they have said, in order.
    private(set) var said: [Said] = []
    /// Everything else that they have sent.
    private(set) var others: [PortNumber: Int] = [:]
    /// What somebody else makes of each text that the two say.
    var listener: (Said) -> String? = { _ in nil }
    static let stranger = NodeNumber(0x5E1F_0001)
    private var lastID: PacketID = 0x7000_0000

    init(_ texts: [String: String]) throws {
        // Firmware 2.8, both.
        worlds = try [1, 4].map { try World(seed: $0, chatter: 0, retention: .unlimited) }
        for world in worlds { world.run(seconds: 20) }
        let parsed = try texts.sorted { $0.key < $1.key }.map { name, text in
            let file = RuleFile(text, name: name, path: "\(name).conf")
            guard let rule = file.rule else { throw NoRule(mistakes: "\(file.mistakes)") }
            return rule
        }
        rules = try worlds.map { world in
            try WorkingRules(
                parsed, of: world.gateway, at: world.moment, logger: .silent, wake: {}, zone: LocalZone { _ in 0 },
                version: "test", unstored: { _ in })
        }
    }

    private struct NoRule: Error { let mistakes: String }

    func nextID() -> PacketID {
        lastID += 1
        return lastID
    }

    /// A node says something that both hear.
    func hear(_ data: MeshData, from node: NodeNumber, id: PacketID) {
        for world in worlds { world.hear(data, from: node, id: id) }
    }

    func say(_ text: String, from node: NodeNumber, id: PacketID) {
        hear(MeshData(port: .textMessage, payload: Array(text.utf8), bitfield: 1), from: node, id: id)
    }

    func introduce(_ node: NodeNumber, as name: String) {
        let user = User(id: node.id, longName: name, shortName: String(name.suffix(4)), hardwareModel: 43)
        hear(MeshData(port: .nodeInfo, payload: user.encoded(), bitfield: 1), from: node, id: nextID())
    }

    /// Time passes in both, and what one says the other hears.
    func run(seconds: Double) throws {
        for (place, world) in worlds.enumerated() {
            world.run(seconds: seconds)
            world.settle()
            try rules[place].work(at: world.moment)
        }
        for (place, world) in worlds.enumerated() {
            for packet in world.takeGiven() { pass(packet, of: place) }
        }
    }

    private func pass(_ packet: MeshPacket, of place: Int) {
        guard let data = packet.decoded, packet.to.isBroadcast else { return }
        worlds[1 - place].hear(data, from: packet.from, id: packet.id)
        guard data.port == .textMessage else { return others[data.port, default: 0] += 1 }
        let text = String(decoding: data.payload, as: UTF8.self)
        let bytes = ActAirtime.bytes(of: text, isReply: data.replyID != 0, isTapback: data.emoji != 0)
        let one = Said(
            gateway: place, id: packet.id, reply: data.replyID, isReaction: data.emoji != 0, text: text,
            at: worlds[place].clock.now, airtime: ActAirtime.milliseconds(bytes: bytes, worlds[place].lora))
        said.append(one)
        if let answer = listener(one) { say(answer, from: Self.stranger, id: nextID()) }
    }

    /// The most that one of them has sent in an hour, in milliseconds.
    func mostInAnHour(of gateway: Int) -> Int64 {
        let own = said.filter { $0.gateway == gateway }
        return own.map { last in
            own.reduce(0) { sum, one in
                one.at <= last.at && last.at - one.at < 3_600 * World.second ? sum + one.airtime : sum
            }
        }.max() ?? 0
    }
}

extension World {
    var moment: Moment { Moment(at: clock.wall, uptime: Int64(clock.now / 1_000_000)) }
    var lora: LoRaSettings? { gateway.radioStatuses.first?.lora }
}
