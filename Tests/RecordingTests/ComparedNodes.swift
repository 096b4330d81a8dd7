import CMeshtastic
import MeshModel
import Store

extension PlayedRecording {
    /// Every node that the oracle knows has a row with everything that is known about it.
    func compareNodes() throws -> Findings {
        var findings = Findings(name)
        let rows = try store.read { try $0.nodes(try $0.nodeNumbers(in: source), in: source) }
        let found = Dictionary(uniqueKeysWithValues: rows.map { ($0.number, $0) })
        findings.compare("nodes", "a row for everybody", expected: false, found: found[.broadcast] != nil)
        for (number, expected) in expectedNodes().sorted(by: { $0.key < $1.key }) {
            if let node = found[number] {
                compare(expected, node, "node \(number)", &findings)
            } else {
                findings.add("node \(number)", "row", "one", "none")
            }
        }
        return findings
    }

    /// The rows by the rules of ``ExpectedNode``: the oracle's node infos and packets in the order of the recording.
    private func expectedNodes() -> [NodeNumber: ExpectedNode] {
        var nodes = [oracle.ownNumber: ExpectedNode(lastHeard: oracle.time / 1000)]
        var infos = oracle.nodeInfos[...]
        for packet in expectedPackets {
            while let next = infos.first, next.t <= packet.t {
                remember(next.info, &nodes)
                infos.removeFirst()
            }
            hear(packet, &nodes)
        }
        for next in infos { remember(next.info, &nodes) }
        return nodes
    }

    private func remember(_ info: Fields, _ nodes: inout [NodeNumber: ExpectedNode]) {
        let number = NodeNumber(info.unsigned("num"))
        nodes[number, default: ExpectedNode()].remember(info, isOwn: number == oracle.ownNumber, at: oracle.time)
    }

    private func hear(_ packet: OraclePacket, _ nodes: inout [NodeNumber: ExpectedNode]) {
        guard !packet.isSpoofed(own: oracle.ownNumber) else { return }
        nodes[packet.from, default: ExpectedNode()].hear(packet, at: oracle.time)
        guard let content = packet.content else { return }
        nodes[packet.from]!.apply(packet, content, isOwn: packet.from == oracle.ownNumber, at: oracle.time)
        if packet.port == 5, let text = posts.first(where: { $0.recorded.id == packet.requestID })?.recorded {
            // The recipient has another key than the radio knows of it: PKI_FAILED from the radio itself, and NO_CHANNEL
            // from who cannot read what was encrypted for it.
            let error = content.number("error_reason", in: meshtastic__routing__error__descriptor)
            let isKnown = nodes[text.to]?.publicKey != nil
            let isOld = error == 34 && packet.from == oracle.ownNumber || error == 6 && packet.from == text.to
            if isOld, isKnown, !text.to.isBroadcast { nodes[text.to]!.keyMismatch = true }
        }
    }

    /// Nodes that some handshake names. The oracles of 2.8 have each node's last node info only: of one that the radio
    /// has forgotten since, they do not tell what it was called before.
    private var introducedNodes: Set<NodeNumber> {
        Set(
            recording.segments.flatMap(\.messages).compactMap { message, _ in
                guard case .nodeInfo(let info) = message, info.user != nil else { return nil }
                return info.number
            })
    }

    private func compare(_ expected: ExpectedNode, _ found: Node, _ item: String, _ findings: inout Findings) {
        if expected.isNamed || !introducedNodes.contains(found.number) {
            findings.compare(item, "longName", expected: expected.longName, found: found.longName)
            findings.compare(item, "shortName", expected: expected.shortName, found: found.shortName)
            findings.compare(item, "hardwareModel", expected: expected.hardwareModel, found: found.hardwareModel)
            findings.compare(item, "role", expected: expected.role, found: found.role)
            findings.compare(item, "macAddress", expected: expected.macAddress, found: found.macAddress)
            findings.compare(item, "publicKey", expected: expected.publicKey, found: found.publicKey?.bytes)
        }
        findings.compare(item, "keyMismatch", expected: expected.keyMismatch, found: found.keyMismatch)
        findings.compare(item, "isLicensed", expected: expected.isLicensed, found: found.isLicensed)
        findings.compare(item, "isUnmessagable", expected: expected.isUnmessagable, found: found.isUnmessagable)
        findings.compare(item, "isFavorite", expected: expected.isFavorite, found: found.isFavorite)
        findings.compare(item, "isIgnored", expected: expected.isIgnored, found: found.isIgnored)
        findings.compare(item, "isMuted", expected: expected.isMuted, found: found.isMuted)
        findings.compare(
            item, "isKeyManuallyVerified", expected: expected.isKeyManuallyVerified, found: found.isKeyManuallyVerified)
        findings.compare(item, "hasXEdDSASigned", expected: expected.hasXEdDSASigned, found: found.hasXEdDSASigned)
        compareReception(expected, found, item, &findings)
        compareReports(expected, found, item, &findings)
    }

    private func compareReception(
        _ expected: ExpectedNode, _ found: Node, _ item: String, _ findings: inout Findings
    ) {
        findings.compare(item, "hopsAway", expected: expected.hopsAway, found: found.hopsAway)
        findings.compare(item, "lastMessageHops", expected: expected.lastMessageHops, found: found.lastMessageHops)
        findings.compare(item, "viaMQTT", expected: expected.viaMQTT, found: found.viaMQTT)
        findings.compare(item, "lastHeard", expected: expected.lastHeard, found: found.lastHeard)
        findings.compare(item, "snr", decimal: expected.snr, found: found.snr)
        findings.compare(item, "rssi", expected: expected.rssi, found: found.rssi)
        findings.compare(item, "channel", expected: expected.channel, found: found.channel)
    }

    private func compareReports(_ expected: ExpectedNode, _ found: Node, _ item: String, _ findings: inout Findings) {
        findings.compare(item, "latitude", decimal: expected.latitudeI.map { Double($0) / 1e7 }, found: found.latitude)
        findings.compare(
            item, "longitude", decimal: expected.longitudeI.map { Double($0) / 1e7 }, found: found.longitude)
        findings.compare(item, "altitude", expected: expected.altitude.map(Int.init), found: found.altitude)
        findings.compare(
            item, "positionPrecisionBits", expected: expected.precisionBits, found: found.positionPrecisionBits)
        findings.compare(
            item, "batteryLevel", decimal: expected.batteryLevel, found: found.batteryLevel.map(Double.init))
        findings.compare(item, "voltage", decimal: expected.voltage, found: found.voltage)
        findings.compare(
            item, "channelUtilization", decimal: expected.channelUtilization, found: found.channelUtilization)
        findings.compare(item, "airUtilTx", decimal: expected.airUtilTx, found: found.airUtilTx)
        findings.compare(item, "uptime", decimal: expected.uptime, found: found.uptimeSeconds.map(Double.init))
        findings.compare(item, "status", expected: expected.status, found: found.status)
        findings.compare(
            item, "isStoreForwardServer", expected: expected.isStoreForwardServer,
            found: found.isStoreForwardServer ?? false)
    }
}
