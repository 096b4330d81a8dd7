import Gateway
import JSON
import MeshModel
import MeshProtocol
import Nettle
import Routes
import Store

/// What has become of a request to a node.
enum AnswerPages {
    fileprivate enum State {
        case waiting
        case answered
        /// In words.
        case failed(String)
    }

    /// The traceroute to a node, by `?packet=` the one that went out under this id, else the last one that is known.
    static func traceroute(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let asked = try question.number("packet", in: 1...Int(UInt32.max)).map { PacketID($0) }
        let (number, node) = try question.node(
            named: question.parameters[0], in: source, allowsStranger: asked != nil)
        let own = question.ownNumber(of: source)
        guard let row = try question.traceroute(with: number, asked, own: own, in: source) else {
            throw APIError.notFound(
                "No traceroute to \(number.id) is known; mesh-gateway traceroute '\(number.id)' asks for one")
        }
        let (asker, target) = row.isUnasked(own: own) ? (row.to, row.from) : (row.from, row.to)
        var state = State.answered
        if row.route == nil {
            state = try row.packetID.flatMap { try question.failure(of: $0, in: source) } ?? .waiting
        }
        let nodes = try question.nodes(
            Set([asker, target] + (row.route.map { $0.route + $0.routeBack } ?? [])), in: source)
        json.source(source)
        json.key("node")
        json.object { $0.who(number, node) }
        json.state(state)
        json.member("packetId", row.packetID)
        json.time("askedAt", milliseconds: row.isUnasked(own: own) ? nil : row.at)
        json.time("answeredAt", milliseconds: row.answeredAt)
        let route = row.route
        json.path("forward", route.map { [asker] + $0.route + [target] }, route?.snrTowards ?? [], nodes)
        // A node that could not tell the hops sends nothing of the way back.
        let back = route.flatMap {
            $0.routeBack.isEmpty && $0.snrBack.isEmpty ? nil : [target] + $0.routeBack + [asker]
        }
        json.path("back", back, route?.snrBack ?? [], nodes)
    }

    /// `?node=`: the answer to the request with this packet id.
    static func request(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        guard let kind = NodeRequest(rawValue: question.parameters[0]), kind != .traceroute else {
            throw APIError.unknownRequest(question.parameters[0])
        }
        guard let packetID = PacketID(question.parameters[1]), packetID > 0,
            let name = question.request.queryValue("node")
        else { throw APIError.badRequest("A request is named by its packet id and its node") }
        let (number, _) = try question.node(named: name, in: source, allowsStranger: true)
        let answer = try question.answer(to: packetID, from: number, on: kind.port, in: source)
        let state =
            try answer != nil
            ? .answered
            : question.failure(of: packetID, in: source)
                ?? question.silence(about: kind, packetID, of: number, in: source) ?? .waiting
        // As it is now: the answer has changed it.
        let node = try question.reader.node(number, in: source.id)
        json.source(source)
        json.key("node")
        json.object { $0.who(number, node) }
        json.member("kind", kind.rawValue)
        json.state(state)
        json.member("packetId", packetID)
        json.time("answeredAt", milliseconds: answer?.at)
        json.member("hopsAway", answer?.packet.hopsAway)
        json.float("snr", answer.flatMap { $0.packet.rxRSSI == nil ? nil : Double($0.packet.rxSNR) })
        let content = answer?.packet.decoded.map { PacketContent($0) }
        let neighbors =
            if case .neighborInfo(let info) = content { info.neighbors.map(\.number) } else { [NodeNumber]() }
        json.content(content, try question.nodes(Set(neighbors), in: source))
    }
}

extension LocalQuestion {
    fileprivate func traceroute(
        with node: NodeNumber, _ packetID: PacketID?, own: NodeNumber?, in source: FoundSource
    ) throws -> Traceroute? {
        guard let packetID else {
            let own = own ?? node
            let rows = try reader.traceroutes(between: own, and: node, in: source.id, limit: 100)
            return rows.first { $0.route != nil } ?? rows.first
        }
        return try reader.traceroutes(in: source.id, to: node, limit: 100).first { $0.packetID == packetID }
    }

    fileprivate func answer(
        to packetID: PacketID, from node: NodeNumber, on port: PortNumber, in source: FoundSource
    ) throws -> LoggedPacket? {
        for row in try reader.answers(to: packetID, in: source.id) where row.packet.from == node {
            if let data = row.packet.decoded, data.port == port { return row }
        }
        return nil
    }

    /// What the radio or a node has said against a request; nil when nobody has.
    fileprivate func failure(of packetID: PacketID, in source: FoundSource) throws -> AnswerPages.State? {
        for row in try reader.answers(to: packetID, in: source.id) {
            guard let data = row.packet.decoded, case .routing(.error(let error)) = PacketContent(data), error != .none
            else { continue }
            return .failed(error.explanation)
        }
        return nil
    }

