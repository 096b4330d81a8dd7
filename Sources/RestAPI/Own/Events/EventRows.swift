import Gateway
import JSON
import MeshModel
import Routes
import Store

// Which rows an event shows, and to which token: each by the functions that its GET asks and writes with.
//
//   message, message-deleted, delivery   messages:read, and the channel;      GET messages
//                                        over a broker the former, and the
//                                        channels that it is bridged to
//   read                                 messages:read; the token's own mark  GET unread-counts
//   node, position                       nodes:read, viewOnMap of the channel GET nodes, position-history
//   telemetry                            nodes:read, viewOnMap of the node    GET telemetry
//   channel                              messages:read, and the channel       GET channels
//   traceroute                           traceroute:read                      GET traceroutes
//   waypoint                             nodes:read, viewOnMap of its channel GET waypoints
//                                        or, of a direct message, messages:read
//   packet                               packetmonitor:read, and the channel  GET packets
//   status, problem, solved              info:read                            GET status, problems
//   notification                         notifications:read, and what the row GET notifications
//                                        that it is about needs

/// What one change is told as.
struct EventRows {
    typealias Write = (inout JSONWriter) -> Void

    let api: RestAPI
    let caller: Caller
    let selection: EventSelection
    let reader: Reader

    /// Nil: nothing that this reader may know.
    func rows(of what: StoredChange.What, in found: FoundSource) throws -> (kind: EventKind, rows: [Write])? {
        switch what {
        case .message, .messageChanged, .delivery, .read, .notification: break
        // Nothing else that is stored of a conversation over a broker is anybody's business.
        default: if found.source.brokerConversation != nil { return nil }
        }
        switch what {
        case .message(let id, _), .messageChanged(let id):
            return try visibleMessage(id, found).map { (.message, [try row(of: $0, found)]) }
        case .delivery(let id, _):
            return try visibleMessage(id, found).flatMap { message in
                message.delivery.map { (.delivery, [row(of: $0, message, found)]) }
            }
        case .messageDeleted(let message):
            guard sees(message, found) else { return nil }
            return (.messageDeleted, [gone(found) { $0.member("id", message.id) }])
        case .read(let conversation, let token): return try mark(conversation, by: token, found)
        case .node(let number): return try node(number, found).map { (.node, [$0]) }
        case .nodeDeleted(let number, let channel):
            guard caller.may(.read, .nodes), caller.mayView(channel), selection.passes(channel: channel, number) else {
                return nil
            }
            return (.node, [gone(found) { $0.member("id", number.id) }])
        case .position(let number, let row): return try position(number, row, found).map { (.position, [$0]) }
        case .telemetry(_, let row): return try telemetry(row, .telemetry, found)
        case .paxcount(_, let row): return try telemetry(row, .paxcounts, found)
        case .channel(let index): return try channel(index, found).map { (.channel, [$0]) }
        case .traceroute(let id): return try traceroute(id, found).map { (.traceroute, [$0]) }
        case .waypoint(let id): return try waypoint(id, found).map { (.waypoint, [$0]) }
        case .waypointDeleted(let id, let channel):
            guard caller.may(.read, .nodes), caller.maySeeWaypoint(on: channel),
                selection.passes(channel: channel ?? -1), selection.node == nil
            else { return nil }
            return (.waypoint, [gone(found) { $0.member("id", id) }])
        // A node's row has it; what happened to a link is told at once (conditions).
        case .status, .nodeHeard, .nodeIntroduced, .happened: return nil
        case .notification(let row): return try notification(row, found).map { (.notification, [$0]) }
        }
    }

    private func gone(_ found: FoundSource, _ id: @escaping Write) -> Write {
        { json in
            json.object { json in
                id(&json)
                json.member("deleted", true)
                json.member("sourceId", found.source.uuid)
            }
        }
    }

    // MARK: messages

    func sees(_ message: Message, _ found: FoundSource) -> Bool {
        guard caller.may(.read, .messages) else { return false }
        return found.source.brokerConversation != nil
            || caller.mayRead(channel: message.channel)
                && selection.passes(channel: message.channel, message.from, message.to)
    }

