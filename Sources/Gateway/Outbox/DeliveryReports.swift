import MeshModel
import MeshProtocol
import Store

// What the radio and the mesh say about own packets, on its way to the message's row.

/// A routing report or an answer that names one packet as its request. Ids that we never issued are the radio's own
/// business: no row has them.
struct DeliveryReport: Sendable {
    let packetID: PacketID
    /// ``RoutingError/none``: it arrived somewhere.
    let error: RoutingError
    private let own: NodeNumber
    private let packet: MeshPacket

    /// - Parameter own: our own node number.
    init?(_ packet: MeshPacket, _ content: PacketContent?, own: NodeNumber) {
        guard let data = packet.decoded, data.requestID != 0, packet.from.mayBeNode,
            !packet.isSpoofed(own: own)
        else { return nil }
        switch content {
        case .routing(.error(let reason)): error = reason
        case .routing, .admin, nil: return nil
        // Any answer proves that the request arrived.
        default: error = .none
        }
        packetID = data.requestID
        self.own = own
        self.packet = packet
    }

    /// What was said against the message by somebody who has a say: the radio itself, or its recipient.
    fileprivate func refusal(of message: Message) -> Refusal {
        guard packet.from == own || packet.from == message.to else { return Refusal() }
        return Refusal(error, by: packet.from, own: own, of: message)
    }

    /// - Returns: whether the report counts for this message.
    fileprivate func change(_ message: inout Message) -> Bool {
        guard message.delivery?.routed(error, by: packet.from, own: own, destination: message.to) == true else {
            return false
        }
        if error == .none, packet.from == message.to, message.delivery?.state == .confirmed {
            // Who acknowledged tells how the way back was (Contract 3.6).
            message.relayNode = packet.relayNode
            message.rxSNR = packet.rxSNR.decimalDouble
            message.rxRSSI = packet.rxRSSI.map(Int.init)
            // An acknowledgement that comes again can bring the proof that the first one lacked.
            if packet.ackProof != .absent, message.delivery?.ackProof != .valid {
                message.delivery?.ackProof = packet.ackProof
            }
        }
        return true
    }
}

/// What was said against an own packet, and what that says about its recipient's key.
///
/// A key is put in doubt by two answers: PKI_FAILED from the own radio, which has another one, and NO_CHANNEL from the
/// recipient of what was encrypted for its key, which firmware 2.7 says when it has a new one. PKI_SEND_FAIL_PUBLIC_KEY
/// says that the radio has no key of it, PKI_UNKNOWN_PUBKEY that it has none of ours.
private struct Refusal {
    var error = RoutingError.none
    var doubtsKey = false
    /// The radio itself said so, and not the recipient.
    var isOfRadio = true

    /// Whether somebody's key is why.
    var concernsKey: Bool { error.concernsKey || doubtsKey }

    init(_ error: RoutingError = .none, doubtsKey: Bool = false) {
        (self.error, self.doubtsKey) = (error, doubtsKey)
    }

    init(_ error: RoutingError, by sender: NodeNumber, own: NodeNumber, of message: Message) {
        let isForOldKey = error == .noChannel && sender == message.to && message.pkiEncrypted
        self.init(error, doubtsKey: sender == own ? error == .pkiFailed : isForOldKey)
        isOfRadio = sender == own
    }
}

/// What follows in the queue from a word about a packet, once it is on disk.
struct Settlement: Sendable {
    /// Nothing more is done for these.
    var ended: Set<PacketID> = []
    /// New packets of the same messages.
    var again: [OutboxQueue.Entry] = []
}

