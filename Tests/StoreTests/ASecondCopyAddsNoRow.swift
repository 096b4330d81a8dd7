import MeshModel
import Testing

@testable import Store

private let report = Telemetry(kind: .device, values: [Telemetry.Value("batteryLevel", 50)])

private func packet(_ id: PacketID) -> MeshPacket {
    MeshPacket(from: alice, to: .broadcast, id: id, payload: .none)
}

private func hear(_ id: PacketID, at time: Int64, _ writer: Writer, _ source: SourceID) throws {
    let packet = packet(id)
    try writer.insertTelemetry(report, from: alice, packet: packet, in: source, at: time)
    try writer.insertPosition(
        Position(latitudeI: 1, longitudeI: 2), from: alice, packet: packet, in: source, at: time)
    try writer.insertNodeStatus("s", from: alice, packet: packet, in: source, at: time)
    try writer.insertPaxcount(Paxcount(wifi: 1, ble: 2, uptime: 3), from: alice, packet: packet, in: source, at: time)
}

/// A packet that is heard twice within six hours is one row, whatever the writer remembers of the first time.
@Suite struct ASecondCopyAddsNoRow {
    private let folder = Folder.inMemory()
    private func counts(_ store: Store) throws -> [Int64?] {
        try store.read { reader in
            try ["telemetry", "positions", "node_statuses", "paxcounts"].map {
                try reader.connection.integer("SELECT count(*) FROM \($0)")
            }
        }
    }

    @Test func alsoAfterARestart() throws {
        for run in 1...3 as ClosedRange<PacketID> {
            let (store, source) = try open()
            defer { store.close() }
            try store.commit { writer in
                // Those of the runs before, once more, and a new one.
                for id in 1...run { try hear(id, at: noon + Int64(run) * hour, writer, source) }
            }
            #expect(try counts(store) == Array(repeating: Int64(run), count: 4))
        }
        let (store, source) = try open()
        defer { store.close() }
        // Six hours later it is another packet.
        try store.commit { try hear(1, at: noon + 8 * hour, $0, source) }
        #expect(try counts(store) == [4, 4, 4, 4])
        // A clock that was set back by a year hides none of the rows from then on.
        try store.commit { writer in
            for _ in 0..<2 { try hear(1, at: noon - 365 * day, writer, source) }
        }
        #expect(try counts(store) == [4, 4, 4, 4])
    }

    private func open() throws -> (Store, SourceID) {
        let store = try Store(path: folder.database)
        return (store, try store.commit { try $0.sources().first?.id ?? $0.insert(.example) })
    }

    /// More than are remembered.
    @Test func beyondWhatIsRemembered() throws {
        let (store, source) = try open()
        defer { store.close() }
        let count = PacketID(RecentPackets.capacity + 5_000)
        try store.commit { writer in
            for id in 1...count {
                try writer.insertPosition(
                    Position(latitudeI: 1, longitudeI: 2), from: alice, packet: packet(id), in: source,
                    at: noon + Int64(id) * 500)
            }
            let last = noon + Int64(count) * 500
            for id in stride(from: 1, through: count, by: 997) {
                try writer.insertPosition(
                    Position(latitudeI: 1, longitudeI: 2), from: alice, packet: packet(id), in: source, at: last)
            }
        }
        #expect(try counts(store)[1] == Int64(count))
    }

    @Test func whatWasUndoneIsStoredTheNextTime() throws {
        struct Refused: Error {}
        let (store, source) = try open()
        defer { store.close() }
        #expect(throws: Refused.self) {
            try store.commit { writer in
                try hear(1, at: noon, writer, source)
                throw Refused()
            }
        }
        try store.commit { try hear(1, at: noon, $0, source) }
        #expect(try counts(store) == [1, 1, 1, 1])
    }

    /// Without a look into the tables: that is what it is for.
    @Test func whatIsSurelyNewIsKnownFromMemory() throws {
        let (store, source) = try open()
        defer { store.close() }
        try store.commit { writer in
            let heard = Heard(alice, packet(7), in: source, at: noon)
            #expect(try writer.recentPackets(at: noon).isNew(heard, .telemetry))
            try writer.insertTelemetry(report, from: alice, packet: packet(7), in: source, at: noon)
            #expect(try !writer.recentPackets(at: noon).isNew(heard, .telemetry))
            #expect(try writer.recentPackets(at: noon).isNew(heard, .positions))
        }
        store.close()
        let (again, same) = try open()
        defer { again.close() }
        try again.commit { writer in
            let recent = try writer.recentPackets(at: noon + hour)
            #expect(!recent.isNew(Heard(alice, packet(7), in: same, at: noon + hour), .telemetry))
            #expect(recent.isNew(Heard(alice, packet(8), in: same, at: noon + hour), .telemetry))
        }
    }
}
