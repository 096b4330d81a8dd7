import MeshModel
import MeshProtocol

/// What becomes of the host's packets on the mesh (SerialReference 6.1): each takes its airtime, one after the other,
/// and then the destination's behaviour decides which acknowledgements come back and when.
extension Radio {
    mutating func transmit(_ packet: MeshPacket, _ data: MeshData) {
        airFreeAt = max(now, airFreeAt) + airtime(payload: data.payload.count)
        queued += 1
        unconfirmed = unconfirmed.filter { $0.value.until > now }
        if packet.wantAck { unconfirmed[packet.id] = (packet, airFreeAt + patience(payload: 232)) }
        agenda.add(.sent(packet), at: airFreeAt)
    }

    mutating func sent(_ packet: MeshPacket) {
        queued -= 1
        // The firmware says by itself only that a full queue has room again (recording 10-rate-limit-queue-full).
        if queued == Self.queueCapacity - 1 { api.add(queueStatus(0, for: 0)) }
        guard let data = packet.decoded else { return }
        var generator = SeededGenerator(seed: options.seed ^ UInt64(packet.id), purpose: 4)
        let jitter = Double.random(in: 0.2...0.8, using: &generator) * slowness
        if packet.to.isBroadcast {
            if data.port == .traceroute { answerNeighbours(packet, data, hop: airtime(payload: data.payload.count)) }
            confirmBroadcast(packet, after: 2.5 * slowness + jitter)
        } else if let node = node(packet.to) {
            travel(packet, data, to: node, hop: airtime(payload: data.payload.count) + jitter)
        } else if packet.wantAck || data.port == .traceroute, !nodes.isEmpty {
            // Somebody repeats it; nobody is there to answer (SerialReference 14.16).
            arrive(localRouting(.none, for: packet), after: 2.5 * slowness + jitter)
        }
    }

    /// The host is waiting for a word about these, and after the restart nobody will know of them. It is the last one: what
    /// the mesh says in the moment before the restart finds nobody who asks.
    mutating func giveUpUnconfirmed() {
        let given = unconfirmed.filter { $0.value.until > now }
        agenda.removeAll {
            switch $0 {
            case .sent(let packet): given[packet.id] != nil
            case .arrival(let word): word.decoded.map { given[$0.requestID] != nil } ?? false
            default: false
            }
        }
        for (packet, _) in given.values.sorted(by: { $0.packet.id < $1.packet.id }) {
            deliver(localRouting(.maxRetransmit, for: packet))
        }
        unconfirmed = [:]
    }

    /// An acknowledgement, a refusal, or an answer. What was asked is not yet answered by an acknowledgement.
    mutating func noteWord(_ packet: MeshPacket) {
        guard let data = packet.decoded, let asked = unconfirmed[data.requestID]?.packet.decoded else { return }
        if asked.wantResponse, case .routing(.error(.none)) = PacketContent(data) { return }
        unconfirmed[data.requestID] = nil
    }

    /// Nobody acknowledges a broadcast; to be heard repeating it is all there is (SerialReference 6.4).
    private mutating func confirmBroadcast(_ packet: MeshPacket, after delay: Double) {
        guard packet.wantAck else { return }
        let hasNeighbours = nodes.contains { $0.hopsAway == 0 && !$0.viaMQTT }
        if hasNeighbours {
            arrive(localRouting(.none, for: packet), after: delay)
        } else {
            giveUp(packet)
        }
    }

    /// Each node that hears a traceroute to all answers it; the firmware sends it with no hop to go, so that these are the
    /// neighbours.
    private mutating func answerNeighbours(_ packet: MeshPacket, _ data: MeshData, hop: Double) {
        guard data.wantResponse else { return }
        var delay = hop
        for node in nodes where node.hopsAway == 0 && !node.viaMQTT && node.behaviour == .acknowledges {
            delay += airtime(payload: 20) + 0.2 * slowness
            answer(packet, data, from: node, after: delay)
        }
    }

