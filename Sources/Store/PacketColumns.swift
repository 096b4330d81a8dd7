import MeshModel

/// The columns that hold a ``MeshPacket``, shared by the packet log and the outbox. Every field has one.
enum PacketColumns {
    /// In the order of ``bind(_:to:)`` and ``read(_:)``.
    static let names = """
        from_node, to_node, packet_id, channel, port, payload, encrypted, rx_time, rx_snr, rx_rssi, hop_limit, \
        hop_start, want_ack, priority, via_mqtt, public_key, pki_encrypted, next_hop, relay_node, transport, \
        xeddsa_signed, delayed, want_response, dest, source_node, request_id, reply_id, emoji, bitfield, \
        xeddsa_signature
        """

    static let placeholders = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"

    static func bind(_ packet: MeshPacket, to statement: Statement) {
        let data = packet.decoded
        var encrypted: [UInt8]?
        if case .encrypted(let bytes) = packet.payload { encrypted = bytes }
        statement.bind(packet.from.rawValue).bind(packet.to.rawValue).bind(packet.id).bind(packet.channel)
            .bind(data?.port.rawValue).bind(data?.payload).bind(encrypted)
            .bind(packet.rxTime).bind(Double(packet.rxSNR)).bind(packet.rxRSSI)
            .bind(packet.hopLimit).bind(packet.hopStart).bind(packet.wantAck).bind(packet.priority)
            .bind(packet.viaMQTT).bind(packet.publicKey?.bytes).bind(packet.pkiEncrypted)
            .bind(packet.nextHop).bind(packet.relayNode).bind(packet.transport.rawValue)
            .bind(packet.xeddsaSigned).bind(packet.delayed)
            .bind(data?.wantResponse).bind(data?.dest).bind(data?.source).bind(data?.requestID)
            .bind(data?.replyID).bind(data?.emoji).bind(data?.bitfield).bind(data?.xeddsaSignature)
    }

    static func read(_ row: Statement) -> MeshPacket {
        let from = NodeNumber(row.unsigned())
        let to = NodeNumber(row.unsigned())
        let id = row.unsigned()
        let channel = row.unsigned()
        let port = row.unsignedOrNil()
        let payload = row.bytesOrNil()
        let encrypted = row.bytesOrNil()
        var packet = MeshPacket(from: from, to: to, channel: channel, id: id, payload: .none)
        packet.rxTime = row.unsignedOrNil()
        packet.rxSNR = Float(row.doubleOrNil() ?? 0)
        packet.rxRSSI = row.signedOrNil()
        packet.hopLimit = row.unsigned()
        packet.hopStart = row.unsigned()
        packet.wantAck = row.flag()
        packet.priority = row.unsigned()
        packet.viaMQTT = row.flag()
        packet.publicKey = row.bytesOrNil().flatMap { PublicKey($0) }
        packet.pkiEncrypted = row.flag()
        packet.nextHop = row.unsigned()
        packet.relayNode = row.unsigned()
        packet.transport = .init(rawValue: row.unsigned())
        packet.xeddsaSigned = row.flag()
        packet.delayed = row.unsigned()
        if let encrypted {
            packet.payload = .encrypted(encrypted)
        } else if let port {
            packet.payload = .decoded(
                MeshData(
                    port: PortNumber(rawValue: port), payload: payload ?? [], wantResponse: row.flag(),
                    dest: row.unsigned(), source: row.unsigned(), requestID: row.unsigned(), replyID: row.unsigned(),
                    emoji: row.unsigned(), bitfield: row.unsignedOrNil(), xeddsaSignature: row.bytes()))
        }
        return packet
    }
}
