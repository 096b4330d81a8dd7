import MeshModel
import MeshProtocol

/// The stream of packets that a mesh produces by itself: mostly telemetry and positions, now and then a text.
struct Chatter {
    enum Kind: CaseIterable {
        case metrics, position, nodeInfo, text, reply, reaction, directText, environment, neighbors, waypoint
        case nodeStatus, paxcounter, storeForward, traceroute, alert, detection, undecodable, own, keyConflict

        /// Of a thousand packets.
        var weight: Int {
            switch self {
            case .metrics: 260
            case .position: 230
            case .nodeInfo: 120
            case .text: 90
            case .environment: 70
            case .own: 50
            case .reply, .neighbors: 30
            case .reaction, .directText, .nodeStatus, .keyConflict: 20
            case .waypoint, .storeForward, .undecodable: 15
            case .paxcounter, .traceroute: 10
            case .alert, .detection: 5
            }
        }
    }

    fileprivate var generator: SeededGenerator
    /// Texts that others may answer, and that the mesh's server has.
    fileprivate var texts: [Said] = []

    fileprivate struct Said {
        let id: PacketID
        let channel: UInt32
        let sender: NodeNumber
        let text: String
    }

    init(seed: UInt64) { generator = SeededGenerator(seed: seed, purpose: 2) }

    fileprivate mutating func kind() -> Kind {
        var rest = Int.random(in: 0..<Kind.allCases.reduce(0) { $0 + $1.weight }, using: &generator)
        for kind in Kind.allCases {
            rest -= kind.weight
            if rest < 0 { return kind }
        }
        return .metrics
    }

    fileprivate mutating func remember(_ said: Said) {
        texts.append(said)
        if texts.count > 8 { texts.removeFirst() }
    }

    static let phrases = [
        "Good morning from the hut ☀️", "Anyone on the north ridge?", "Battery at 40 %, switching off for the night",
        "Path closed below the bridge", "📍 at the summit", "Test", "rain in two hours", "Soup is ready 🍲",
        "Two of us, <slow> & \"happy\"", "Ist jemand in Hörweite?", "صباح الخير", "山頂に着きました", "ok",
        "Line one\nline two", "73 de OE7XYZ",
    ]
}

extension Radio {
    mutating func scheduleChatter(after moment: Double) {
        let mean = 60 / options.chatter
        agenda.add(.chatter, at: moment + Double.random(in: 0.25...1.75, using: &chatter.generator) * mean)
    }

    /// One packet of the mesh. The sender is one that is switched on; what it cannot say becomes something it can.
    mutating func chat() {
        scheduleChatter(after: now)
        var kind = chatter.kind()
        let tellsNothing = misbehaviour.contains(.barrenNodes)
        if tellsNothing, [.metrics, .position, .environment].contains(kind) { kind = .nodeInfo }
        let id = chatter.generator.packetID()
        let index = Int.random(in: 0..<options.nodes, using: &chatter.generator)
        // A radio that tells its own values at its own times does not also chatter about them.
        if kind == .own { return options.tellsOwnTelemetry ? () : tell(ownMetrics, id: id) }
        guard let sender = chatterer(for: kind, at: index) else { return }
        markHeard(sender.number)
        guard let packet = packet(kind, from: sender, id: id) else { return }
        deliver(packet)
    }

    private func chatterer(for kind: Chatter.Kind, at start: Int) -> SimulatedNode? {
        let wanted: (SimulatedNode) -> Bool =
            switch kind {
            case .storeForward: { $0.isStoreForwardServer }
            case .keyConflict: { $0.announcedKey != nil }
            case .position: { $0.position != nil }
            case .metrics: { $0.metrics != nil }
            case .directText: { $0.publicKey != nil && ($0.ownKey ?? $0.publicKey) == $0.publicKey }
            case .nodeInfo: { $0.user != nil }
            default: { _ in true }
            }
        for offset in nodes.indices {
            let node = nodes[(start + offset) % nodes.count]
            if node.behaviour != .isSilent || node.user == nil, node.behaviour != .isOnlyRelayed, wanted(node) {
                return node
            }
        }
        return nil
    }