    private mutating func giveUp(_ packet: MeshPacket) {
        arrive(
            localRouting(.maxRetransmit, for: packet),
            after: patience(payload: packet.decoded?.payload.count ?? 0))
    }

    private mutating func travel(_ packet: MeshPacket, _ data: MeshData, to node: SimulatedNode, hop: Double) {
        // The firmware asks for the acknowledgement of a traceroute by itself.
        let wantsAck = packet.wantAck || data.port == .traceroute
        guard wantsAck || data.wantResponse else { return }
        // What was encrypted for a key that it lacks is noise to it; 2.8 says nothing of it (SerialReference 4.5).
        let canRead = !usesPKC(packet, data) || ownKey(of: node) == node.publicKey
        let behaviour = canRead || node.behaviour == .isOnlyRelayed ? node.behaviour : .isSilent
        let isRelayed = behaviour != .isSilent && (node.hopsAway > 0 || isRepeated(packet, data, to: node))
        if wantsAck, isRelayed { arrive(localRouting(.none, for: packet), after: hop) }
        let back = (hop + airtime(payload: 20)) * Double(node.hopsAway + 1)
        switch behaviour {
        case .isOnlyRelayed: break
        case .isSilent:
            if wantsAck { giveUp(packet) }
        case .refuses(let error):
            // It cannot read a direct message, but what is only channel-encrypted it can.
            if usesPKC(packet, data) {
                if wantsAck { arrive(routing(error, from: node, for: packet), after: back) }
            } else {
                answer(packet, data, from: node, after: back)
            }
        case .acknowledges: answer(packet, data, from: node, after: back)
        }
    }

    /// A direct neighbour acknowledges a message faster than anybody repeats it. A request that all can read is repeated
    /// before its answer is there, where there are others to repeat it.
    private func isRepeated(_ packet: MeshPacket, _ data: MeshData, to node: SimulatedNode) -> Bool {
        // A hop limit of 0 is the radio's own where an acknowledgement is wanted.
        data.wantResponse && !usesPKC(packet, data)
            && nodes.contains {
                $0.number != node.number && $0.hopsAway == 0 && !$0.viaMQTT && $0.behaviour != .isSilent
            }
    }

    /// The reply to a request, which is acknowledgement enough, or the acknowledgement.
    private mutating func answer(_ packet: MeshPacket, _ data: MeshData, from node: SimulatedNode, after delay: Double)
    {
        // Our key is in nobody's list of administrators.
        if data.port == .admin {
            return arrive(routing(RoutingError(rawValue: 37), from: node, for: packet), after: delay)
        }
        if data.wantResponse {
            if let payload = response(to: data, from: node) {
                let reply = MeshData(port: data.port, payload: payload, requestID: packet.id, bitfield: 0)
                // A node that asks for confirmation gets it, and a traceroute is always (recording 06-traceroute).
                // Several answer what went to everybody.
                let id = replyID(packet, data.port) &+ (packet.to.isBroadcast ? node.number.rawValue : 0)
                var answer = heard(
                    reply, from: node, to: number, channel: packet.channel, id: id,
                    wantsAck: packet.wantAck || data.port == .traceroute, isAnswer: true)
                if usesPKC(packet, data) {
                    (answer.pkiEncrypted, answer.publicKey, answer.channel) = (true, node.publicKey, 0)
                }
                return arrive(answer, after: delay)
            }
            // Asked for what it does not have, a node acknowledges and then regrets (SerialReference 14.8).
            arrive(routing(.noResponse, from: node, for: packet), after: delay + 0.5)
        }
        if packet.wantAck || data.wantResponse { arrive(routing(.none, from: node, for: packet), after: delay) }
    }