    private func visibleMessage(_ id: String, _ found: FoundSource) throws -> Message? {
        try reader.message(id: id, in: found.id).flatMap { sees($0, found) ? $0 : nil }
    }

    func row(of message: Message, _ found: FoundSource) throws -> Write {
        guard found.source.brokerConversation != nil else {
            return { $0.message(message, source: found.source.uuid, for: caller) }
        }
        let text = try reader.brokerTexts(of: [message.packetID], in: found.id)[message.packetID]
        return { $0.message(message.overBroker, source: found.source.uuid, for: caller) { $0.about(text) } }
    }

    private func row(of delivery: Delivery, _ message: Message, _ found: FoundSource) -> Write {
        { json in
            json.object { json in
                json.member("id", message.id)
                json.member("state", delivery.detailName)
                json.member("deliveryState", delivery.publicName)
                json.member(
                    "routingErrorCode", delivery.state == .failed ? delivery.error?.rawValue : nil)
                json.member("sourceId", found.source.uuid)
            }
        }
    }

    private func mark(
        _ conversation: Conversation, by token: Int64, _ found: FoundSource
    ) throws -> (kind: EventKind, rows: [Write])? {
        guard token == caller.token ?? 0, caller.may(.read, .messages) else { return nil }
        let unread: Int
        switch conversation {
        case .channel(let index):
            if found.source.brokerConversation != nil {
                unread = try reader.unread(conversation, by: token, in: found.id)
                break
            }
            guard caller.mayRead(channel: index), selection.passes(channel: index), selection.node == nil else {
                return nil
            }
            unread = try reader.unread(by: token, channels: [index], direct: false, in: found.id).channels[index] ?? 0
        case .direct(let node):
            guard selection.passes(channel: -1, node) else { return nil }
            unread = try reader.unread(by: token, channels: [], direct: true, in: found.id).direct[node] ?? 0
        case .allDirect:
            guard selection.passes(channel: -1), selection.node == nil else { return nil }
            unread = try reader.unread(by: token, channels: [], direct: true, in: found.id).direct.values.reduce(0, +)
        }
        return (
            .read,
            [
                { json in
                    json.object { json in
                        json.member("id", found.source.brokerConversation ?? conversation.eventID)
                        json.member("unread", unread)
                        json.member("sourceId", found.source.uuid)
                    }
                }
            ]
        )
    }

    private func channel(_ index: Int, _ found: FoundSource) throws -> Write? {
        guard caller.may(.read, .messages), let channel = try reader.channel(index, in: found.id),
            caller.mayRead(channel), selection.passes(channel: index), selection.node == nil
        else { return nil }
        return { json in
            json.channel(channel, lora: found.source.lora, for: caller) { $0.member("sourceId", found.source.uuid) }
        }
    }

    // MARK: nodes

    private func node(_ number: NodeNumber, _ found: FoundSource) throws -> Write? {
        guard caller.may(.read, .nodes), let node = try reader.node(number, in: found.id), caller.mayView(node.channel),
            selection.passes(channel: node.channel, number)
        else { return nil }
        let isMobile = try reader.isMobile([number], in: found.id)[0]
        return { $0.node(node, isMobile: isMobile, source: found.source.uuid, for: caller) }
    }

    private func query(_ found: FoundSource) -> TelemetryQuery {
        TelemetryQuery(source: found.id, channels: caller.channels(for: .viewOnMap))
    }

    private func position(_ number: NodeNumber, _ row: Int64, _ found: FoundSource) throws -> Write? {
        guard caller.may(.read, .nodes), try reader.node(number, in: found.id) != nil,
            let record = try reader.position(query(found), inRow: row),
            selection.passes(channel: record.channel.map { Int($0) }, number)
        else { return nil }
        return { json in
            json.position(record) { json in
                json.member("nodeId", number.id)
                json.member("nodeNum", number.rawValue)
                json.member("sourceId", found.source.uuid)
            }
        }
    }

