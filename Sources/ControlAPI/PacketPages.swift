import Gateway
import JSON
import MeshModel
import Routes
import Store

// `mesh-gateway packets`: what was received and sent, newest first.

extension ControlAPI {
    static let packetPages: [LocalPage] = [
        LocalPage("/local/packets", "packets/1", PacketPages.list),
        LocalPage("/local/packets/{packet}", "explain/1", ExplainPage.one),
    ]
}

private enum PacketPages {
    /// `?limit=&from=&to=&port=&channel=&since=`, all of which must hold.
    static func list(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        var query = PacketQuery(in: source.id, limit: try question.number("limit", in: 1...10_000) ?? 50)
        query.since = try question.since()
        query.from = try question.address("from", in: source)
        query.to = try question.address("to", in: source)
        if let word = question.request.queryValue("port") {
            query.port = try PortNumber(word: word)
            // Port 0 is also what those have that nobody could decrypt.
            if word == "encrypted" { query.isDecoded = false }
        }
        query.channel = try question.channel(in: source).map { UInt32($0) }
        let rows = try question.reader.packets(query)
        let nodes = try question.reader.nodes(of: rows, in: source)
        json.source(source)
        json.member("matching", try question.reader.packetCount(query))
        json.key("packets")
        json.array { json in for row in rows { json.logged(row, nodes) } }
    }
}

extension LocalQuestion {
    /// Whom the query names as sender or recipient: a node, or `all`.
    fileprivate func address(_ key: String, in source: FoundSource) throws -> NodeNumber? {
        guard let name = request.queryValue(key) else { return nil }
        if name == "all" || name == "everybody" { return .broadcast }
        return try node(named: name, in: source, allowsStranger: true).number
    }

    /// The channel that the query names, by index or name.
    fileprivate func channel(in source: FoundSource) throws -> Int? {
        guard let name = request.queryValue("channel") else { return nil }
        if let index = Int(name), (0...255).contains(index) { return index }
        let channels = try reader.channels(in: source.id).filter { $0.name.lowercased() == name.lowercased() }
        guard channels.count == 1 else {
            throw APIError.notFound("No channel is called \"\(name)\"; name it by its index, 0 to 7")
        }
        return channels[0].index
    }
}

extension PortNumber {
    /// By number or name, with or without `_APP` behind it; `encrypted` is what is not decoded.
    fileprivate init(word: String) throws(APIError) {
        let name = word.uppercased()
        if let number = UInt32(word) {
            self.init(rawValue: number)
        } else if name == "ENCRYPTED" {
            self = .unknown
        } else if let found = (0...511).lazy.map({ PortNumber(rawValue: $0) }).first(where: {
            $0.name == name || $0.name == name + "_APP"
        }) {
            self = found
        } else {
            throw .badRequest(
                "\"\(word)\" is no port; it is a number or a name such as text_message, position, telemetry")
        }
    }

    /// Also of a number that has no name.
    var shownName: String { name ?? "PORT_\(rawValue)" }
}

extension Reader {
    /// Who sent the packets and whom they are for, as far as is known.
    func nodes(of rows: [LoggedPacket], in source: FoundSource) throws -> [NodeNumber: Node] {
        var nodes: [NodeNumber: Node] = [:]
        for number in Set(rows.flatMap { [$0.packet.from, $0.packet.to] }) where !number.isBroadcast {
            nodes[number] = try node(number, in: source.id)
        }
        return nodes
    }
}

extension JSONWriter {
    /// A packet of the log.
    mutating func logged(_ row: LoggedPacket, _ nodes: [NodeNumber: Node]) {
        object { json in
            json.member("row", row.id)
            json.member("packetId", row.packet.id)
            json.time("time", milliseconds: row.at)
            json.member("direction", row.direction == .tx ? "sent" : "received")
            json.end("from", row.packet.from, nodes[row.packet.from])
            json.end("to", row.packet.to, nodes[row.packet.to])
            json.travelled(row.packet)
            json.member("decryptedHere", row.decryptedWith != nil)
            json.member("text", row.packet.preview(at: row.at, isOwn: row.direction == .tx, showsPosition: true))
        }
    }

    /// One end of a packet's way.
    mutating func end(_ name: StaticString, _ number: NodeNumber, _ node: Node?) {
        key(name)
        object { json in
            guard number.isBroadcast else { return json.who(number, node) }
            json.member("nodeId", number.id)
            json.member("nodeNum", number.rawValue)
            json.member("longName", "everybody")
            json.member("shortName", "all")
        }
    }

    /// What a packet is and how it came.
    mutating func travelled(_ packet: MeshPacket) {
        let data = packet.decoded
        member("channel", packet.channel)
        member("port", data?.port.rawValue)
        member("portName", data?.port.shownName)
        member("size", packet.payloadSize)
        member("hopStart", packet.hopStart)
        member("hopLimit", packet.hopLimit)
        member("hopsAway", packet.hopsAway)
        member("relayByte", packet.relayNode == 0 ? nil : packet.relayNode)
        float("snr", packet.rxRSSI == nil && packet.rxSNR == 0 ? nil : Double(packet.rxSNR))
        member("rssi", packet.rxRSSI)
        member("wantAck", packet.wantAck)
        member("viaMqtt", packet.viaMQTT)
        member("pkiEncrypted", packet.pkiEncrypted)
        member("requestId", data.flatMap { $0.requestID == 0 ? nil : $0.requestID })
    }
}
