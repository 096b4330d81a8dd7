import MeshModel
import Testing

@testable import Store

private let carol = NodeNumber(0xCA40_1003)

/// Contract 3.3: the diagonal of the box around a node's last 250 positions.
@Suite struct ANodeThatLeavesAHundredMetresIsMobile {
    private static let metre: Double = 1e7 / 111_195

    /// - Parameters: metres from a place at a latitude of 60 degrees, where a degree of longitude is half as long.
    private func add(
        _ node: NodeNumber, north: Double, east: Double, at time: Int64, _ writer: Writer, _ source: SourceID
    ) throws {
        let position = Position(
            latitudeI: 600_000_000 + Int32(north * Self.metre), longitudeI: 60_000_000 + Int32(2 * east * Self.metre))
        try writer.insertPosition(position, from: node, packet: nil, in: source, at: time)
    }

    private func isMobile(_ store: Store, _ source: SourceID) throws -> [Bool?] {
        try store.read { try $0.isMobile([alice, bob, carol], in: source) }
    }

    @Test func byTheBoxOfItsPositions() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        #expect(try isMobile(store, source) == [nil, nil, nil])
        try store.commit { writer in
            try add(alice, north: 0, east: 0, at: noon, writer, source)
            // 69 m one way and 69 m the other: 98 m, and 102 m with 72 m.
            for (north, east) in [(0.0, 0.0), (69, 0), (0, 69)] {
                try add(bob, north: north, east: east, at: noon, writer, source)
            }
        }
        #expect(try isMobile(store, source) == [false, false, nil])
        try store.commit { writer in try add(bob, north: 72, east: 72, at: noon + 1, writer, source) }
        #expect(try isMobile(store, source) == [false, true, nil])
        try store.commit { writer in
            for place in 0..<250 { try add(bob, north: 9, east: 9, at: noon + 2 + Int64(place), writer, source) }
        }
        #expect(try isMobile(store, source) == [false, false, nil], "it has stayed for 250 positions")
    }

    /// What is known goes on from what was looked at last, and a start looks anew.
    @Test func aNewPositionIsSeenAtOnce() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        try store.read { older throws in
            #expect(try older.isMobile([alice], in: source) == [nil])
            try store.commit { writer in try add(alice, north: 0, east: 0, at: noon, writer, source) }
            #expect(try store.read { try $0.isMobile([bob], in: source) } == [nil])
            // It does not see the position yet.
            #expect(try older.isMobile([alice, carol], in: source) == [nil, nil])
        }
        #expect(try isMobile(store, source) == [false, nil, nil])
        try store.commit { writer in
            try add(alice, north: 200, east: 0, at: noon + 1, writer, source)
            try add(carol, north: 0, east: 0, at: noon + 1, writer, source)
        }
        #expect(try isMobile(store, source) == [true, nil, false])
        store.close()
        let again = try Store(path: folder.database)
        #expect(try isMobile(again, source) == [true, nil, false])
        again.close()
    }

    /// SQLite gives the numbers of deleted rows to new ones.
    @Test func whatIsDeletedIsForgotten() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        try store.commit { writer in
            try add(alice, north: 0, east: 0, at: noon, writer, source)
            try add(bob, north: 0, east: 0, at: noon, writer, source)
            try add(bob, north: 200, east: 0, at: noon + 1, writer, source)
        }
        #expect(try isMobile(store, source) == [false, true, nil])
        _ = try store.commit { try $0.deleteReports(of: bob, from: .positions, in: source, limit: 500) }
        #expect(try isMobile(store, source) == [false, nil, nil], "the newest row is an older one")
        try store.commit { writer in
            for time in 1...2 { try add(bob, north: 0, east: 0, at: noon + Int64(time), writer, source) }
        }
        #expect(try isMobile(store, source) == [false, false, nil])
        _ = try store.commit { try $0.deleteReports(of: bob, from: .positions, in: source, limit: 500) }
        store.forgetCounts()
        try store.commit { writer in
            try add(alice, north: 200, east: 0, at: noon + 3, writer, source)
            try add(bob, north: 0, east: 0, at: noon + 3, writer, source)
        }
        #expect(try isMobile(store, source) == [true, false, nil])
    }
}
