import MeshModel
import Testing

@testable import Store

/// A count goes on from the last one, so it is asked again after each change and compared with what can be read.
@Test func countsOfSeriesFollowEveryChange() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder, retention: .month)
    let queries = [
        TelemetryQuery(source: source, node: alice), TelemetryQuery(source: source, node: alice, name: "voltage"),
        TelemetryQuery(source: source, node: alice, name: "latitude"), TelemetryQuery(source: source, node: bob),
    ]
    func expectExactCounts(_ total: Int) throws {
        try store.read { reader throws in
            for query in queries {
                let points = try reader.telemetryPoints(query, limit: 100_000)
                #expect(try reader.telemetryTotal(query) == points.count)
            }
            #expect(try reader.telemetryPoints(TelemetryQuery(source: source), limit: 100_000).count == total)
            #expect(try reader.telemetryCount() == total)
        }
    }
    try expectExactCounts(0)
    try add(10, at: noon, to: store, source)
    try expectExactCounts(70)
    try add(5, at: noon + day, to: store, source)
    try expectExactCounts(105)
    // The oldest ten rows of each table.
    try prune(noon + month + hour)
    try expectExactCounts(35)
    try add(1, at: noon + 2 * day, to: store, source)
    // Deleted without having been counted.
    try prune(noon + 3 * day + month)
    try expectExactCounts(0)
    // Numbers of rows begin anew.
    try add(7, at: noon + 4 * day, to: store, source)
    try expectExactCounts(49)
    try store.commit { try $0.connection.prepare("DELETE FROM telemetry WHERE id % 2 = 0").run() }
    try expectExactCounts(49 - 6)

    func prune(_ now: Int64) throws {
        let deleted = try store.commit { try $0.pruneOld(now: now) }
        #expect(deleted > 0)
    }
}

/// What the writer has counted is not counted again after a start, and is given up when it is no longer true.
@Test func aStartGoesOnFromWhatWasCounted() throws {
    let folder = Folder()
    var (store, source) = try Store.withSource(folder, retention: .month)
    func restarted() throws -> Int {
        store.close()
        store = try Store(path: folder.database, retention: .month)
        return try store.read { try $0.telemetryCount() }
    }
    func count() throws {
        try store.commit { writer in
            for table in SeriesTable.allCases { while try writer.countRows(of: table, batch: 3) {} }
        }
    }
    try add(10, at: noon, to: store, source)
    try count()
    #expect(try restarted() == 70)
    // Not looked at again: only who has counted it before could know.
    try store.commit { try $0.connection.prepare("UPDATE telemetry SET metrics = '{}' WHERE id = 1").run() }
    #expect(try restarted() == 70)
    try store.commit {
        try $0.connection.prepare("UPDATE telemetry SET metrics = '{\"a\":1,\"b\":2}' WHERE id = 1").run()
    }
    try add(3, at: noon + day, to: store, source)
    #expect(try restarted() == 91)
    // Of each table the five oldest; then all, with numbers of rows that begin anew.
    try store.commit { writer in
        for table in SeriesTable.allCases {
            try writer.connection.prepare(composed: "DELETE FROM \(table.name) WHERE id <= 5").run()
        }
    }
    #expect(try restarted() == 56)
    try count()
    #expect(try restarted() == 56)
    try store.commit { writer in
        for table in SeriesTable.allCases { try writer.connection.prepare(composed: "DELETE FROM \(table.name)").run() }
    }
    try add(30, at: noon + 2 * day, to: store, source)
    #expect(try restarted() == 210)
    try count()
    try add(1, at: noon + 2 * day + hour, to: store, source)
    #expect(try restarted() == 217)
    store.close()
}

/// Seven points each.
private func add(_ count: Int, at time: Int64, to store: Store, _ source: SourceID) throws {
    try store.commit { writer in
        for place in 0..<count {
            let telemetry = Telemetry(kind: .device, values: [.init("batteryLevel", 87), .init("voltage", 3.7)])
            let now = time + Int64(place)
            try writer.insertTelemetry(telemetry, from: alice, packet: nil, in: source, at: now)
            let position = Position(latitudeI: 1, longitudeI: 2)
            try writer.insertPosition(position, from: alice, packet: nil, in: source, at: now)
            let people = Paxcount(wifi: 1, ble: 2, uptime: 3)
            try writer.insertPaxcount(people, from: alice, packet: nil, in: source, at: now)
        }
    }
}

/// An older snapshot than the one that was counted last must not make the count go backwards for others.
@Test func aCountSurvivesAnOlderSnapshot() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder, retention: .month)
    try add(3, at: noon, to: store, source)
    try store.read { older throws in
        #expect(try older.telemetryPoints(TelemetryQuery(source: source), limit: 100).count == 21)
        try add(2, at: noon + hour, to: store, source)
        #expect(try store.read { try $0.telemetryCount() } == 35)
        _ = try older.telemetryCount()
    }
    #expect(try store.read { try $0.telemetryCount() } == 35)
}
