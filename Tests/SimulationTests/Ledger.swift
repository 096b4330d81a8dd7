import MeshModel
import RadioLink

/// What was promised and what the radio was given, beside the database: the two are compared at the end.
struct Ledger {
    /// The first packet ids of accepted texts, with their texts, in order.
    private(set) var promised: [(id: PacketID, from: NodeNumber, text: String, isHeld: Bool)] = []
    private(set) var givings: [PacketID: [Giving]] = [:]
    /// Packets that the gateway has written, in order, each once; the radio need not have heard them.
    private(set) var written: [PacketID] = []
    /// Texts of others that came while the session was live.
    private(set) var heard: [(id: PacketID, from: NodeNumber, text: String)] = []
    /// Packets that repeated a text under an id of their own (firmware 2.8.1).
    private(set) var repeats: [(id: PacketID, from: NodeNumber)] = []
    /// What happened, for the comparison of two tellings.
    private(set) var story: [String] = []
    /// Packets whose queue status the gateway was told since it was last killed.
    private var taken: Set<PacketID> = []
    private var ranks: [PacketID: Int] = [:]
    private(set) var violations: [String] = []

    struct Giving {
        var payload: [UInt8]
        var to: NodeNumber
        var at: MonotonicTime
    }

    mutating func promise(_ message: Message, isHeld: Bool) {
        promised.append((message.packetID, message.from, message.text, isHeld))
    }

    mutating func given(_ packet: MeshPacket, at now: MonotonicTime) {
        guard let data = packet.decoded, data.port == .textMessage else { return }
        let giving = Giving(payload: data.payload, to: packet.to, at: now)
        if let first = givings[packet.id]?.first {
            if first.payload != giving.payload || first.to != giving.to {
                violations.append("packet \(packet.id) was given with other content")
            }
            if now - first.at >= 120 * 1_000_000_000 { violations.append("packet \(packet.id) was repeated too late") }
            if givings[packet.id]!.count >= 2 { violations.append("packet \(packet.id) was given more than twice") }
            if taken.contains(packet.id) { violations.append("packet \(packet.id) was given although it was taken") }
        }
        givings[packet.id, default: []].append(giving)
    }

    mutating func accepted(_ id: PacketID) { if givings[id] != nil { taken.insert(id) } }

    mutating func killed() { taken.removeAll() }

    /// A client looks: no state may have gone back.
    mutating func seen(_ message: Message, resent: Bool) {
        guard let state = message.delivery?.state else { return }
        let rank =
            switch state {
            case .queued, .handed, .accepted: 0
            case .failed: 1
            case .relayed: 2
            case .confirmed: 3
            }
        if let before = ranks[message.packetID], rank < before, !resent,
            // The recipient's own refusal beats a relay's echo.
            !(before == 2 && rank == 1 && message.delivery?.error != nil && message.delivery?.cause == nil)
        {
            violations.append("message \(message.packetID) went back from \(before) to \(rank)")
        }
        ranks[message.packetID] = rank
    }

    mutating func wrote(_ id: PacketID, at now: MonotonicTime) {
        note("wrote \(id)", at: now)
        if !written.contains(id) { written.append(id) }
    }

    mutating func heard(_ packet: MeshPacket) {
        guard let data = packet.decoded, data.port == .textMessage else { return }
        heard.append((packet.id, packet.from, String(decoding: data.payload, as: UTF8.self)))
    }

    /// What a server near our radio has kept: texts to everybody, the latest ones.
    var repeatable: [(id: PacketID, from: NodeNumber, text: String)] {
        let own = promised.suffix(30).filter { givings[$0.id]?.first?.to == .broadcast }
        return heard.suffix(20) + own.map { ($0.id, $0.from, $0.text) }
    }

    mutating func repeated(under id: PacketID, from sender: NodeNumber) { repeats.append((id, sender)) }

    /// Of a month nobody reads it all.
    var notes = true

    mutating func note(_ event: @autoclosure () -> String, at now: MonotonicTime) {
        if notes { story.append("\(now / 1_000_000): \(event())") }
    }

    mutating func fail(_ violation: String) { violations.append(violation) }
}
