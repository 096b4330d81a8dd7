import MeshModel
import MeshProtocol

/// What the radio does with a packet that the host gives it: the checks in the firmware's order, each with the answer
/// that the firmware gives (SerialReference 2.6, 3.2, 8.1 and 8.2). What passes goes to the transmit queue.
extension Radio {
    mutating func hostSends(_ original: MeshPacket, frame: [UInt8]) {
        var packet = original
        // nanopb cannot hold such a payload: the whole frame is dropped silently (SerialReference 8.1).
        if let data = packet.decoded, data.payload.count > 234 { return }
        if packet.id == 0 { packet.id = ids(for: UInt64(now * 1e9)) }
        guard api.remember(packet.id) else { return }
        guard let data = packet.decoded else {
            return api.add(queueStatus(32, for: ids(for: UInt64(packet.id))))
        }
        guard passesRateLimit(packet, data) else { return }
        if packet.to == number { return answerLocally(packet, data, frame: frame) }
        if let error = refusal(packet, data) {
            api.add(queueStatus(Int32(error.rawValue), for: packet.id))
            return arrive(localRouting(error, for: packet), after: 0.01)
        }
        // MeshTypes' ERRNO_DISABLED and ERRNO_UNKNOWN: no ROUTING packet goes with them at once.
        guard settings.region != 0 else {
            api.add(queueStatus(34, for: packet.id))
            if packet.wantAck { arrive(localRouting(.maxRetransmit, for: packet), after: 21) }
            return
        }
        guard takesPlaceInQueue() else { return api.add(queueStatus(32, for: packet.id)) }
        transmit(packet, data)
        api.add(queueStatus(0, for: packet.id))
    }

    /// Per port and session; a packet that comes too early is dropped, and all but a text on 2.8 gets no nak.
    private mutating func passesRateLimit(_ packet: MeshPacket, _ data: MeshData) -> Bool {
        guard options.limitsRates else { return true }
        let interval: Double
        switch data.port {
        case .textMessage: interval = 2
        case .position, .waypoint, .alert, .telemetry: interval = 10
        case .traceroute: interval = 30
        default: return true
        }
        let isFlood = data.port == .traceroute && packet.to.isBroadcast && packet.hopLimit > 0
        if !isFlood, now - (api.lastAccepted[data.port] ?? -.infinity) >= interval {
            api.lastAccepted[data.port] = now
            return true
        }
        api.add(queueStatus(0, for: packet.id))
        if data.port == .textMessage, options.firmware != .v2_7, packet.from == number {
            // Addressed to the sender that the host wrote into the packet: with another one it goes on the air.
            arrive(localRouting(.rateLimitExceeded, for: packet), after: 0.01)
        }
        if data.port == .traceroute {
            api.add(
                ClientNotification(
                    replyID: packet.id, time: epoch(at: now) ?? 0, level: 30,
                    message: "TraceRoute can only be sent once every 30 seconds"))
        }
        return false
    }

    /// Errors that the radio finds before it sends.
    private func refusal(_ packet: MeshPacket, _ data: MeshData) -> RoutingError? {
        let channel = channel(Int(min(packet.channel, 8)))
        guard channel.role != .disabled else { return .noChannel }
        let usesPKC = usesPKC(packet, data)
        if packet.pkiEncrypted, !usesPKC { return .pkiFailed }
        if usesPKC {
            guard let key = node(packet.to)?.publicKey else { return .pkiSendFailPublicKey }
            if packet.pkiEncrypted, let wanted = packet.publicKey, wanted != key { return .pkiFailed }
        }
        // 239 bytes fit on the air, PKC takes 12 of them (SerialReference 8.1).
        var size = data.payload.count + 7
        if data.replyID != 0 { size += 5 }
        if data.emoji != 0 { size += 5 }
        if data.wantResponse { size += 2 }
        return size > (usesPKC ? 227 : 239) || data.payload.count > 232 ? .tooLarge : nil
    }

    /// SerialReference 5.2.
    func usesPKC(_ packet: MeshPacket, _ data: MeshData) -> Bool {
        guard !packet.to.isBroadcast else { return false }
        return ![.traceroute, .nodeInfo, .routing, .position].contains(data.port)
    }

