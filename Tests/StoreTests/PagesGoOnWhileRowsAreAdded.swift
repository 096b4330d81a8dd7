import MeshModel
import Testing

@testable import Store

/// Ends of pages are remembered. Whatever is stored or deleted between two pages, a page is the same as one that is cut
/// out of everything.
@Test(arguments: [nil, "voltage", "latitude", "lux"])
func pagesGoOnWhileRowsAreAdded(_ name: String?) throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder, retention: .month)
    let query = TelemetryQuery(source: source, name: name)
    var added = 0
    func add(_ count: Int) throws {
        let first = added
        added += count
        try store.commit { writer in
            for place in first..<first + count {
                let time = noon + Int64(place) * 1000
                let report = Telemetry(kind: .device, values: [.init("batteryLevel", 87), .init("voltage", 3.7)])
                try writer.insertTelemetry(report, from: alice, packet: nil, in: source, at: time)
                guard place % 4 == 0 else { continue }
                let position = Position(latitudeI: 1, longitudeI: 2, altitude: 3)
                try writer.insertPosition(position, from: bob, packet: nil, in: source, at: time)
            }
        }
    }
    func expectPages(_ offsets: some Sequence<Int>, limit: Int) throws {
        // A query with a bound of time is read from the beginning.
        var fresh = query
        fresh.since = 0
        for offset in offsets {
            try store.read { reader throws in
                let all = try reader.telemetryPoints(fresh, limit: 100_000)
                let page = try reader.telemetryPoints(query, limit: limit, offset: offset)
                #expect(page == Array(all.dropFirst(offset).prefix(limit)), "\(offset) of \(all.count)")
            }
        }
    }
    try expectPages([0, 5], limit: 5)
    try add(30)
    for round in 0..<8 {
        try expectPages([round * 5, round * 5 + 5, 40, 0, 500], limit: 5)
        try add(round % 3)
    }
    try expectPages(stride(from: 0, to: 160, by: 3), limit: 3)
    try expectPages(stride(from: 160, to: 0, by: -7), limit: 9)
    try add(3)
    let deleted = try store.commit { try $0.pruneOld(now: noon + 10_000 + month) }
    #expect(deleted > 0)
    try expectPages(stride(from: 0, to: 160, by: 11), limit: 11)
}