    private mutating func packet(_ kind: Chatter.Kind, from node: SimulatedNode, id: PacketID) -> MeshPacket? {
        switch kind {
        case .metrics: return broadcast(.telemetry, aged(node).encoded(), from: node, id: id)
        case .position: return broadcast(.position, moved(node).encoded(), from: node, id: id)
        case .nodeInfo, .keyConflict:
            guard var user = node.user else { return nil }
            if let key = node.announcedKey { user.publicKey = key }
            return broadcast(.nodeInfo, user.encoded(), from: node, id: id)
        case .text, .reply, .reaction, .directText: return text(kind, from: node, id: id)
        case .environment: return broadcast(.telemetry, weather().encoded(), from: node, id: id)
        case .neighbors: return broadcast(.neighborInfo, neighbors(of: node).encoded(), from: node, id: id)
        case .waypoint: return broadcast(.waypoint, waypoint().encoded(), from: node, id: id)
        case .nodeStatus:
            let status = ["at home", "on the road 🚗", "low battery", "on watch"].randomElement(
                using: &chatter.generator)!
            return broadcast(.nodeStatus, WireWriter.message { $0.text(1, status) }, from: node, id: id)
        case .paxcounter:
            let count = Paxcount(
                wifi: UInt32.random(in: 0...40, using: &chatter.generator),
                ble: UInt32.random(in: 0...60, using: &chatter.generator), uptime: UInt32(now) + 600)
            return broadcast(.paxcounter, count.encoded(), from: node, id: id)
        case .storeForward:
            // 2.8.1 repeats under new ids; before that nothing would tell a repetition from what was said.
            if options.firmware == .v2_8_1, let said = chatter.texts.randomElement(using: &chatter.generator) {
                hearRepeated(
                    said.text, from: said.sender, original: said.id, isBroadcast: true, channel: said.channel, id: id)
                return nil
            }
            let heartbeat = WireWriter.message { $0.number(1, 900) }
            let payload = WireWriter.message {
                $0.number(1, 2); $0.message(4, heartbeat)
            }
            return broadcast(.storeForward, payload, from: node, id: id)
        case .traceroute:
            // A request to us: the radio answers it itself, the host only hears of it.
            let data = MeshData(
                port: .traceroute, payload: RouteDiscovery().encoded(), wantResponse: true, bitfield: 3)
            return heard(data, from: node, to: number, channel: 0, id: id, wantsAck: true)
        case .alert: return broadcast(.alert, Array("Avalanche warning\u{7}".utf8), from: node, id: id)
        case .detection: return broadcast(.detectionSensor, Array("Gate detected".utf8), from: node, id: id)
        case .undecodable: return undecodable(from: node, id: id)
        case .own: return nil
        }
    }

    private func broadcast(
        _ port: PortNumber, _ payload: [UInt8], from node: SimulatedNode, id: PacketID, channel: UInt32 = 0
    ) -> MeshPacket {
        heard(
            MeshData(port: port, payload: payload, bitfield: 1), from: node, to: .broadcast, channel: channel, id: id)
    }

    private mutating func text(_ kind: Chatter.Kind, from node: SimulatedNode, id: PacketID) -> MeshPacket {
        let phrase = Chatter.phrases.randomElement(using: &chatter.generator)!
        let channels = channels.filter { $0.role != .disabled }.map { UInt32($0.index) }
        var channel = channels.randomElement(using: &chatter.generator) ?? 0
        var data = MeshData(port: .textMessage, payload: Array(phrase.utf8), bitfield: 1)
        if kind == .directText {
            data.bitfield = 0
            var packet = heard(data, from: node, to: number, channel: 0, id: id, wantsAck: true)
            (packet.pkiEncrypted, packet.publicKey) = (true, node.publicKey)
            return packet
        }
        if kind != .text, let earlier = chatter.texts.randomElement(using: &chatter.generator) {
            (data.replyID, channel) = (earlier.id, earlier.channel)
            if kind == .reaction { (data.emoji, data.payload) = (1, Array("👍".utf8)) }
        }
        if data.emoji == 0 {
            chatter.remember(.init(id: id, channel: channel, sender: node.number, text: phrase))
        }
        return heard(data, from: node, to: .broadcast, channel: channel, id: id)
    }

