import Foundation
import MeshModel
import MeshProtocol
import Store

extension PlayedRecording {
    /// The oracle's packets as they should have been taken in: a replayed value is a packet when the node's newest one of
    /// its kind says something else and is older.
    var expectedPackets: [OraclePacket] {
        struct Kind: Hashable { var from: NodeNumber, name: String }
        var newest: [Kind: (at: Int64, says: NSDictionary)] = [:]
        return oracle.packets.filter { packet in
            guard let reading = packet.reading else { return !packet.isReplay }
            let kind = Kind(from: packet.from, name: reading.kind)
            let known = newest[kind]
            let heardAt = packet.rxTime.map { min(Int64($0) * 1000, oracle.time) } ?? known?.at ?? 0
            let isNewer = known.map { $0.says != reading.says && heardAt > $0.at } ?? true
            guard isNewer || !packet.isReplay else { return false }
            if !packet.isSpoofed(own: oracle.ownNumber) {
                newest[kind] = (packet.isReplay ? heardAt : oracle.time, reading.says)
            }
            return true
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

extension OraclePacket {
    /// What the firmware keeps and repeats of a packet: a place, values of one kind, a status. Nil: nothing.
    fileprivate var reading: (kind: String, says: NSDictionary)? {
        guard let content else { return nil }
        switch port {
        case 3 where ExpectedNode.hasFix(content):
            let place = ["latitude_i", "longitude_i", "altitude"].map { content.has($0) ? content.double($0) : nil }
            return ("position", ["place": place.map { $0.map { "\($0)" } ?? "-" }])
        case 36: return ("status", content.raw as NSDictionary)
        case 67:
            let values = content.raw.filter { !($0.value is NSNull) && $0.key != "time" }
            guard let (kind, says) = values.first, let says = says as? [String: Any], !says.isEmpty else { return nil }
            return (kind, says as NSDictionary)
        default: return nil
        }
    }
}
