import HTTPServer
import JSON
import MeshModel
import Routes
import Store

extension RestAPI {
    static let packetEndpoints: [Endpoint] = [
        .perSource(.get, "packets", .packetMonitor, .read, RestAPI.packets),
        .perSource(.get, "packets/{id}", .packetMonitor, .read, RestAPI.packet),
    ]

    /// `P/packets`: the traffic in the packet log, newest first. `total` counts what matches on all pages.
    func packets(_ call: Call) throws(APIError) -> Response {
        let (limit, offset) = try call.packetPage()
        let tag = tag(call, .packets, .nodes, .sources)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let query = call.packetQuery(limit: limit, offset: offset)
        let (total, rows, context) = try read("packet logs") { reader in
            let rows = try query.map { try reader.packets($0) } ?? []
            return (
                try query.map { try reader.packetCount($0) } ?? 0, rows,
                try reader.context(of: rows, for: call.caller, in: call.source)
            )
        }
        var json = JSONWriter(capacity: 1024 * (rows.count + 1))
        json.object { json in
            json.member("success", true)
            json.member("count", rows.count)
            json.member("total", total)
            json.member("offset", offset)
            json.member("limit", limit)
            json.key("data")
            json.array { json in
                for row in rows { json.packet(row, in: context) }
            }
        }
        return .json(.bytes(json.bytes), tag: tag)
    }

    /// `P/packets/{id}`.
    func packet(_ call: Call) throws(APIError) -> Response {
        let (row, context) = try read("packet") { reader in
            let row = try loggedPacket(call, reader)
            return (row, try reader.context(of: [row], for: call.caller, in: call.source))
        }
        return .item(to: call.request) { $0.packet(row, in: context) }
    }

    /// The row that the path names, when the token may read it.
    func loggedPacket(_ call: Call, _ reader: Reader) throws -> LoggedPacket {
        guard let id = parseInt(call.parameters[0]) else { throw APIError.badRequest("Invalid packet ID") }
        let query = PacketQuery(
            in: call.source.id, readable: call.caller.readablePackets, trafficOf: call.source.source.nodeNumber)
        guard let row = try reader.packet(id: id, query) else { throw APIError.notFound("Packet not found") }
        return row
    }
}

extension Caller {
    /// Whether a packet's payload may be shown when it tells where nodes are. Who may not read the channel database does
    /// not get rows that it decrypted.
    func maySeePlaces(in logged: LoggedPacket) -> Bool {
        logged.decryptedWith != nil || mayView(Int(logged.packet.channel))
    }

    /// Nil: everything.
    var readablePackets: PacketQuery.Readable? {
        if scopes == .admin { return nil }
        let channels = channels(for: .read) ?? Array(0...7)
        return PacketQuery.Readable(
            channels: Set(channels), directMessages: may(.read, .messages),
            channelDatabase: may(.read, .channelDatabase))
    }
}

extension Call {
    private static let maximumPackets: Int64 = 1000

    /// The page that is asked for; a longer one is cut, one that is none is refused (Contract 3.10).
    fileprivate func packetPage() throws(APIError) -> (limit: Int, offset: Int) {
        let offset = (request.number("offset") ?? nil) ?? 0
        guard offset >= 0 else { throw .badRequest("Offset must be non-negative") }
        let limit = (request.number("limit") ?? nil) ?? 100
        guard limit >= 1 else { throw .badRequest("Limit must be at least 1") }
        return (Int(min(limit, Self.maximumPackets)), Int(clamping: offset))
    }

    /// Nil when nothing can match.
    fileprivate func packetQuery(limit: Int, offset: Int) -> PacketQuery? {
        guard let from = word(request.number("from_node")), let to = word(request.number("to_node")),
            let port = word(request.number("portnum")),
            let channel = word(request.channelAsked), let since = request.number("since")
        else { return nil }
        let encrypted = request.queryValue("encrypted")
        return PacketQuery(
            in: source.id, from: from.map { NodeNumber($0) }, to: to.map { NodeNumber($0) },
            port: port.map { PortNumber(rawValue: $0) }, channel: channel,
            isDecoded: encrypted == "true" ? false : encrypted == "false" ? true : nil,
            // Seconds, when it is too small for milliseconds.
            since: since.map { $0 < 10_000_000_000 ? max($0, 0) * 1000 : $0 }, readable: caller.readablePackets,
            trafficOf: source.source.nodeNumber, limit: limit, offset: offset)
    }

    /// The same of 32 bits; nil also for a number that no packet has.
    private func word(_ number: Int64??) -> UInt32?? {
        guard let number else { return nil }
        guard let number else { return .some(nil) }
        return UInt32(exactly: number).map { .some($0) } ?? nil
    }
}

extension Reader {
    /// What the rows of these packets need besides.
    func context(of rows: [LoggedPacket], for caller: Caller, in found: FoundSource) throws -> PacketContext {
        let numbers = Set(rows.flatMap { [$0.packet.from, $0.packet.to] })
        var names: [NodeNumber: String] = [:]
        for number in numbers where !number.isBroadcast {
            names[number] = try node(number, in: found.id)?.shownLongName
        }
        let own = rows.filter { $0.direction == .rx && $0.packet.from == found.source.nodeNumber }
        let ownMessages = try own.map(\.packet.id).filter { id in
            try message(packetID: id, from: found.source.nodeNumber, in: found.id)?.isOwn == true
        }
        return PacketContext(
            source: found.source, caller: caller, longNames: names, ownMessages: Set(ownMessages))
    }
}