    /// Why no answer will come, although nobody has refused the request.
    fileprivate func silence(
        about kind: NodeRequest, _ packetID: PacketID, of node: NodeNumber, in source: FoundSource
    ) throws -> AnswerPages.State? {
        // An answer acknowledges by itself. Alone, an acknowledgement says that none comes, or none gets here.
        let isAcknowledged = try reader.answers(to: packetID, in: source.id).contains { row in
            guard row.packet.from == node, let data = row.packet.decoded else { return false }
            if case .routing(.error(.none)) = PacketContent(data) { return true }
            return false
        }
        guard isAcknowledged else { return nil }
        switch kind {
        // Our own radio drops what its module does not take.
        case .neighbors where gateway?.snapshot(of: source.id)?.hearsNeighbors == false:
            return .failed(
                "this radio drops the answer, as its own neighbor_info module is off; mesh-gateway radio config set "
                    + "neighbor_info.enabled=true")
        case .nodeInfo:
            return .failed(
                "it has the request and does not answer: it told its names less than ten minutes ago; try again later")
        case .traceroute, .position, .telemetry, .environment, .airQuality, .power, .localStats, .neighbors: return nil
        }
    }

    fileprivate func nodes(_ numbers: Set<NodeNumber>, in source: FoundSource) throws -> [NodeNumber: Node] {
        var nodes: [NodeNumber: Node] = [:]
        for number in numbers where !number.isBroadcast { nodes[number] = try reader.node(number, in: source.id) }
        return nodes
    }
}

extension JSONWriter {
    fileprivate mutating func state(_ state: AnswerPages.State) {
        switch state {
        case .waiting: member("state", "waiting")
        case .answered: member("state", "answered")
        case .failed: member("state", "failed")
        }
        if case .failed(let reason) = state { member("reason", reason) } else { null("reason") }
    }

    /// The nodes of a way in their order, each with the signal in dB at which it heard the one before.
    ///
    /// - Parameter quarters: of a dB. When they do not fit the nodes, nobody knows which signal is whose.
    fileprivate mutating func path(
        _ name: StaticString, _ way: [NodeNumber]?, _ quarters: [Int32], _ nodes: [NodeNumber: Node]
    ) {
        key(name)
        guard let way else { return null() }
        let fits = quarters.count == way.count - 1
        array { json in
            for (index, number) in way.enumerated() {
                json.object { json in
                    if number.isBroadcast {
                        // A relay that did not add itself.
                        json.null("nodeId")
                        json.null("nodeNum")
                        json.member("longName", "unknown")
                        json.member("shortName", "?")
                    } else {
                        json.who(number, nodes[number])
                    }
                    let quarter = fits && index > 0 ? quarters[index - 1] : -128
                    json.member("snr", quarter == -128 ? nil : Double(quarter) / 4)
                }
            }
        }
    }

    /// What the node answered: one of four members, the others null.
    fileprivate mutating func content(_ content: PacketContent?, _ nodes: [NodeNumber: Node]) {
        key("position")
        if case .position(let position) = content { self.position(position) } else { null() }
        key("nodeinfo")
        if case .nodeInfo(let user) = content { self.user(user) } else { null() }
        key("telemetry")
        if case .telemetry(let telemetry) = content { metrics(telemetry) } else { null() }
        key("neighbors")
        guard case .neighborInfo(let info) = content else { return null() }
        array { json in
            for neighbor in info.neighbors {
                json.object { json in
                    json.who(neighbor.number, nodes[neighbor.number])
                    json.float("snr", Double(neighbor.snr))
                }
            }
        }
    }

    private mutating func position(_ position: Position) {
        object { json in
            json.member("latitude", position.latitude)
            json.member("longitude", position.longitude)
            json.member("altitude", position.altitude)
            json.member("precisionBits", position.precisionBits)
        }
    }

    private mutating func user(_ user: User) {
        object { json in
            json.member("longName", user.longName)
            json.member("shortName", user.shortName)
            json.member("hardware", EnumNames.hardwareModel(user.hardwareModel) ?? "\(user.hardwareModel)")
            json.member("role", EnumNames.deviceRole(user.role) ?? "\(user.role)")
            json.member("key", user.publicKey.map { Base64.encoded($0.bytes) })
        }
    }

    private mutating func metrics(_ telemetry: Telemetry) {
        array { json in
            for value in telemetry.values {
                json.object { json in
                    json.member("metric", value.name)
                    json.key("value")
                    json.measurement(value.value)
                    json.member("unit", Telemetry.unit(of: value.name))
                }
            }
        }
    }
}
