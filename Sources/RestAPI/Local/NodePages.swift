import Glibc
import MeshModel
import MeshProtocol
import Store

// `mesh-gateway nodes` and `node`: who is out there, and everything known of one.

extension RestAPI {
    static let nodePages: [LocalPage] = [
        LocalPage("/local/nodes", "nodes/1", NodePages.list), LocalPage("/local/nodes/{node}", "node/1", NodePages.one),
    ]
}

private enum NodePages {
    /// `?sort=heard|name|hops|snr|battery|distance`, `?filter=…`, which may be repeated: see ``NodeFilter``.
    static func list(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let filters = try question.request.query.filter { $0.key == "filter" }.map { try NodeFilter($0.value) }
        let order = try NodeSorting(question.request.queryValue("sort") ?? "heard")
        let reader = question.reader
        let all = try reader.nodes(reader.nodeNumbers(in: source.id, order: .lastHeardDescending), in: source.id)
        let own = ownNumber(source, question)
        let here = all.first { $0.number == own }
        let now = Clock.wall()
        let nodes = order.sorted(all.filter { node in filters.allSatisfy { $0.passes(node, at: now) } }, from: here)
        json.source(source)
        json.member("known", all.count)
        json.key("nodes")
        json.array { json in
            for node in nodes { json.object { $0.listed(node, own: own, from: here) } }
        }
    }

    static func one(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        guard let node = try question.node(named: question.parameters[0], in: source).node else { return }
        let own = ownNumber(source, question)
        let here = try own.flatMap { try question.reader.node($0, in: source.id) }
        json.source(source)
        json.key("node")
        json.object { json in
            json.listed(node, own: own, from: here)
            json.detailed(node)
        }
    }

    private static func ownNumber(_ source: FoundSource, _ question: LocalQuestion) -> NodeNumber? {
        question.radio(of: source)?.myInfo?.number ?? source.source.nodeNumber
    }
}

/// Which nodes to list.
enum NodeFilter {
    case direct, favorite, ignored, mqtt, keyless, doubted, located
    /// Heard within so many milliseconds.
    case heard(Int64)
    case role(String)
    /// Part of a name or id, in any letter case.
    case text(String)

    static let words = [
        "direct", "favorite", "ignored", "mqtt", "keyless", "doubted", "located", "heard=2h", "role=ROUTER",
    ]

    init(_ word: String) throws(APIError) {
        switch word {
        case "direct": self = .direct
        case "favorite": self = .favorite
        case "ignored": self = .ignored
        case "mqtt": self = .mqtt
        case "keyless": self = .keyless
        case "doubted": self = .doubted
        case "located": self = .located
        case _ where word.hasPrefix("heard="):
            guard let time = Self.milliseconds(word.dropFirst(6)) else {
                throw .badRequest("\"\(word)\" is no time; write it like heard=30m, heard=2h or heard=7d")
            }
            self = .heard(time)
        case _ where word.hasPrefix("role="): self = .role(word.dropFirst(5).uppercased())
        default: self = .text(word.lowercased())
        }
    }

    /// `90s`, `30m`, `2h`, `7d`.
    private static func milliseconds(_ text: Substring) -> Int64? {
        let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...100_000).contains(count)
        else { return nil }
        return count * unit
    }

    func passes(_ node: Node, at now: Int64) -> Bool {
        switch self {
        case .direct: node.hopsAway == 0
        case .favorite: node.isFavorite
        case .ignored: node.isIgnored
        case .mqtt: node.viaMQTT == true
        case .keyless: node.publicKey == nil
        case .doubted: node.keyMismatch || node.isKeyDuplicate
        case .located: node.latitude != nil
        case .heard(let time): node.lastHeard.map { $0 * 1000 >= now - time } ?? false
        case .role(let name): node.role.map { EnumNames.deviceRole($0) == name } ?? false
        case .text(let text):
            [node.number.id, node.shownLongName, node.shownShortName].contains { $0.lowercased().contains(text) }
        }
    }
}

