import MeshModel
import Testing

@testable import Store

/// Readers that are up to date find the changes of the last commits in memory, as the log has them.
@Suite struct TheLastChangesAreInMemory {
    private let folder = Folder()
    private let all = Set(StoredChange.Kind.allCases)

    /// One commit with a text, a report, and a node of each.
    private func hear(_ id: PacketID, _ store: Store, _ source: SourceID) throws {
        try store.commit { writer in
            try writer.insertMessage(.received("text \(id)", id: id, at: noon), in: source)
            try writer.updateNode(NodeNumber(id), in: source, at: noon) { $0.longName = "\(id)" }
            try writer.insertTelemetry(
                Telemetry(kind: .device, values: [.init("batteryLevel", Double(id % 101)), .init("voltage", 3.7)]),
                from: NodeNumber(id), packet: nil, in: source, at: noon + Int64(id))
        }
    }

    private func opened() throws -> (Store, SourceID) {
        let (store, source) = try Store.withSource(folder)
        store.observe { _ in }
        return (store, source)
    }

    @Test func asTheLogHasThem() throws {
        let (store, source) = try opened()
        defer { store.close() }
        store.beginStandingReads()
        defer { store.endStandingReads() }
        for id in 1...10 { try hear(PacketID(id), store, source) }
        let newest = try store.read { try $0.newestChange() }
        for kinds in [all, [.message], [.telemetry, .node], [.read]] {
            for (place, limit) in [(0, 500), (0, 7), (5, 4), (newest - 1, 500), (newest, 500)] {
                let logged = try store.read { try $0.changes(after: place, kinds: kinds, limit: limit) }
                let recent = try #require(store.recentChanges(after: place, kinds: kinds, limit: limit))
                #expect(recent.changes == logged.changes && recent.last == logged.last)
                #expect(recent.isAll == (recent.last == newest))
            }
        }
        // Nobody knows of what is to come.
        #expect(store.recentChanges(after: newest + 1, kinds: all, limit: 500) == nil)
    }

    @Test func aChangeSaysWhereItsMessageIs() throws {
        let (store, source) = try opened()
        defer { store.close() }
        store.beginStandingReads()
        defer { store.endStandingReads() }
        try hear(1, store, source)
        let change = try #require(store.recentChanges(after: 0, kinds: [.message], limit: 1)?.changes.first)
        let row = try #require(change.messageRow)
        guard case .message(let id, _) = change.what else { return #expect(Bool(false)) }
        try store.read { reader in
            let uuid = try #require(try reader.source(source)).uuid
            #expect(try reader.message(id, inRow: row, of: source, uuid: uuid) == reader.message(id: id, in: source))
            #expect(try reader.message("\(id)0", inRow: row, of: source, uuid: uuid) == nil)
        }
        try store.commit { _ = try $0.deleteMessage(id: id, in: source) }
        try store.read { reader in
            let uuid = try #require(try reader.source(source)).uuid
            #expect(try reader.message(id, inRow: row, of: source, uuid: uuid) == nil)
        }
    }

    /// Only while somebody reads them, and not many.
    @Test func withABound() throws {
        let (store, source) = try opened()
        defer { store.close() }
        try hear(1, store, source)
        #expect(store.recentChanges(after: 0, kinds: all, limit: 1) == nil)
        store.beginStandingReads()
        for id in 2...400 { try hear(PacketID(id), store, source) }
        let newest = try store.read { try $0.newestChange() }
        let kept = Int64(RecentChanges.kept)
        #expect(store.recentChanges(after: newest - kept, kinds: all, limit: 1)?.last == newest - kept + 1)
        #expect(store.recentChanges(after: newest - 2 * kept - 1, kinds: all, limit: 1) == nil)
        store.endStandingReads()
        #expect(store.recentChanges(after: newest, kinds: all, limit: 1) == nil)
    }

    /// Then the log says what was missed.
    @Test func notOverWhatIsNotLoggedRowByRow() throws {
        let (store, source) = try opened()
        defer { store.close() }
        store.beginStandingReads()
        defer { store.endStandingReads() }
        try hear(1, store, source)
        let place = try store.read { try $0.newestChange() }
        try store.commit { try $0.forgetChanges() }
        #expect(store.recentChanges(after: place, kinds: all, limit: 1) == nil)
        try hear(2, store, source)
        #expect(store.recentChanges(after: place, kinds: all, limit: 1) == nil)
        let newest = try store.read { try $0.newestChange() }
        #expect(store.recentChanges(after: newest, kinds: all, limit: 1)?.isAll == true)
    }

    /// What was undone was never there.
    @Test func notOfACommitThatFailed() throws {
        let (store, source) = try opened()
        defer { store.close() }
        store.beginStandingReads()
        defer { store.endStandingReads() }
        struct Refused: Error {}
        try hear(1, store, source)
        #expect(throws: Refused.self) {
            try store.commit { writer in
                try writer.updateNode(NodeNumber(9), in: source, at: noon) { $0.longName = "9" }
                throw Refused()
            }
        }
        try hear(2, store, source)
        let recent = try #require(store.recentChanges(after: 0, kinds: [.node], limit: 500))
        #expect(recent.changes.map(\.what) == [.node(NodeNumber(1)), .node(NodeNumber(2))])
    }
}

