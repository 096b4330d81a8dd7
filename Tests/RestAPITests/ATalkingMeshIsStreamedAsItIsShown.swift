import Foundation
import MeshModel
import MeshProtocol
import RadioLink
import RadioSimulator
import Routes
import Testing

@testable import RestAPI

/// A simulated mesh talks from the radio's handshake on, while one reader for every scope listens, and some with a channel
/// or two: in the end each of them knows the rows that the GETs of his token show, no row more.
@Test(.timeLimit(.minutes(5))) func aTalkingMeshIsStreamedAsItIsShown() throws {
    var options = SimulatorOptions()
    // As fast as the readers of a debug build take it.
    options.chatter = 180
    options.timeScale = 10
    options.limitsRates = false
    let radio = try SimulatedRadio(options)
    defer { radio.stop() }
    let test = try TestGateway { delegate in
        RadioLink(address: .connection(name: "simulated"), connect: { try radio.connect() }, delegate: delegate)
    }
    let listeners = try TheStreamShowsWhatTheGETsShow.tokens.map { try Listener(test, scopes: $0) }
    for listener in listeners { try listener.read() }
    radio.start()
    test.gateway.start()
    let id = test.id
    try #require(eventually { test.gateway.status(of: id).link == .live })
    let hut = radio.nodes[11].number
    #expect(try test.post("/api/v1/actions/traceroute", #"{"destination":"\#(hut.id)"}"#).status == 200)
    // While it talks they take what there is, each at its own pace.
    var newest: Int64 = 0
    var isRouteKnown = false
    var elsewhere: Int64 = 0
    for _ in 0..<20_000 where newest < 200 || !isRouteKnown {
        if newest >= elsewhere * 20 {
            talkElsewhere(radio, PacketID(0x7000_0000 + elsewhere * 10))
            elsewhere += 1
        }
        for listener in listeners.shuffled().prefix(3) { try listener.read() }
        (newest, isRouteKnown) = try test.store.readCommitted { reader in
            (try reader.packetRows().newest, try reader.traceroutes(in: id).contains { $0.route != nil })
        }
        usleep(5000)
    }
    try #require(newest >= 200 && isRouteKnown)
    radio.unplug()
    try #require(eventually { test.gateway.status(of: id).link != .live })
    // What still waits for its group.
    _ = try test.store.read { try $0.newestChange() }
    for listener in listeners {
        // A node that was told of is told of again after a second at the earliest.
        try listener.read()
        for _ in 0..<50 {
            guard try !listener.nodeDifference(from: test).isEmpty else { break }
            usleep(100_000)
            try listener.read()
        }
        let difference = try listener.difference(from: test)
        #expect(difference.isEmpty, "\(listener.scopes): \(difference)")
    }
    let admin = try #require(listeners.first { $0.scopes == ["admin"] })
    #expect(
        admin.kinds.isSuperset(of: [
            "message", "node", "position", "telemetry", "channel", "waypoint", "traceroute", "packet", "status",
        ]), "\(admin.kinds)")
    #expect(Set(try test.get("/api/v1/packets?limit=1000").rows.compactMap { $0["channel"] as? Int }).count > 2)
}

/// By itself the mesh speaks of places, values and waypoints on its first channel alone.
private func talkElsewhere(_ radio: SimulatedRadio, _ id: PacketID) {
    for (place, channel) in ([1, 2] as [UInt32]).enumerated() {
        let sender = radio.nodes[(Int(id) / 10 + place) % radio.nodes.count].number
        let number = id + PacketID(place * 3)
        let position = Position(latitudeI: 465_000_000 + Int32(number % 1000), longitudeI: 65_000_000)
        let values = [Telemetry.Value("batteryLevel", 50), Telemetry.Value("voltage", 3.5)]
        let waypoint = Waypoint(id: 800 + channel, name: "camp \(number)", icon: 0x26F0)
        for (part, (port, payload)) in [
            (PortNumber.position, position.encoded()), (.telemetry, Telemetry(kind: .device, values: values).encoded()),
            (.waypoint, waypoint.encoded()),
        ].enumerated() {
            radio.inject(
                MeshPacket(
                    from: sender, to: .broadcast, channel: channel, id: number + PacketID(part),
                    payload: .decoded(MeshData(port: port, payload: payload, bitfield: 1)), rxSNR: 5, rxRSSI: -90,
                    hopLimit: 3, hopStart: 3, transport: .lora))
        }
    }
}

/// A row, with its keys in an order of their own.
private struct Row: Hashable {
    private let members: [String: Any]
    let text: String

    init(_ row: NSDictionary) throws {
        members = try #require(row as? [String: Any])
        text = String(
            decoding: try JSONSerialization.data(withJSONObject: members, options: .sortedKeys), as: UTF8.self)
    }

    subscript(_ key: String) -> Any? { members[key] }

    /// - Parameter changes: nil: not there.
    func with(_ changes: [String: Any?]) throws -> Row {
        var members = members
        for (key, value) in changes { members[key] = value }
        return try Row(members as NSDictionary)
    }

