import MeshModel
import MeshProtocol
import Store

extension PlayedRecording {
    /// The oracle's packets as they should have been taken in: a replayed value that is already known is no packet.
    var expectedPackets: [OraclePacket] {
        struct Key: Hashable { var from: NodeNumber, id: PacketID }
        var known: Set<Key> = []
        return oracle.packets.filter { packet in
            let isNew = known.insert(Key(from: packet.from, id: packet.id)).inserted
            return isNew || !packet.isReplay
        }
    }

    /// An id as the gateway knows it.
    func mapped(_ id: PacketID) -> PacketID { ids[id] ?? id }

    /// The packet log has every packet, in order, with every field.
    func comparePackets() throws -> Findings {
        var findings = Findings(name)
        let found = try store.read { try $0.packets(PacketQuery(in: source, limit: 100_000)) }.reversed()
            .filter { $0.direction == .rx }.map(\.packet)
        let expected = expectedPackets
        findings.compare("packet log", "count", expected: expected.count, found: found.count)
        for (index, (expected, found)) in zip(expected, found).enumerated() {
            compare(expected, found, "packet \(index) \(expected.from)/\(expected.id)", &findings)
        }
        return findings
    }

    private func compare(_ expected: OraclePacket, _ found: MeshPacket, _ item: String, _ findings: inout Findings) {
        findings.compare(item, "from", expected: expected.from, found: found.from)
        findings.compare(item, "to", expected: expected.to, found: found.to)
        findings.compare(item, "id", expected: expected.id, found: found.id)
        findings.compare(item, "channel", expected: expected.channel, found: found.channel)
        findings.compare(item, "rxTime", expected: expected.rxTime, found: found.rxTime)
        findings.compare(item, "rxSNR", decimal: expected.rxSNR, found: Double(found.rxSNR))
        findings.compare(item, "rxRSSI", expected: expected.rxRSSI, found: found.rxRSSI.map(Int.init))
        findings.compare(item, "hopStart", expected: expected.hopStart, found: found.hopStart)
        findings.compare(item, "hopLimit", expected: expected.hopLimit, found: found.hopLimit)
        findings.compare(item, "wantAck", expected: expected.wantAck, found: found.wantAck)
        findings.compare(item, "priority", expected: expected.priority, found: found.priority)
        findings.compare(item, "viaMQTT", expected: expected.viaMQTT, found: found.viaMQTT)
        findings.compare(item, "pkiEncrypted", expected: expected.pkiEncrypted, found: found.pkiEncrypted)
        findings.compare(item, "publicKey", expected: expected.publicKey, found: found.publicKey?.bytes)
        findings.compare(item, "nextHop", expected: expected.nextHop, found: found.nextHop)
        findings.compare(item, "relayNode", expected: expected.relayNode, found: found.relayNode)
        findings.compare(item, "transport", expected: expected.transport, found: found.transport.rawValue)
        findings.compare(item, "xeddsaSigned", expected: expected.xeddsaSigned, found: found.xeddsaSigned)
        guard let data = found.decoded else { return findings.add(item, "payload", "decoded", "\(found.payload)") }
        findings.compare(item, "port", expected: expected.port, found: data.port.rawValue)
        findings.compare(item, "wantResponse", expected: expected.wantResponse, found: data.wantResponse)
        findings.compare(item, "requestID", expected: mapped(expected.requestID), found: data.requestID)
        findings.compare(item, "replyID", expected: mapped(expected.replyID), found: data.replyID)
        findings.compare(item, "emoji", expected: expected.emoji, found: data.emoji)
        findings.compare(item, "bitfield", expected: expected.bitfield, found: data.bitfield)
        guard let payload = expected.payload else { return }
        // Answers of the radio's own administration lose their secrets before they are stored.
        let stored = data.port == .admin ? Redaction.adminPayload(payload) : payload
        findings.compare(item, "payload", expected: stored, found: data.payload)
    }
}
