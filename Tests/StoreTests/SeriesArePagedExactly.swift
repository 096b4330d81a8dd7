import MeshModel
import Testing

@testable import Store

/// Two nodes that report everything, and a third that the query must not show.
private func fill(_ store: Store, _ source: SourceID) throws {
    try store.commit { writer in
        var second = Source.example
        second.uuid = "other"
        let other = try writer.insert(second)
        for place in 0..<30 {
            let time = noon + Int64(place / 2) * 1000
            let packet = MeshPacket(
                from: alice, to: .broadcast, channel: UInt32(place % 3), id: PacketID(place + 1), payload: .none)
            for node in [alice, bob] {
                try writer.insertTelemetry(reports[place % 4], from: node, packet: packet, in: source, at: time)
                if place % 5 == 0 {
                    try writer.insertPosition(position(place), from: node, packet: packet, in: source, at: time)
                }
            }
            try writer.insertTelemetry(reports[0], from: alice, packet: packet, in: other, at: time)
        }
        let count = Paxcount(wifi: 7, ble: 9, uptime: 60)
        try writer.insertPaxcount(count, from: alice, packet: nil, in: source, at: noon + 500)
    }
}

private let reports: [Telemetry] = [
    Telemetry(
        time: 1_787_299_000, kind: .device, values: [.init("batteryLevel", 87), .init("voltage", 3.7)]),
    Telemetry(kind: .environment, values: [.init("temperature", -1.5)]),
    Telemetry(kind: .health, values: [.init("heartBpm", 61)]),
    Telemetry(kind: .localStats, values: [.init("uptimeSeconds", 5), .init("channelUtilization", 1.25)]),
]

private func position(_ place: Int) -> Position {
    Position(
        latitudeI: 460_000_000 + Int32(place), longitudeI: 60_000_000, altitude: place % 2 == 0 ? 800 : nil,
        gpsAccuracy: 3000, groundSpeed: 12, groundTrack: 9_000_000, satsInView: place == 0 ? nil : 8,
        precisionBits: 32)
}

/// All pages of a size, one after the other.
private func pages(_ query: TelemetryQuery, of size: Int, _ reader: Reader) throws -> [TelemetryPoint] {
    var all: [TelemetryPoint] = []
    while true {
        let page = try reader.telemetryPoints(query, limit: size, offset: all.count)
        all += page
        if page.isEmpty { return all }
        #expect(page.count <= size)
        guard page.count == size else {
            #expect(try reader.telemetryPoints(query, limit: size, offset: all.count).isEmpty)
            return all
        }
    }
}

/// Whoever pages through a series, in steps of any size, gets each point once and in the same place.
@Test func everyPageSizeGivesTheSamePoints() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try fill(store, source)
    try store.read { reader throws in
        let names: [String?] = [
            nil, "voltage", "temperature", "channelUtilization", "altitude", "sats_in_view", "paxcounterBle",
            "heartBpm", "noSuchThing",
        ]
        for name in names {
            for node in [alice, bob, nil] {
                let query = TelemetryQuery(source: source, node: node, name: name)
                let all = try reader.telemetryPoints(query, limit: 100_000)
                for size in [1, 2, 3, 7, 1000] { #expect(try pages(query, of: size, reader) == all) }
                #expect(Set(all.map(\.id)).count == all.count)
                #expect(all.map(\.at) == all.map(\.at).sorted(by: >))
                #expect(all.allSatisfy { name == nil || $0.name == name })
                if node != nil { #expect(try reader.telemetryTotal(query) == all.count) }
            }
        }
        // Of 30 packets, 8 are device reports of 2 values, 8 environment of 1, 7 health, 7 local stats of 2; 6 positions
        // of 4, 3 of them with an altitude and 5 with satellites; 3 of people counted.
        let alices = TelemetryQuery(source: source, node: alice)
        #expect(try reader.telemetryTotal(alices) == 8 * 2 + 8 + 7 * 2 + 6 * 4 + 3 + 5 + 3)
        #expect(try reader.telemetryTotal(TelemetryQuery(source: source, node: bob)) == 8 * 2 + 8 + 7 * 2 + 24 + 8)
        #expect(try reader.telemetryCount() == 73 + 70 + 60)
        #expect(try reader.telemetryTotal(TelemetryQuery(source: source, node: alice, name: "altitude")) == 3)
        #expect(try reader.telemetryTotal(TelemetryQuery(source: source, node: alice, name: "heartBpm")) == 0)
        #expect(try reader.positionTotal(alices) == 6)
    }
}

@Test func aPointTellsWhereItComesFrom() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let packet = MeshPacket(
        from: alice, to: .broadcast, channel: 3, id: 5, payload: .none, rxSNR: 5.25, rxRSSI: -97, hopLimit: 2,
        hopStart: 3)
    try store.commit { writer in
        try writer.insertTelemetry(reports[0], from: alice, packet: packet, in: source, at: noon)
        try writer.insertPosition(position(5), from: alice, packet: packet, in: source, at: noon + 1)
    }
    let points = try store.read { try $0.telemetryPoints(TelemetryQuery(source: source), limit: 100) }
    #expect(
        points.map(\.name) == [
            "latitude", "longitude", "sats_in_view", "ground_speed", "ground_track", "batteryLevel", "voltage",
        ])
    #expect(points.map(\.value) == [46.0000005, 6, 8, 12, 90, 87, 3.7])
    let latitude = try #require(points.first)
    #expect(latitude.channel == 3)
    #expect(latitude.precisionBits == 32)
    #expect(latitude.gpsAccuracy == 3000)
    #expect(latitude.rxSNR == 5.25)
    #expect(latitude.hopStart == 3)
    #expect(latitude.hopLimit == 2)
    #expect(latitude.packetID == 5)
    let battery = try #require(points.first { $0.name == "batteryLevel" })
    #expect(battery.time == 1_787_299_000)
    #expect(battery.channel == 3)
    #expect(battery.rxSNR == nil)
    #expect(points.allSatisfy { $0.id > 0 && $0.id < 1 << 53 })
}