    static func == (first: Row, second: Row) -> Bool { first.text == second.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// What one reader knows: of each row the last that he was told.
private final class Listener {
    let scopes: [String]
    private let token: APIToken
    private let reader: EventReader
    private var rows: [String: [String: Row]] = [:]
    private var others: [String: Set<Row>] = [:]

    init(_ test: TestGateway, scopes: [String]) throws {
        self.scopes = scopes
        token = try test.token(scopes)
        reader = try EventReader(test, as: token)
    }

    var kinds: Set<String> { Set(rows.keys).union(others.keys) }

    private static let keys = [
        "message": "id", "node": "nodeId", "channel": "id", "waypoint": "waypointId", "traceroute": "id",
    ]

    func read() throws {
        for told in try reader.read() {
            #expect(told.kind != "missed", "\(told.data)")
            let row = try Row(told.json)
            guard let key = Self.keys[told.kind] else {
                others[told.kind, default: []].insert(row)
                continue
            }
            let id = "\(row[row["deleted"] == nil ? key : "id"]!)"
            rows[told.kind, default: [:]][id] = row["deleted"] == nil ? row : nil
        }
    }

    /// Without nodes that were seen, and have gone to a channel that this token does not see.
    func nodeDifference(from test: TestGateway) throws -> String {
        let nodes = try shown("nodes", test)
        let all = try test.get("/api/v1/nodes").rows.map { try Row($0) }
        func row(_ id: String?, in rows: [Row]) -> Row? {
            rows.first { $0["nodeId"] as? String == id }
        }
        return compare("node", nodes) { told in
            let id = told["nodeId"] as? String
            return row(id, in: nodes) != nil || row(id, in: all)?["channel"] as? Int == told["channel"] as? Int
        }
    }

    /// Empty: he knows what the GETs show.
    func difference(from test: TestGateway) throws -> String {
        let nodes = try shown("nodes", test)
        var found = try nodeDifference(from: test)
        found += try compare("message", shown("messages?limit=10000", test))
        found += try compare("waypoint", shown("waypoints", test))
        found += try compare("traceroute", shown("traceroutes?limit=1000", test))
        found += try compare("packet", shown("packets?limit=1000", test))
        let channels = try (rows["channel"] ?? [:]).values.map { try $0.with(["sourceId": nil]) }
        found += Self.difference("channel", Set(channels), Set(try shown("channels", test)))
        // A node's place and values are shown for as long as it is on a channel that the token sees: they come and go with
        // it, and only who sees everything is told all of them.
        let ids = Set(nodes.compactMap { $0["nodeId"] as? String })
        for (kind, rows) in [("telemetry", try telemetry(test)), ("position", try positions(test, of: ids))] {
            let told = (others[kind] ?? []).filter { ids.contains($0["nodeId"] as? String ?? "") }
            found += Self.difference(kind, told, scopes == ["admin"] ? rows : rows.intersection(told))
        }
        return found
    }

    private func shown(_ path: String, _ test: TestGateway) throws -> [Row] {
        let answer = try test.ask("GET", "/api/v1/" + path, as: token)
        #expect([200, 403].contains(answer.status), "\(path): \(answer.text)")
        return answer.status == 200 ? try answer.rows.map { try Row($0) } : []
    }

    /// Without the values that a position makes, whose event is the position, and those of the gateway's own that stand in
    /// no report.
    private func telemetry(_ test: TestGateway) throws -> Set<Row> {
        let told = others["telemetry"] ?? []
        let others =
            ["latitude", "longitude", "altitude", "sats_in_view", "ground_speed", "ground_track"]
            + DerivedMetric.allCases.map(\.name)
        return Set(
            try shown("telemetry?limit=10000", test).filter {
                told.contains($0) || !others.contains($0["telemetryType"] as? String ?? "")
            })
    }

    private func positions(_ test: TestGateway, of ids: Set<String>) throws -> Set<Row> {
        var all: Set<Row> = []
        for id in ids {
            for row in try shown("nodes/\(id)/position-history?limit=10000", test) {
                let number = NSNumber(value: try #require(UInt32(id.dropFirst(), radix: 16)))
                try all.insert(row.with(["nodeId": id, "nodeNum": number, "sourceId": test.uuid]))
            }
        }
        return all
    }

    private func compare(
        _ kind: String, _ shown: [Row], where counts: (Row) -> Bool = { _ in true }
    ) -> String {
        let told = Set((rows[kind] ?? [:]).values).union(others[kind] ?? [])
        return Self.difference(kind, told.filter(counts), Set(shown))
    }

    private static func difference(_ kind: String, _ told: Set<Row>, _ shown: Set<Row>) -> String {
        let (more, less) = (told.subtracting(shown), shown.subtracting(told))
        guard !more.isEmpty || !less.isEmpty else { return "" }
        return "\(kind): \(more.count) more, \(less.count) less; \(more.first?.text ?? "") \(less.first?.text ?? "")\n"
    }
}