extension AttachedRadio {
    /// On the writer thread.
    func recordDelivery(
        _ report: DeliveryReport, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws -> Settlement {
        try recordDelivery(report.packetID, refusal: { report.refusal(of: $0) }, writer, in: source, at: now) {
            report.change(&$0)
        }
    }

    /// - Parameter lora: the radio's settings, which tell what its refusal means.
    func recordDelivery(
        _ status: QueueStatus, lora: LoRaSettings?, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws -> Settlement {
        let refusal: RoutingError =
            switch status.result {
            // Also its word for a full transmit queue: then it comes again, as after its refusal in so many words.
            case 32: .rateLimitExceeded
            case 39: .pkiSendFailPublicKey
            case 34 where lora?.canTransmit != false: .pkiFailed
            default: .none
            }
        let said = Refusal(refusal, doubtsKey: refusal == .pkiFailed)
        return try recordDelivery(status.packetID, refusal: { _ in said }, writer, in: source, at: now) { message in
            message.delivery?.queued(result: status.result, lora: lora)
            return true
        }
    }

    /// - Parameter refusal: what was said against the packet.
    private func recordDelivery(
        _ id: PacketID, refusal: (Message) -> Refusal, _ writer: Writer, in source: SourceID, at now: Int64,
        _ change: (inout Message) -> Bool
    ) throws -> Settlement {
        guard let message = try writer.ownMessage(packetID: id, in: source), message.delivery != nil else {
            // Requests and settings of the radio have no message, or one without a delivery: any word about them will do.
            try writer.removeOutbox(packetID: id, in: source)
            return Settlement(ended: [id])
        }
        let refusal = refusal(message)
        let attempts = try writer.attempts(of: message, in: source)
        let isLatest = (attempts.last?.packetID ?? message.packetID) == id
        // That an attempt failed says nothing about the one that has taken its place.
        guard refusal.error == .none || isLatest else { return Settlement() }
        if let settlement = try takeUpAgain(message, id, after: refusal, writer, in: source, at: now) {
            return settlement
        }
        try doubtKey(of: message, after: refusal, writer, in: source, at: now)
        var counts = false
        let updated = try writer.updateMessage(packetID: id, in: source, at: now) { message in
            let before = message.delivery?.state
            counts = change(&message)
            guard var delivery = message.delivery, delivery.state > .failed, delivery.state != before else { return }
            delivery.ackedAt = now
            message.delivery = delivery
        }
        guard counts, let updated, let delivery = updated.delivery else { return Settlement() }
        let isDirect = updated.channel < 0
        if delivery.state == .confirmed, isDirect, updated.pkiEncrypted {
            try writer.updateNode(updated.to, in: source, at: now) { $0.acknowledgedUnderKey() }
        }
        guard delivery.isSettled(isDirect: isDirect) else {
            if isLatest { try writer.updateOutbox(packetID: id, in: source) { $0.state = .accepted } }
            return Settlement()
        }
        let ids = try writer.packetIDs(of: message, in: source)
        for id in ids { try writer.removeOutbox(packetID: id, in: source) }
        let later = delivery.state == .failed && isDirect ? try giveUpAfter(updated, writer, in: source, at: now) : []
        return Settlement(ended: ids.union(later))
    }

    /// Makes another attempt of a text that the radio dropped, whose recipient did not know our key yet or could not read
    /// it, or whose recipient the radio had forgotten.
    private func takeUpAgain(
        _ message: Message, _ id: PacketID, after refusal: Refusal, _ writer: Writer, in source: SourceID,
        at now: Int64
    ) throws -> Settlement? {
        // That somebody repeated it does not help a recipient who could not read it.
        guard let state = message.delivery?.state, state < .failed || (state == .relayed && refusal.concernsKey),
            let item = try writer.outbox(of: id, in: source).first(where: { $0.packet.port.isText })
        else { return nil }
        let contact = try giveBack(item, after: refusal.error, writer, in: source, at: now)
        let delay = AutomaticResend.delay(
            after: refusal.error, byRadio: refusal.isOfRadio, saysKeyIsOld: refusal.doubtsKey, resends: item.resends)
        guard let delay = contact.isEmpty ? delay : 0 else { return nil }
        // A radio that has forgotten the key has no other one.
        if contact.isEmpty { try doubtKey(of: message, after: refusal, writer, in: source, at: now) }
        var entries = contact
        // It knows our key and has another one itself: it is asked who it is, and told who we are.
        if refusal.error == .noChannel {
            entries += try askWhoItIs(message.to, writer, in: source, at: now)
        }
        var (packet, used) = (item.packet, Set<PacketID>())
        packet.id = try unusedID(from: packet.from, writer, in: source, besides: &used)
        let again = OutboxItem(
            packet: packet, notBefore: now + delay, expiresAt: item.expiresAt, resends: item.resends + 1,
            sender: item.sender, createdAt: now)
        try writer.removeOutbox(packetID: id, in: source)
        entries.append(try attempt(message, again, leavesNow: false, writer, in: source))
        return Settlement(ended: [id], again: entries)
    }

    private func doubtKey(
        of message: Message, after refusal: Refusal, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws {
        guard refusal.doubtsKey, message.channel < 0, message.delivery?.state != .confirmed,
            try writer.node(message.to, in: source, \.publicKey) != nil
        else { return }
        try writer.updateNode(message.to, in: source, at: now) { $0.failedByKey(at: now) }
        try writer.lowerLinkQuality(of: message.to, in: source, at: now, LinkGrade.keyFailed)
    }

    /// Our names and key to a node, for its own. No request of a person: no chat shows it.
    private func askWhoItIs(
        _ node: NodeNumber, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws -> [OutboxQueue.Entry] {
        let radio = attachment.present(source)
        guard let radio, radio.ownNode?.user != nil else { return [] }
        let packet = try packet(.nodeInfo, of: node, nil, from: radio, at: now, writer, in: source)
        let item = OutboxItem(
            packet: packet, kind: NodeRequest.nodeInfo.rawValue, expiresAt: now + OutboxItem.repetitionWindow,
            createdAt: now)
        return [try insert(item, leavesNow: false, writer, in: source)]
    }

    /// Later parts of a long direct text come to nothing when an earlier one was refused.
    private func giveUpAfter(
        _ message: Message, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws -> Set<PacketID> {
        guard let part = message.part else { return [] }
        // Not what was noted as going out: it may have left, whatever its message says after a crash.
        let waiting = Set(try writer.outbox(in: source).filter { $0.state == .waiting }.map(\.packetID))
        var ids: Set<PacketID> = []
        for later in try writer.parts(of: part.first, in: source)
        where (later.part?.number ?? 0) > part.number && later.delivery?.state == .queued {
            // It can be waiting under a later id, when the parts were sent again.
            guard let id = try writer.packetIDs(of: later, in: source).first(where: waiting.contains) else { continue }
            try writer.giveUp(id, because: .earlierPart, in: source, at: now)
            ids.insert(id)
        }
        return ids
    }
}

extension Writer {
    /// The own message that went out as this packet, at first or later.
    fileprivate func ownMessage(packetID: PacketID, in source: SourceID) throws -> Message? {
        try updateMessage(packetID: packetID, in: source, at: 0) { _ in }
    }

    func updateDelivery(
        of id: PacketID, in source: SourceID, at now: Int64, _ change: (inout Delivery) -> Void
    ) throws {
        try updateMessage(packetID: id, in: source, at: now) { message in
            if message.delivery != nil { change(&message.delivery!) }
        }
    }
}