@Test func timesBoundAQuery() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try fill(store, source)
    try store.read { reader throws in
        for node in [alice, nil] {
            for name in [nil, "voltage", "latitude"] {
                var query = TelemetryQuery(source: source, node: node, name: name)
                let all = try reader.telemetryPoints(query, limit: 1000)
                (query.since, query.before) = (noon + 4000, noon + 9000)
                let expected = all.filter { $0.at >= noon + 4000 && $0.at < noon + 9000 }
                #expect(!expected.isEmpty)
                #expect(try reader.telemetryPoints(query, limit: 1000) == expected)
                #expect(try reader.telemetryPoints(query, limit: 2, offset: 1) == Array(expected.dropFirst().prefix(2)))
                if node != nil { #expect(try reader.telemetryTotal(query) == expected.count) }
                (query.since, query.before) = (.min, .max)
                #expect(try reader.telemetryPoints(query, limit: 1000) == all)
                (query.since, query.before) = (.max, .min)
                #expect(try reader.telemetryPoints(query, limit: 1000).isEmpty)
            }
        }
    }
}

/// Before any limit, so that a page is full and the total is what can be paged through.
@Test func channelsThatMayNotBeSeenAreLeftOutBeforeTheLimit() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try fill(store, source)
    try store.commit { writer in
        try writer.updateNode(alice, in: source, at: noon) { $0.channel = 2 }
        try writer.updateNode(bob, in: source, at: noon) { _ in }
    }
    try store.read { reader throws in
        var query = TelemetryQuery(source: source, channels: [2])
        var points = try reader.telemetryPoints(query, limit: 1000)
        #expect(Set(points.map(\.node)) == [alice])
        #expect(points.contains { $0.name == "voltage" && $0.channel == 0 })
        #expect(Set(points.filter { $0.name == "latitude" }.map(\.channel)) == [2])
        query.channels = [0, 5]
        // Bob was heard on no channel: that is the first one.
        #expect(Set(try reader.telemetryPoints(query, limit: 1000).map(\.node)) == [bob])
        query.channels = []
        #expect(try reader.telemetryPoints(query, limit: 1000).isEmpty)
        // A node that is named was looked at before.
        query = TelemetryQuery(source: source, node: alice, name: "latitude", channels: [2])
        points = try reader.telemetryPoints(query, limit: 1)
        #expect(points.map(\.channel) == [2])
        #expect(try reader.telemetryTotal(query) == 2)
        #expect(try reader.positionHistory(query, limit: 10).map(\.channel) == [2, 2])
    }
}

@Test func theNewestPositionsComeOldestFirst() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try fill(store, source)
    try store.read { reader throws in
        let query = TelemetryQuery(source: source, node: alice)
        let seconds = { (rows: [Record<Position>]) in rows.map { ($0.at - noon) / 1000 } }
        #expect(seconds(try reader.positionHistory(query, limit: 100)) == [0, 2, 5, 7, 10, 12])
        #expect(seconds(try reader.positionHistory(query, limit: 4)) == [5, 7, 10, 12])
        #expect(seconds(try reader.positionHistory(query, limit: 4, offset: 4)) == [0, 2])
        #expect(try reader.positionHistory(query, limit: 4, offset: 6).isEmpty)
        var bounded = query
        (bounded.since, bounded.before) = (noon + 2000, noon + 10_000)
        #expect(seconds(try reader.positionHistory(bounded, limit: 100)) == [2, 5, 7])
        #expect(try reader.positionTotal(bounded) == 3)
    }
}
