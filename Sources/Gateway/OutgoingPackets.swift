import MeshModel
import RadioLink
import Store

// How a text becomes packets (serial reference 3.2 and 5.2).

extension OutgoingText {
    /// One packet a part, with ids that this source has not used before.
    func packets(from radio: RadioSnapshot, _ writer: Writer, in source: SourceID) throws -> [MeshPacket] {
        let own = radio.myInfo.number
        var used: Set<PacketID> = []
        return try parts.enumerated().map { index, part in
            let id = try unusedID(from: own, writer, in: source, besides: &used)
            let data = MeshData(
                port: .textMessage, payload: Array(part.utf8), replyID: index == 0 ? replyID ?? 0 : 0,
                emoji: isTapback ? 1 : 0)
            // `from` is our own number, not 0: a rate limit's NAK is addressed to what stands here.
            var packet = MeshPacket(
                from: own, to: .broadcast, id: id, payload: .decoded(data),
                hopLimit: radio.lora?.effectiveHopLimit ?? 3, wantAck: true)
            switch destination {
            case .channel(let channel):
                packet.channel = UInt32(channel)
            case .node(let number):
                packet.to = number
                packet.pkiEncrypted = try isPrivate(to: number, from: own, writer, in: source)
            }
            return packet
        }
    }

    /// Demands encryption with the recipient's key when that is known and nobody has complained about it. Otherwise the
    /// radio decides. Licensed (ham) nodes never encrypt.
    private func isPrivate(
        to number: NodeNumber, from own: NodeNumber, _ writer: Writer, in source: SourceID
    ) throws -> Bool {
        guard number != own, !number.isBroadcast, let node = try writer.node(number, in: source),
            node.publicKey != nil, !node.keyMismatch
        else { return false }
        return try !node.isLicensed && writer.node(own, in: source)?.isLicensed != true
    }

    /// A random id that is not 0. It is also the encryption's nonce: never one that was used for something else.
    private func unusedID(
        from own: NodeNumber, _ writer: Writer, in source: SourceID, besides used: inout Set<PacketID>
    ) throws -> PacketID {
        while true {
            let id = PacketID.random(in: 1...PacketID.max)
            if used.insert(id).inserted, try writer.message(packetID: id, from: own, in: source) == nil { return id }
        }
    }
}

extension Message {
    /// The row of an own text, before the radio has it.
    init(ownText text: String, packet: MeshPacket, at now: Int64) {
        self.init(
            id: "", from: packet.from, to: packet.to, text: text,
            channel: packet.to.isBroadcast ? Int(packet.channel) : -1, packetID: packet.id, isOwn: true,
            timestamp: now, rxTime: now, replyID: packet.decoded?.replyID == 0 ? nil : packet.decoded?.replyID,
            isTapback: packet.decoded?.emoji != 0, pkiEncrypted: packet.pkiEncrypted, delivery: Delivery(),
            createdAt: now, updatedAt: now)
    }
}