    /// Under a channel that we do not have.
    private mutating func undecodable(from node: SimulatedNode, id: PacketID) -> MeshPacket? {
        if options.hiddenChannel != nil {
            let phrase = Chatter.phrases.randomElement(using: &chatter.generator)!
            let data = MeshData(port: .textMessage, payload: Array(phrase.utf8), bitfield: 1)
            return hidden(heard(data, from: node, to: .broadcast, channel: 0, id: id))
        }
        let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &chatter.generator) }
        guard options.firmware == .v2_7 else { return nil }
        var packet = broadcast(.unknown, [], from: node, id: id, channel: 0x5C)
        packet.payload = .encrypted(bytes)
        return packet
    }

    private mutating func aged(_ node: SimulatedNode) -> Telemetry {
        var metrics = node.metrics ?? Telemetry(kind: .device, values: [])
        metrics.time = epoch(at: now)
        for index in metrics.values.indices {
            switch metrics.values[index].name {
            case "batteryLevel" where (2...100).contains(metrics.values[index].value): metrics.values[index].value -= 1
            case "uptimeSeconds": metrics.values[index].value += 900
            default: break
            }
        }
        change(node.number) { $0.metrics = metrics }
        return metrics
    }

    /// A step of some metres, in units of the precision that the node shares.
    private mutating func moved(_ node: SimulatedNode) -> Position {
        var position = node.position ?? Position()
        let bits = position.precisionBits ?? 32
        let step = Int32.random(in: -1...1, using: &chatter.generator) * max(400, bits < 32 ? 1 << Int32(32 - bits) : 0)
        position.latitudeI = position.latitudeI.map { Population.clamped($0 &+ step, bits: bits) }
        position.time = epoch(at: now)
        position.groundSpeed = UInt32.random(in: 0...6, using: &chatter.generator)
        position.groundTrack = UInt32.random(in: 0..<36_000_000, using: &chatter.generator)
        change(node.number) { $0.position = position }
        return position
    }

    private mutating func weather() -> Telemetry {
        Telemetry(
            time: epoch(at: now), kind: .environment,
            values: [
                .init("temperature", Double(Int.random(in: -40...110, using: &chatter.generator)) / 4),
                .init("humidity", Double(Int.random(in: 20...100, using: &chatter.generator))),
                .init("pressure", Double(Int.random(in: 860...960, using: &chatter.generator))),
            ])
    }

    private mutating func neighbors(of node: SimulatedNode) -> NeighborInfo {
        let others = nodes.prefix(40).filter { $0.number != node.number && $0.user != nil }.shuffled(
            using: &chatter.generator)
        return NeighborInfo(
            number: node.number, lastSentBy: node.number, broadcastInterval: 14_400,
            neighbors: others.prefix(4).map { .init(number: $0.number, snr: $0.snr) })
    }

    private mutating func waypoint() -> Waypoint {
        let names = ["Spring", "Shelter", "Meeting point", "⚠️ rockfall"]
        return Waypoint(
            id: UInt32.random(in: 1...6, using: &chatter.generator), latitudeI: Int32(Population.town.latitude * 1e7),
            longitudeI: Int32(Population.town.longitude * 1e7)
                + Int32.random(in: 0...900_000, using: &chatter.generator),
            expire: UInt32(Int32.max), name: names.randomElement(using: &chatter.generator)!, icon: 0x26F0)
    }
}
