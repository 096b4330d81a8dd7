import Foundation
import MeshModel
import Store

// What a client of the REST API sees is what is in the database, which the other comparisons hold against the oracle.

extension PlayedRecording {
    func compareChannelAnswers() throws -> Findings {
        var findings = Findings(name)
        let rows = try list("/api/v1/channels")
        for channel in try store.read({ try $0.channels(in: source) }) {
            let item = "GET channels, \(channel.index)"
            guard let row = rows.first(where: { $0.double("id") == Double(channel.index) }) else {
                findings.compare(item, "row", expected: channel.role == .disabled, found: true)
                continue
            }
            if !channel.name.isEmpty {
                findings.compare(item, "name", expected: channel.name, found: row.string("name"))
            }
            findings.compare(item, "role", expected: channel.role.rawValue, found: row.unsigned("role"))
            findings.compare(item, "uplink", expected: channel.uplinkEnabled, found: row.bool("uplinkEnabled"))
            findings.compare(item, "downlink", expected: channel.downlinkEnabled, found: row.bool("downlinkEnabled"))
            findings.compare(
                item, "positionPrecision", expected: channel.positionPrecision ?? 0,
                found: row.unsigned("positionPrecision"))
            findings.compare(item, "pskSet", expected: !channel.psk.isEmpty, found: row.bool("pskSet"))
            // The owner of the machine, who asks here, may see the key.
            findings.compare(item, "psk", expected: channel.psk, found: row.bytes("psk") ?? [])
        }
        return findings
    }

    func compareNodeAnswers() throws -> Findings {
        var findings = Findings(name)
        let rows = try list("/api/v1/nodes")
        let nodes = try store.read { try $0.nodes(try $0.nodeNumbers(in: source), in: source) }
        findings.compare("GET nodes", "count", expected: nodes.count, found: rows.count)
        for node in nodes {
            let item = "GET nodes, \(node.number)"
            guard let row = rows.first(where: { $0.string("nodeId") == node.number.id }) else {
                findings.add(item, "row", "one", "none")
                continue
            }
            if let name = node.longName {
                findings.compare(item, "longName", expected: name, found: row.string("longName"))
            }
            if let name = node.shortName {
                findings.compare(item, "shortName", expected: name, found: row.string("shortName"))
            }
            findings.compare(item, "nodeNum", expected: node.number.rawValue, found: row.unsigned("nodeNum"))
            findings.compare(item, "hwModel", expected: node.hardwareModel ?? 0, found: row.unsigned("hwModel"))
            findings.compare(item, "role", expected: node.role ?? 0, found: row.unsigned("role"))
            findings.compare(item, "publicKey", expected: node.publicKey?.bytes, found: row.bytes("publicKey"))
            findings.compare(item, "hopsAway", expected: node.hopsAway.map(Double.init), found: row.decimal("hopsAway"))
            findings.compare(item, "snr", decimal: node.snr, found: row.decimal("snr"))
            findings.compare(item, "rssi", decimal: node.rssi.map(Double.init), found: row.decimal("rssi"))
            findings.compare(item, "channel", decimal: node.channel.map(Double.init), found: row.decimal("channel"))
            findings.compare(
                item, "lastHeard", decimal: node.lastHeard.map(Double.init), found: row.decimal("lastHeard"))
            findings.compare(item, "latitude", decimal: node.latitude, found: row.decimal("latitude"))
            findings.compare(item, "longitude", decimal: node.longitude, found: row.decimal("longitude"))
            findings.compare(
                item, "batteryLevel", decimal: node.batteryLevel.map(Double.init), found: row.decimal("batteryLevel"))
            findings.compare(item, "voltage", decimal: node.voltage, found: row.decimal("voltage"))
            findings.compare(item, "isFavorite", expected: node.isFavorite, found: row.bool("isFavorite"))
            findings.compare(item, "isIgnored", expected: node.isIgnored, found: row.bool("isIgnored"))
            findings.compare(item, "isLicensed", expected: node.isLicensed, found: row.bool("isLicensed"))
            findings.compare(item, "isUnmessagable", expected: node.isUnmessagable, found: row.bool("isUnmessagable"))
            findings.compare(item, "keyMismatch", expected: node.keyMismatch, found: row.bool("keyMismatchDetected"))
        }
        return findings
    }

    /// The newest come first; each also answers under its own id.
    func compareMessageAnswers() throws -> Findings {
        var findings = Findings(name)
        let rows = try list("/api/v1/messages?limit=10000")
        let messages = try messages().reversed() as [Message]
        findings.compare(
            "GET messages", "order", expected: messages.map(\.id), found: rows.map { $0.string("id") ?? "" })
        for (message, row) in zip(messages, rows) {
            compare(message, row, "GET messages, \(message.id)", &findings)
            let one = try get("/api/v1/messages/\(message.id)") as? [String: Any]
            compare(message, Fields(one ?? [:])["data"], "GET messages/\(message.id)", &findings)
        }
        return findings
    }

    private func compare(_ message: Message, _ row: Fields, _ item: String, _ findings: inout Findings) {
        findings.compare(item, "text", expected: message.text, found: row.string("text"))
        findings.compare(item, "from", expected: message.from.rawValue, found: row.unsigned("fromNodeNum"))
        findings.compare(item, "to", expected: message.to.rawValue, found: row.unsigned("toNodeNum"))
        findings.compare(item, "channel", expected: Double(message.channel), found: row.decimal("channel"))
        findings.compare(item, "portnum", expected: message.port.rawValue, found: row.unsigned("portnum"))
        findings.compare(item, "replyId", expected: message.replyID.map(Double.init), found: row.decimal("replyId"))
        findings.compare(item, "emoji", expected: message.isTapback ? 1 : nil, found: row.decimal("emoji"))
        findings.compare(
            item, "deliveryState", expected: message.delivery?.publicName, found: row.string("deliveryState"))
        let hasFailed = message.delivery?.state == .failed
        findings.compare(item, "ackFailed", expected: hasFailed ? 1 : nil, found: row.decimal("ackFailed"))
        guard !message.isOwn else { return }
        findings.compare(item, "rxSnr", decimal: message.rxSNR ?? 0, found: row.decimal("rxSnr"))
        findings.compare(item, "rxRssi", decimal: message.rxRSSI.map(Double.init), found: row.decimal("rxRssi"))
        findings.compare(item, "viaMqtt", expected: message.viaMQTT ?? false, found: row.bool("viaMqtt"))
    }

    private func list(_ target: String) throws -> [Fields] {
        let answer = try get(target) as? [String: Any] ?? [:]
        return Fields(answer).list("data")
    }
}

extension Fields {
    fileprivate func decimal(_ name: String) -> Double? { has(name) ? double(name) : nil }
}