    private mutating func takesPlaceInQueue() -> Bool {
        if misbehaviour.contains(.fullQueue) {
            guard !queueIsFull else { return false }
            defer { refusesNext.toggle() }
            if refusesNext {
                queueIsFull = true
                agenda.add(.roomInQueue, at: now + 5)
                return false
            }
        }
        return queued < Self.queueCapacity
    }

    // MARK: Packets to ourselves

    /// What a module answers comes in place of the acknowledgement, and is a packet of the radio with a queue status of its
    /// own (recording 12-admin): on 2.8 before the request's, on 2.7 after it. Only where no module says anything the
    /// packet is acknowledged, if it is to be, and a request has NO_RESPONSE after that.
    private mutating func answerLocally(_ packet: MeshPacket, _ data: MeshData, frame: [UInt8]) {
        let answer = answer(toOwn: data, channel: packet.channel, frame: frame)
        var reply: MeshPacket?
        if data.wantResponse {
            switch answer {
            case .reply(let port, let payload):
                reply = local(
                    MeshData(port: port, payload: payload, requestID: packet.id), for: packet, hopLimit: 3,
                    priority: 70)
            case .word(let error): reply = localRouting(error, for: packet, hopLimit: 3)
            case .silence, .nobody: break
            }
        }
        var statuses = [queueStatus(0, for: packet.id)]
        if let reply { statuses.insert(queueStatus(0, for: reply.id), at: options.firmware != .v2_7 ? 0 : 1) }
        for status in statuses { api.add(status) }
        if let reply { return arrive(reply, after: 0.01) }
        if packet.wantAck { arrive(localRouting(.none, for: packet, hopLimit: 3), after: 0.01) }
        if data.wantResponse, case .nobody = answer {
            arrive(localRouting(.noResponse, for: packet, hopLimit: 3), after: 0.01)
        }
    }

    // MARK: The radio's own words

    /// ROUTING from the radio itself: `none` is the implicit acknowledgement, anything else a local failure. About packets
    /// to others it has no hops to go (recordings 06-traceroute and 10-rate-limit-queue-full).
    func localRouting(_ error: RoutingError, for packet: MeshPacket, hopLimit: UInt32 = 0) -> MeshPacket {
        let payload: [UInt8] = [0x18, UInt8(error.rawValue)]
        return local(
            MeshData(port: .routing, payload: payload, requestID: packet.id), for: packet, hopLimit: hopLimit,
            priority: 120)
    }

    private func local(_ data: MeshData, for packet: MeshPacket, hopLimit: UInt32, priority: UInt32) -> MeshPacket {
        MeshPacket(
            from: number, to: number, channel: data.port == .admin ? 0 : packet.channel,
            id: ids(for: UInt64(packet.id) << 32 | UInt64(data.payload.last ?? 0) << 8 | UInt64(data.port.rawValue)),
            payload: .decoded(data), hopLimit: hopLimit, priority: priority)
    }

    /// An id that depends on the seed and on what it is for, not on when the host came.
    func ids(for purpose: UInt64) -> PacketID {
        var generator = SeededGenerator(seed: options.seed ^ purpose, purpose: 3)
        return generator.packetID()
    }

    mutating func arrive(_ packet: MeshPacket, after delay: Double) {
        agenda.add(.arrival(packet), at: now + delay)
    }

    /// Puts a packet into the host's queue, stamped with the radio's time.
    mutating func deliver(_ packet: MeshPacket) {
        if node(packet.from)?.isIgnored == true { return }
        // What is the radio's own word comes without the air.
        guard settings.region != 0 || packet.from == number, !isOff else { return }
        // The module that is switched off keeps it from the host (SerialReference 3.3).
        if packet.decoded?.port == .neighborInfo, packet.from != number, !settings.hasNeighborInfo { return }
        var packet = packet
        packet.rxTime = packet.rxTime ?? epoch(at: now)
        api.add(packet)
    }

    /// Heartbeat 1 is a command: broadcast our NodeInfo. All that the host sees of it is the packet's queue status.
    mutating func announce() {
        api.add(queueStatus(0, for: ids(for: UInt64(now * 1e9))))
    }
}
