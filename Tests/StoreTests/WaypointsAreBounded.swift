import MeshModel
import Testing

@testable import Store

@Suite struct WaypointsAreBounded {
    /// A flood of made-up waypoints drives out no more than others' old ones.
    @Test func theOldestOfOthersMakeWay() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        let own = NodeNumber(0x1234_5678)
        try store.commit { writer in
            try writer.update(source) { $0.nodeNumber = own }
            try writer.upsertWaypoint(Waypoint(id: 1, name: "Own"), from: own, channel: 3, in: source, at: 1)
            for number in 2...UInt32(Writer.waypointLimit + 6) {
                try writer.upsertWaypoint(
                    Waypoint(id: number), from: NodeNumber(7), channel: 0, in: source, at: Int64(number))
            }
        }
        let rows = try store.read { try $0.waypoints(in: source) }
        #expect(rows.count == Writer.waypointLimit + 1)
        #expect(rows.prefix(2).map(\.value.id) == [1, 7])
        #expect(rows[0].channel == 3)
    }

    /// What has expired for a day makes way with the next one; "for ever" does not.
    @Test func whatIsLongOverMakesWay() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        let now: Int64 = 2_000_000_000_000
        try store.commit { writer in
            for (id, expire) in [
                (1, 0), (2, UInt32(Int32.max)), (3, UInt32(now / 1000 - 86_401)), (4, UInt32(now / 1000 - 60)),
            ] as [(UInt32, UInt32)] {
                try writer.upsertWaypoint(Waypoint(id: id, expire: expire), from: NodeNumber(7), in: source, at: 1)
            }
            try writer.upsertWaypoint(Waypoint(id: 5), from: NodeNumber(7), in: source, at: now)
        }
        #expect(try store.read { try $0.waypoints(in: source) }.map(\.value.id) == [1, 2, 4, 5])
    }
}
