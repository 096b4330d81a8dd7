import Foundation
import MeshModel
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
    // While it talks they take what there is, each at its own pace.
    try #require(
        eventually {
            for listener in listeners.shuffled().prefix(3) { try listener.read() }
            return try test.store.readCommitted { try $0.packetRows().newest } >= 250
        })
    radio.unplug()
    try #require(eventually { test.gateway.status(of: id).link != .live })
    // What still waits for its group.
    _ = try test.store.read { try $0.newestChange() }
    for listener in listeners {
        // A node that was told of is told of again after a second at the earliest.
        var difference = "?"
        let isSame = try eventually {
            try listener.read()
            difference = try listener.difference(from: test)
            return difference.isEmpty
        }
        #expect(isSame, "\(listener.scopes): \(difference)")
    }
    let kinds = try #require(listeners.first { $0.scopes == ["admin"] }).kinds
    #expect(kinds.isSuperset(of: ["message", "node", "position", "telemetry", "channel", "waypoint", "packet"]))
}

/// What one reader knows: of each row the last that he was told.
private final class Listener {
    let scopes: [String]
    private let token: APIToken
    private let reader: EventReader
    private var rows: [String: [String: NSDictionary]] = [:]
    private var others: [String: Set<NSDictionary>] = [:]

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
            let row = try told.json
            guard let key = Self.keys[told.kind] else {
                others[told.kind, default: []].insert(row)
                continue
            }
            let id = "\(row[row["deleted"] == nil ? key : "id"]!)"
            rows[told.kind, default: [:]][id] = row["deleted"] == nil ? row : nil
        }
    }

    /// Empty: he knows what the GETs show.
    func difference(from test: TestGateway) throws -> String {
        func shown(_ path: String) throws -> [NSDictionary] {
            let answer = try test.ask("GET", "/api/v1/" + path, as: token)
            #expect([200, 403].contains(answer.status), "\(path): \(answer.text)")
            return answer.status == 200 ? try answer.rows : []
        }
        func compare(_ kind: String, _ told: Set<NSDictionary>, _ shown: Set<NSDictionary>) -> String {
            let (more, less) = (told.subtracting(shown), shown.subtracting(told))
            guard !more.isEmpty || !less.isEmpty else { return "" }
            return "\(kind): \(more.count) more, \(less.count) less; \(more.first ?? [:]) \(less.first ?? [:])\n"
        }
        var found = ""
        for (kind, path) in [
            ("message", "messages?limit=10000"), ("node", "nodes"), ("waypoint", "waypoints"),
            ("traceroute", "traceroutes?limit=1000"),
        ] {
            found += compare(kind, Set((rows[kind] ?? [:]).values), Set(try shown(path)))
        }
        let channels = try (rows["channel"] ?? [:]).values.map { row -> NSDictionary in
            let row = try #require(row.mutableCopy() as? NSMutableDictionary)
            row.removeObject(forKey: "sourceId")
            return row
        }
        found += compare("channel", Set(channels), Set(try shown("channels")))
        found += compare("packet", others["packet"] ?? [], Set(try shown("packets?limit=1000")))
        return found
    }
}