    private func telemetry(
        _ row: Int64, _ table: ReportTable, _ found: FoundSource
    ) throws -> (kind: EventKind, rows: [Write])? {
        guard caller.may(.read, .nodes) else { return nil }
        let points = try reader.telemetryPoints(query(found), inRow: row, of: table)
            .filter { selection.passes(channel: $0.channel.map { Int($0) }, $0.node) }
        return (.telemetry, points.map { point in { $0.telemetry(point, source: found.source.uuid) } })
    }

    private func traceroute(_ id: Int64, _ found: FoundSource) throws -> Write? {
        guard caller.may(.read, .traceroute), let row = try reader.traceroute(id: id, in: found.id),
            selection.channel == nil, selection.passes(channel: nil, row.from, row.to)
        else { return nil }
        let traced = try reader.traced([row], in: found.id, for: caller)[0]
        return { $0.traceroute(traced, source: found.source.uuid) }
    }

    private func waypoint(_ id: UInt32, _ found: FoundSource) throws -> Write? {
        guard caller.may(.read, .nodes), let row = try reader.waypoint(id: id, in: found.id),
            !row.value.isExpired(at: api.clock()), caller.maySee(row),
            selection.passes(channel: row.channel.map { Int($0) } ?? -1, row.node)
        else { return nil }
        return { $0.waypoint(row, source: found.source.uuid, own: api.ownNumber(of: found)) }
    }

    // MARK: the feed

    private func notification(_ row: Int64, _ found: FoundSource) throws -> Write? {
        guard let row = try reader.feedRow(row) else { return nil }
        return try notification(row)
    }

    /// Nil: the reader does not see it.
    func notification(_ row: FeedRow) throws -> Write? {
        var seen = try SeenFeed(caller, reader)
        guard selection.passes(row), try seen.sees(row) else { return nil }
        let shown = try seen.shown([row])[0]
        return { $0.notification(shown) }
    }

    // MARK: packets

    /// Those of a range of numbers that the reader may know, oldest first.
    func packets(_ rows: ClosedRange<Int64>, _ sources: [FoundSource]) throws -> [(row: Int64, write: Write)] {
        var all: [(row: Int64, write: Write)] = []
        for found in sources {
            let query = PacketQuery(
                in: found.id, readable: caller.readablePackets, trafficOf: found.source.nodeNumber)
            let packets = try reader.packets(query, in: rows).filter { logged in
                selection.passes(channel: Int(logged.packet.channel), logged.packet.from, logged.packet.to)
            }
            guard !packets.isEmpty else { continue }
            let context = try reader.context(of: packets, for: caller, in: found)
            all += packets.map { logged in (logged.id, { $0.packet(logged, in: context) }) }
        }
        return all.sorted { $0.row < $1.row }
    }

    // MARK: the link

    func conditions(_ event: Event, _ found: FoundSource) throws -> [(kind: EventKind, write: Write)] {
        guard caller.may(.read, .info) else { return [] }
        let (kind, problem): (EventKind, Problem?) =
            switch event.what {
            case .problem(let problem): (.problem, problem)
            case .solved(let problem): (.solved, problem)
            default: (.status, nil)
            }
        var told: [(kind: EventKind, write: Write)] = []
        if let problem {
            let row = problem.of(source: found.source.uuid)
            told.append((kind, { $0.problem(row) }))
        }
        // What is wrong is in it, too.
        told.append((.status, try status(of: found)))
        return told.filter { selection.kinds.contains($0.kind) }
    }

    func status(of found: FoundSource) throws -> Write {
        let node = try api.ownNode(of: found, reader)
        return { json in
            json.object { json in
                json.status(api.gateway.status(of: found.id), of: node, api.store.health)
                json.member("sourceId", found.source.uuid)
            }
        }
    }
}

extension Conversation {
    /// As `GET conversations` names it; `direct` for all direct messages at once.
    fileprivate var eventID: String {
        switch self {
        case .channel(let index): "channel:\(index)"
        case .direct(let node): "direct:\(node.id)"
        case .allDirect: "direct"
        }
    }
}