    private func response(to data: MeshData, from node: SimulatedNode) -> [UInt8]? {
        switch data.port {
        case .position: node.position?.encoded()
        case .telemetry: readings(asked: data, of: node)?.encoded()
        case .nodeInfo: node.user?.encoded()
        case .traceroute: route(to: node).encoded()
        case .neighborInfo: neighborReport(of: node).encoded()
        default: nil
        }
    }

    /// The kind that was asked for. Every firmware has statistics, some nodes have a weather sensor, none measures
    /// anything else.
    private func readings(asked data: MeshData, of node: SimulatedNode) -> Telemetry? {
        guard case .telemetry(let asked) = PacketContent(data) else { return nil }
        let digits = Double(node.number.rawValue % 100)
        switch asked.kind {
        case .device: return node.metrics
        case .environment where node.hasWeatherSensor:
            return Telemetry(
                time: epoch(at: now), kind: .environment,
                values: [
                    .init("temperature", 12 + digits / 8), .init("humidity", 40 + digits / 2),
                    .init("pressure", 900 + digits / 4),
                ])
        case .localStats:
            let uptime = node.metrics?["uptimeSeconds"] ?? 3600
            return Telemetry(
                time: epoch(at: now), kind: .localStats,
                values: [
                    .init("uptimeSeconds", uptime), .init("channelUtilization", 6.5),
                    .init("airUtilTx", node.metrics?["airUtilTx"] ?? 1), .init("numPacketsTx", digits),
                    .init("numPacketsRx", 4 * digits), .init("numTotalNodes", Double(nodes.count)),
                ])
        default: return nil
        }
    }

    /// Some of the same distance from us, and us when it is heard directly.
    private func neighborReport(of node: SimulatedNode) -> NeighborInfo {
        var info = NeighborInfo(number: node.number, lastSentBy: node.number, broadcastInterval: 14_400, neighbors: [])
        if node.hopsAway == 0 { info.neighbors.append(.init(number: number, snr: node.snr)) }
        info.neighbors += nodes.filter { $0.hopsAway == node.hopsAway && $0.number != node.number }.prefix(4)
            .map { .init(number: $0.number, snr: $0.snr) }
        return info
    }

    /// Through nodes that are nearer than the target, one of each distance; where there is none the hop stays unknown.
    private func route(to target: SimulatedNode) -> RouteDiscovery {
        var hops: [NodeNumber] = []
        for distance in 0..<target.hopsAway {
            let relay = nodes.first { $0.hopsAway == distance && !$0.viaMQTT && $0.number != target.number }
            hops.append(relay?.number ?? .broadcast)
        }
        let quarters = hops.indices.map { Int32(24 - 6 * $0) }
        let last = Int32(target.snr * 4)
        return RouteDiscovery(
            route: hops, snrTowards: quarters + [last], routeBack: hops.reversed(), snrBack: [last] + quarters)
    }

    /// ROUTING from another node. It comes under the channel's key even for a PKC message (SerialReference 6.1).
    private func routing(_ error: RoutingError, from node: SimulatedNode, for packet: MeshPacket) -> MeshPacket {
        var data = MeshData(
            port: .routing, payload: [0x18, UInt8(error.rawValue)], requestID: packet.id, bitfield: 0)
        // Who has the key of a direct message can prove that (firmware 2.8.1); the radio has looked at the proof.
        let wasEncrypted = packet.decoded.map { usesPKC(packet, $0) } ?? false
        let isProven = options.firmware == .v2_8_1 && error == .none && wasEncrypted
        if isProven {
            var generator = SeededGenerator(seed: options.seed ^ UInt64(packet.id), purpose: 7)
            data.payload += [0x22, 8] + generator.bytes(8)
        }
        var answer = heard(
            data, from: node, to: number, channel: 0, id: replyID(packet, .routing) &+ error.rawValue,
            wantsAck: [.textMessage, .admin].contains(packet.decoded?.port), isAnswer: true)
        if isProven { answer.ackProof = .valid }
        return answer
    }

