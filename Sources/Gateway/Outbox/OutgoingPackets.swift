import MeshModel
import RadioLink
import Store

// How a text becomes packets (SerialReference 3.2 and 5.2).

extension OutgoingText {
    /// One packet a part, with ids that this source has not used before.
    func packets(
        from own: NodeNumber, hopLimit: UInt32, _ writer: Writer, in source: SourceID
    ) throws -> [MeshPacket] {
        var used: Set<PacketID> = []
        return try parts.enumerated().map { index, part in
            let id = try unusedID(from: own, writer, in: source, besides: &used)
            let data = MeshData(
                port: port, payload: Array(part.utf8) + (port == .alert ? [Self.bell] : []),
                replyID: index == 0 ? replyID ?? 0 : 0,
                emoji: isTapback ? 1 : 0)
            // `from` is our own number, not 0: a rate limit's NAK is addressed to what stands here.
            var packet = MeshPacket(
                from: own, to: .broadcast, id: id, payload: .decoded(data),
                hopLimit: hopLimit, wantAck: true)
            switch destination {
            case .channel(let channel):
                packet.channel = UInt32(channel)
            case .node(let number):
                packet.to = number
                packet.publicKey = try Self.demandedKey(of: number, from: own, writer, in: source)
                packet.pkiEncrypted = packet.publicKey != nil
            }
            return packet
        }
    }

    /// BEL: what receivers ring by (SerialReference 4.2).
    private static let bell: UInt8 = 7

    /// The recipient's pinned key: the radio refuses to send (PKI_FAILED) when it has another one, instead of encrypting
    /// for those who have that. Without a key the radio decides. Licensed (ham) nodes never encrypt.
    static func demandedKey(
        of number: NodeNumber, from own: NodeNumber, _ writer: Writer, in source: SourceID
    ) throws -> PublicKey? {
        guard number != own, !number.isBroadcast, let node = try writer.node(number, in: source), !node.isLicensed,
            try writer.node(own, in: source)?.isLicensed != true
        else { return nil }
        return node.publicKey
    }
}

/// A random id that is not 0. It is also the encryption's nonce: never one that was used for something else.
func unusedID(
    from own: NodeNumber, _ writer: Writer, in source: SourceID, besides used: inout Set<PacketID>
) throws -> PacketID {
    var id: PacketID
    repeat {
        id = writer.random()
    } while try id == 0 || !used.insert(id).inserted || writer.isUsed(id, from: own, in: source)
    return id
}

extension Message {
    /// The row of an own text, before the radio has it; `partsToCome` follow it. Clients that read times as whole seconds
    /// turn around what they were given, newest first, within one second: each part has a second of its own, and
    /// none lies in the future, where it would hide what others say meanwhile from those who ask since the last.
    init(ownText text: String, packet: MeshPacket, partsToCome: Int, at now: Int64) {
        let timestamp = now - 1_000 * Int64(partsToCome)
        self.init(
            id: "", from: packet.from, to: packet.to, text: text,
            channel: packet.to.isBroadcast ? Int(packet.channel) : -1,
            port: packet.decoded?.port == .alert ? .alert : .textMessage,
            packetID: packet.id, isOwn: true,
            timestamp: timestamp, rxTime: timestamp,
            replyID: packet.decoded?.replyID == 0 ? nil : packet.decoded?.replyID,
            isTapback: packet.decoded?.emoji != 0, pkiEncrypted: packet.pkiEncrypted,
            delivery: Delivery(wantsAck: packet.wantAck),
            createdAt: now, updatedAt: now)
    }
}