/// In which order.
enum NodeSorting: String, CaseIterable {
    case heard, name, hops, snr, battery, distance

    init(_ word: String) throws(APIError) {
        guard let found = Self(rawValue: word) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("Nodes are not sorted by \"\(word)\"; there are \(words)")
        }
        self = found
    }

    /// What is not known comes last. The nodes come in the order in which they were heard, and stay in it otherwise.
    func sorted(_ nodes: [Node], from here: Node?) -> [Node] {
        func by<Key: Comparable>(_ key: (Node) -> Key?) -> [Node] {
            let keyed = nodes.enumerated().map { (place: $0.offset, node: $0.element, key: key($0.element)) }
            return keyed.sorted { a, b in
                switch (a.key, b.key) {
                case (let x?, let y?): x == y ? a.place < b.place : x < y
                case (_?, nil): true
                case (nil, _?): false
                case (nil, nil): a.place < b.place
                }
            }
            .map(\.node)
        }
        return switch self {
        case .heard: nodes
        case .name: by { $0.shownLongName.lowercased() }
        case .hops: by { $0.hopsAway }
        case .snr: by { $0.snr.map { -$0 } }
        case .battery: by { $0.batteryLevel }
        case .distance: by { kilometres(from: here, to: $0) }
        }
    }
}

/// Along a great circle of the mean Earth; nil unless both have told where they are.
func kilometres(from a: Node?, to b: Node) -> Double? {
    guard let aLatitude = a?.latitude, let aLongitude = a?.longitude, let bLatitude = b.latitude,
        let bLongitude = b.longitude
    else { return nil }
    let degree = Double.pi / 180
    let (x, y) = (sin((bLatitude - aLatitude) * degree / 2), sin((bLongitude - aLongitude) * degree / 2))
    let haversine = x * x + cos(aLatitude * degree) * cos(bLatitude * degree) * y * y
    return 2 * 6371.0088 * asin(min(1, haversine.squareRoot()))
}

extension JSONWriter {
    fileprivate mutating func listed(_ node: Node, own: NodeNumber?, from here: Node?) {
        who(node.number, node)
        member("isOwn", node.number == own)
        member("hardware", node.hardwareModel.map { EnumNames.hardwareModel($0) ?? "\($0)" })
        member("role", node.role.map { EnumNames.deviceRole($0) ?? "\($0)" })
        time("lastHeard", seconds: node.lastHeard)
        member("hopsAway", node.hopsAway)
        member("viaMqtt", node.viaMQTT)
        float("snr", node.snr)
        member("rssi", node.rssi)
        member("channel", node.channel)
        member("batteryLevel", node.batteryLevel)
        float("voltage", node.voltage)
        member("latitude", node.latitude)
        member("longitude", node.longitude)
        member("altitude", node.altitude)
        member("distance", kilometres(from: here, to: node).map { ($0 * 1000).rounded() / 1000 })
        member("isFavorite", node.isFavorite)
        member("isIgnored", node.isIgnored)
        member("keyState", node.keyState)
    }

    fileprivate mutating func detailed(_ node: Node) {
        member("key", node.publicKey.map { base64($0.bytes) })
        member("keyDetails", node.keyDetails)
        member("successor", node.successor?.id)
        member("predecessor", node.predecessor?.id)
        member("firmwareVersion", node.firmwareVersion)
        member("rebootCount", node.rebootCount)
        member("uptimeSeconds", node.uptimeSeconds)
        float("channelUtilization", node.channelUtilization)
        float("airUtilTx", node.airUtilTx)
        time("positionAt", milliseconds: node.positionTimestamp)
        member("positionPrecisionBits", node.positionPrecisionBits)
        member("isStoreForwardServer", node.isStoreForwardServer)
        member("isUnmessagable", node.isUnmessagable)
        member("isLicensed", node.isLicensed)
        member("status", node.status)
        time("lastPKIPacket", milliseconds: node.lastPKIPacket)
        time("lastTracerouteRequest", milliseconds: node.lastTracerouteRequest)
        time("firstSeen", milliseconds: node.createdAt)
    }
}