    private func replyID(_ packet: MeshPacket, _ port: PortNumber) -> PacketID {
        ids(for: UInt64(packet.id) << 16 | UInt64(port.rawValue))
    }

    /// Another node says something now. A stranger is next door and has no key.
    mutating func hear(_ data: MeshData, from sender: NodeNumber, to: NodeNumber, channel: UInt32, id: PacketID) {
        guard let node = node(sender) else {
            return deliver(
                MeshPacket(
                    from: sender, to: to, channel: channel, id: id, payload: .decoded(data), rxSNR: 5.5, rxRSSI: -80,
                    hopLimit: 3, hopStart: 3, wantAck: to == number, relayNode: UInt32(sender.relayByte),
                    transport: .lora))
        }
        markHeard(sender)
        var packet = heard(data, from: node, to: to, channel: channel, id: id, wantsAck: to == number)
        if to == number, let key = ownKey(of: node) {
            // Without its key, or with another one, the radio cannot read it.
            guard key == node.publicKey else { return }
            (packet.pkiEncrypted, packet.publicKey, packet.channel) = (true, key, 0)
        }
        deliver(packet)
    }

    /// The mesh's store-and-forward server repeats a text to us (SerialReference 4.10): in its sender's name, under the
    /// id of the packet or, from 2.8.1 on, under a new one.
    mutating func hearRepeated(
        _ text: String, from sender: NodeNumber, original: PacketID, isBroadcast: Bool, channel: UInt32, id: PacketID
    ) {
        guard let server = nodes.first(where: \.isStoreForwardServer) else { return }
        let namesOriginal = options.firmware == .v2_8_1
        let payload = WireWriter.message {
            $0.number(1, isBroadcast ? 9 : 8)
            $0.text(5, text)
            if namesOriginal { $0.number(6, UInt64(original)) }
        }
        let data = MeshData(port: .storeForward, payload: payload, bitfield: 1)
        var packet = heard(data, from: server, to: number, channel: channel, id: namesOriginal ? id : original)
        packet.from = sender
        deliver(packet)
    }

    /// The same on ``SimulatorOptions/hiddenChannel``, to everybody. The sender must be a node of the mesh.
    mutating func hearHidden(_ data: MeshData, from sender: NodeNumber, id: PacketID) {
        guard let node = node(sender) else { return }
        markHeard(sender)
        if let packet = hidden(heard(data, from: node, to: .broadcast, channel: 0, id: id)) { deliver(packet) }
    }

    /// A packet as it is handed over by a radio that has no key for it; nil: not at all.
    func hidden(_ packet: MeshPacket) -> MeshPacket? {
        guard options.firmware == .v2_7, let channel = options.hiddenChannel,
            let cipher = ChannelCipher(name: channel.name, psk: channel.psk)
        else { return nil }
        return cipher.encrypted(packet, isAuthenticated: channel.usesAEAD)
    }

    /// A packet of another node as it arrives here: what is left of its hops, and the signal of the last one. An answer
    /// sets out with two hops more than the question took, within the usual three (recordings 04-chat-dm-pkc and
    /// 06-traceroute).
    func heard(
        _ data: MeshData, from node: SimulatedNode, to: NodeNumber, channel: UInt32, id: PacketID,
        wantsAck: Bool = false, isAnswer: Bool = false
    ) -> MeshPacket {
        let start = max(isAnswer ? min(3, node.hopsAway + 2) : 3, node.hopsAway)
        return MeshPacket(
            from: node.number, to: to, channel: channel, id: id, payload: .decoded(data), rxSNR: node.snr,
            rxRSSI: node.rssi, hopLimit: start - node.hopsAway, hopStart: start, wantAck: wantsAck,
            viaMQTT: node.viaMQTT, relayNode: UInt32(node.relayByte), transport: .lora,
            xeddsaSigned: to.isBroadcast && node.signs)
    }
}