/// Rules ask for one value of a report, and get what lists of the series have.
@Test func aReportsValueIsFoundByItsName() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    defer { store.close() }
    let values: [Telemetry.Value] = [
        .init("batteryLevel", 15), .init("voltage", 3.7000000476837158), .init("channelUtilization", 0.1),
        .init("airUtilTx", -1e-7), .init("uptimeSeconds", 4_294_967_295),
    ]
    try store.commit { writer in
        for kind in [Telemetry.Kind.device, .health] {
            try writer.insertTelemetry(
                Telemetry(kind: kind, values: values), from: NodeNumber(1), packet: nil, in: source, at: noon)
        }
    }
    try store.read { reader in
        let report = try #require(try reader.report(inRow: 1))
        for value in values {
            #expect(report.measurement(value.name) == .init(of: NodeNumber(1), at: noon, value: value.value))
        }
        for name in ["", "battery", "atteryLevel", "batteryLeve", "batteryLevel2"] {
            #expect(report.measurement(name) == nil)
        }
        // Of a person's health, and of no row.
        #expect(try reader.report(inRow: 2) == nil && reader.report(inRow: 3) == nil)
    }
}

/// The report before one, as the list of the series has it; of another kind, or another node, is none.
@Test func theReportBeforeIsFound() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    defer { store.close() }
    let reports: [(Telemetry.Kind, UInt32, Int64, Double)] = [
        (.device, 1, 0, 50), (.device, 1, 1, 40), (.environment, 1, 2, 99), (.device, 2, 3, 98), (.device, 1, 4, 30),
        (.device, 1, 4, 20),
    ]
    try store.commit { writer in
        for (kind, node, time, value) in reports {
            try writer.insertTelemetry(
                Telemetry(kind: kind, values: [.init("batteryLevel", value)]), from: NodeNumber(node), packet: nil,
                in: source, at: noon + time)
        }
    }
    try store.read { reader in
        for (row, time, value) in [(6, 4, 30), (5, 4, 40), (2, 1, 50), (1, 0, nil)] as [(Int64, Int64, Double?)] {
            let found = try reader.pointBefore(
                row: row, at: noon + time, "batteryLevel", of: NodeNumber(1), in: source)
            #expect(found?.value == value, "\(row)")
        }
        #expect(
            try reader.pointBefore(row: .max, at: noon + 9, "batteryLevel", of: NodeNumber(1), in: source)
                == .init(of: NodeNumber(1), at: noon + 4, value: 20))
        for name in ["voltage", "latitude", "unheard"] {
            #expect(try reader.pointBefore(row: 6, at: noon + 9, name, of: NodeNumber(1), in: source) == nil)
        }
    }
}
