import MeshModel
import MeshProtocol

/// What the radio does with a packet that the host gives it: the checks in the firmware's order, each with the answer
/// that the firmware gives (serial reference 2.6, 3.2, 8). What passes goes to the transmit queue.
extension Radio {
    mutating func hostSends(_ original: MeshPacket) {
        var packet = original
        // nanopb cannot hold such a payload: the whole frame is dropped silently (serial reference 8.1).
        if let data = packet.decoded, data.payload.count > 234 { return }
        if packet.id == 0 { packet.id = ids(for: UInt64(now * 1e9)) }
        guard api.remember(packet.id) else { return }
        guard let data = packet.decoded else {
            return api.add(queueStatus(32, for: ids(for: UInt64(packet.id))))
        }
        guard passesRateLimit(packet, data) else { return }
        if packet.to == number { return answerLocally(packet, data) }
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
        if data.port == .textMessage, options.firmware == .v2_8, packet.from == number {
            // Addressed to the sender that the host wrote into the packet: with another one it goes on the air.
            arrive(localRouting(.rateLimitExceeded, for: packet), after: 0.01)
        }
        if data.port == .traceroute {
            api.add(
                ClientNotification(
                    replyID: packet.id, time: epoch(at: now) ?? 0, level: 30,
                    message: "A traceroute is allowed every 30 seconds"))
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
        // 239 bytes fit on the air, PKC takes 12 of them (serial reference 8.1).
        var size = data.payload.count + 7
        if data.replyID != 0 { size += 5 }
        if data.emoji != 0 { size += 5 }
        if data.wantResponse { size += 2 }
        return size > (usesPKC ? 227 : 239) || data.payload.count > 232 ? .tooLarge : nil
    }

    /// Serial reference 5.2.
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

    /// Local admin, and the plain acknowledgement of anything else (serial reference 3.3, 4.13).
    private mutating func answerLocally(_ packet: MeshPacket, _ data: MeshData) {
        api.add(queueStatus(0, for: packet.id))
        guard data.port == .admin else {
            if packet.wantAck { arrive(localRouting(.none, for: packet), after: 0.01) }
            return
        }
        let answer = answer(toAdmin: data.payload)
        if packet.wantAck { arrive(localRouting(.none, for: packet), after: 0.01) }
        guard data.wantResponse else { return }
        switch answer {
        case .response(let payload):
            let reply = MeshData(port: .admin, payload: payload, requestID: packet.id)
            arrive(local(reply, for: packet), after: 0.01)
        case .done: arrive(localRouting(.none, for: packet), after: 0.01)
        case .ignored: arrive(localRouting(.noResponse, for: packet), after: 0.01)
        }
    }

    private enum AdminAnswer {
        case response([UInt8])
        case done
        case ignored
    }

    /// The field numbers are AdminMessage's (serial reference 4.14). Settings cannot be changed: that is `ignored`.
    private mutating func answer(toAdmin payload: [UInt8]) -> AdminAnswer {
        guard let (field, value) = firstField(of: payload) else { return .ignored }
        let target = NodeNumber(UInt32(truncatingIfNeeded: value))
        func response(_ field: UInt32, _ content: [UInt8]) -> AdminAnswer {
            .response(WireWriter.message { $0.message(field, content) })
        }
        switch field {
        case 1 where (1...8).contains(value): return response(2, Self.inner(of: .channel(channel(Int(value) - 1))))
        case 3: return response(4, user.encoded())
        case 5 where value < 10: return response(6, settings.config(UInt32(value) + 1))
        case 7 where settings.moduleTags.contains(UInt32(clamping: value) &+ 1):
            return response(8, settings.moduleConfig(UInt32(value) + 1))
        case 12: return response(13, Self.inner(of: .metadata(metadata)))
        case 38: forget(target)
        case 39: change(target) { $0.isFavorite = true }
        case 40: change(target) { $0.isFavorite = false }
        case 43: setClock(UInt32(truncatingIfNeeded: value))
        case 47: change(target) { $0.isIgnored = true }
        case 48: change(target) { $0.isIgnored = false }
        case 49: change(target) { $0.isMuted.toggle() }
        case 66:
            guard case .admin(.addContact(let contact)) = PacketContent(MeshData(port: .admin, payload: payload)) else {
                return .ignored
            }
            add(contact)
        case 97: agenda.add(.reboot, at: now + Double(Int32(truncatingIfNeeded: value)))
        default: return .ignored
        }
        return .done
    }

    /// The content of a FromRadio's variant, without its number and length: both are varints.
    private static func inner(of message: FromRadio) -> [UInt8] {
        let isLast = { (byte: UInt8) in byte & 0x80 == 0 }
        let bytes = message.encoded()
        guard let key = bytes.firstIndex(where: isLast),
            let length = bytes[(key + 1)...].firstIndex(where: isLast)
        else { return [] }
        return Array(bytes[(length + 1)...])
    }

    // MARK: The radio's own words

    /// ROUTING from the radio itself: `none` is the implicit acknowledgement, anything else a local failure.
    func localRouting(_ error: RoutingError, for packet: MeshPacket) -> MeshPacket {
        let payload: [UInt8] = [0x18, UInt8(error.rawValue)]
        return local(MeshData(port: .routing, payload: payload, requestID: packet.id), for: packet)
    }

    private func local(_ data: MeshData, for packet: MeshPacket) -> MeshPacket {
        MeshPacket(
            from: number, to: number, channel: data.port == .admin ? 0 : packet.channel,
            id: ids(for: UInt64(packet.id) << 32 | UInt64(data.payload.last ?? 0) << 8 | UInt64(data.port.rawValue)),
            payload: .decoded(data), hopLimit: 3, priority: 120)
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
        guard settings.region != 0 || packet.from == number else { return }
        var packet = packet
        packet.rxTime = packet.rxTime ?? epoch(at: now)
        api.add(packet)
    }

    /// Heartbeat 1 is a command: broadcast our NodeInfo. All that the host sees of it is the packet's queue status.
    mutating func announce() {
        api.add(queueStatus(0, for: ids(for: UInt64(now * 1e9))))
    }
}
