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

    /// - Returns: whether the report counts for this message.
    fileprivate func change(_ message: inout Message) -> Bool {
        guard message.delivery?.routed(error, by: packet.from, own: own, destination: message.to) == true else {
            return false
        }
        if error == .none, packet.from == message.to, message.delivery?.state == .confirmed {
            // Who acknowledged tells how the way back was (contract 3.6).
            message.relayNode = packet.relayNode
            message.rxSNR = packet.rxSNR.decimalDouble
            message.rxRSSI = packet.rxRSSI.map(Int.init)
        }
        return true
    }
}

extension Writer {
    func apply(_ report: DeliveryReport, in source: SourceID, at now: Int64) throws {
        try settle(report.packetID, in: source, at: now) { report.change(&$0) }
    }

    /// - Parameter lora: the radio's settings, which tell what its refusal means.
    func apply(_ status: QueueStatus, lora: LoRaSettings?, in source: SourceID, at now: Int64) throws {
        try settle(status.packetID, in: source, at: now) { message in
            message.delivery?.queued(result: status.result, lora: lora)
            return true
        }
    }

    func updateDelivery(
        of id: PacketID, in source: SourceID, at now: Int64, _ change: (inout Delivery) -> Void
    ) throws {
        try updateMessage(packetID: id, in: source, at: now) { message in
            if message.delivery != nil { change(&message.delivery!) }
        }
    }

    /// The radio has the packet, or will never take it: it need not be given again. When it failed for a key's sake, the
    /// recipient's key is in doubt.
    private func settle(
        _ id: PacketID, in source: SourceID, at now: Int64, _ change: (inout Message) -> Bool
    ) throws {
        var counts = false
        let updated = try updateMessage(packetID: id, in: source, at: now) { counts = change(&$0) }
        // Requests and settings of the radio have no message, or one without a delivery: any word about them will do.
        guard let updated, updated.delivery != nil else { return try removeOutbox(packetID: id, in: source) }
        guard counts else { return }
        try removeOutbox(packetID: id, in: source)
        guard let delivery = updated.delivery, !updated.to.isBroadcast else { return }
        if delivery.state == .failed, delivery.error?.concernsKey == true {
            try updateNode(updated.to, in: source, at: now) { $0.failedByKey(at: now) }
        } else if delivery.state == .confirmed, updated.pkiEncrypted {
            try updateNode(updated.to, in: source, at: now) { $0.acknowledgedUnderKey() }
        }
    }
}
