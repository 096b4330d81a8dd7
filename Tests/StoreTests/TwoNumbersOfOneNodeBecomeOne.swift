import Foundation
import MeshModel
import Testing

@testable import Store

/// Firmware 2.8 makes node numbers of keys. What was stored under the old one becomes a part of the new one's past, in every
/// table, at once.
@Suite struct TwoNumbersOfOneNodeBecomeOne {
    private let old = NodeNumber(0x0A0A_0A0A)
    private let new = NodeNumber(0x0B0B_0B0B)

    /// A database with a row of each table for both numbers.
    private func prepared() throws -> (Folder, SourceID) {
        let folder = Folder()
        try ReleasedDatabases.copy(ofFormat: Migration.supported, to: folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.database)
        let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
        defer { connection.close() }
        let source = SourceID(rawValue: try #require(try connection.integer("SELECT min(id) FROM sources")))
        let (o, n) = (Int64(old.rawValue), Int64(new.rawValue))
        let (ok, nk) = (source.key(old), source.key(new))
        func copy(_ table: String, _ values: [String: String]) throws {
            let names = try connection.once("SELECT name FROM pragma_table_info('\(table)')").rows { $0.text() }
                .filter { $0 != "id" || values["id"] != nil }
            let list = names.map { values[$0] ?? $0 }.joined(separator: ", ")
            let wanted = "source = \(source.rawValue)"
            let isOfSource = names.contains("source") ? "ORDER BY \(wanted) DESC" : ""
            try connection.execute(
                "INSERT INTO \(table) (\(names.joined(separator: ", "))) SELECT \(list) FROM \(table) \(isOfSource) LIMIT 1"
            )
        }
        let at = ["source": "\(source.rawValue)"]
        func here(_ values: [String: String]) -> [String: String] { at.merging(values) { $1 } }
        let key = "x'\(String(repeating: "07", count: 32))'"
        try copy(
            "nodes",
            [
                "node": "\(ok)", "last_heard": "100", "long_name": "'Before'", "nickname": "'Hut'", "is_favorite": "1",
                "public_key": key, "latitude": "47.5", "successor": "\(n)", "created_at": "1000",
            ])
        try copy(
            "nodes",
            [
                "node": "\(nk)", "last_heard": "200", "long_name": "'After'", "nickname": "NULL", "is_favorite": "0",
                "public_key": key, "latitude": "NULL", "predecessor": "\(o)", "created_at": "2000",
            ])
        try connection.execute("UPDATE node_counts SET nodes = nodes + 2 WHERE source = \(source.rawValue)")
        for number in [o, n] { try copy("node_keys", here(["public_key": key, "number": "\(number)"])) }
        for number in [o, n] {
            try copy(
                "messages",
                here([
                    "from_node": "\(number)", "packet_id": "7", "occurrence": "0", "to_node": "\(o)",
                    "ack_from": "\(o)",
                ]))
        }
        try copy("messages", here(["source": "-\(source.rawValue)", "from_node": "\(o)", "packet_id": "8"]))
        for table in ["telemetry", "positions", "paxcounts", "node_statuses"] { try copy(table, ["node": "\(ok)"]) }
        try copy(
            "traceroutes",
            here(["from_node": "\(o)", "to_node": "\(n)", "route": "'[5,\(o)]'", "route_back": "'[\(o)]'"]))
        for (node, time) in [(ok, 2), (nk, 1)] {
            try copy("neighbor_reports", ["node": "\(node)", "at": "\(time)", "last_sent_by": "\(o)"])
            try copy("neighbors", ["node": "\(node)", "place": "0", "number": "\(time)"])
        }
        let third = source.key(NodeNumber(0x0C0C_0C0C))
        for (place, number, time) in [(90, o, 9), (91, n, 8)] {
            try copy(
                "neighbors",
                ["node": "\(third)", "place": "\(place)", "number": "\(number)", "last_rx_time": "\(time)"])
        }
        try copy("waypoints", here(["id": "991", "from_node": "\(o)", "locked_to": "\(o)"]))
        for (token, number, upTo) in [(51, o, 20), (51, n, 10), (52, o, 10), (52, n, 20), (53, o, 5)] {
            let mark = here(["token": "\(token)", "channel": "-1", "node": "\(number)"])
            try copy("read_marks", mark.merging(["up_to": "\(upTo)"]) { $1 })
            try copy("conversation_mutes", mark.merging(["muted_until": upTo == 20 ? "NULL" : "\(upTo)"]) { $1 })
        }
        for encrypted in ["NULL", "x'0102'"] {
            try copy("packets", here(["from_node": "\(o)", "to_node": "\(o)", "encrypted": encrypted]))
        }
        try copy("outbox", here(["from_node": "\(o)", "to_node": "\(o)"]))
        try connection.execute("UPDATE sources SET node_number = \(o) WHERE id = \(source.rawValue)")
        return (folder, source)
    }

    /// Each row of each table, as SQL would write it; the log of changes begins anew with every such change.
    private func rows(of path: String) throws -> [String] {
        let connection = try DatabaseConnection(path: path, access: .readWrite)
        defer { connection.close() }
        let tables = try connection.once(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'message_search%' "
                + "AND name NOT IN ('changes', 'event_key', 'push_key')"
        ).rows { $0.text() }
        return try tables.flatMap { table -> [String] in
            let names = try connection.once("SELECT name FROM pragma_table_info('\(table)')").rows { $0.text() }
            let list = names.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            return try connection.once("SELECT '\(table) ' || \(list) FROM \(table)").rows { $0.text() }.sorted()
        }
    }

    private func merge(
        _ folder: Folder, _ source: SourceID, step: @escaping (String) throws -> Void = { _ in }
    ) throws -> [MergedRows] {
        try BulkChange.run(path: folder.database, program: "0.9.1") { writer in
            try writer.mergeNode(old, into: new, in: source, at: 5000, step: step)
        }
    }

    @Test func noRowNamesTheOldOne() throws {
        let (folder, source) = try prepared()
        let report = try merge(folder, source)
        #expect(report.map(\.table).count == 16, "\(report)")
        let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
        defer { connection.close() }
        let tables = try connection.once(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'message_search%'"
        ).rows { $0.text() }
        for table in tables {
            for column in try connection.once("SELECT name FROM pragma_table_info('\(table)')").rows({ $0.text() }) {
                let hasLog = ["packets", "outbox"].contains(table)
                let left = try connection.integer(
                    """
                    SELECT count(*) FROM \(table) WHERE (\(column) IN (\(old.rawValue), \(source.key(old)))
                        OR \(column) LIKE '%\(old.rawValue)%') \(hasLog ? "AND encrypted IS NULL" : "")
                    """)
                #expect(left == 0, "\(table).\(column)")
            }
        }
        #expect(
            try connection.integer(
                "SELECT count(*) FROM packets WHERE from_node = \(old.rawValue) AND encrypted IS NOT NULL")
                == 1, "its number is a part of what it is encrypted with")
        #expect(
            try connection.integer("SELECT nodes FROM node_counts WHERE source = \(source.rawValue)")
                == connection.integer("SELECT count(*) FROM nodes WHERE node >> 32 = \(source.rawValue)"))
        #expect(try connection.once("PRAGMA integrity_check").rows { $0.text() } == ["ok"])
    }

    @Test func ofTwoRowsTheNewerStays() throws {
        let (folder, source) = try prepared()
        _ = try merge(folder, source)
        let store = try Store(path: folder.database)
        defer { store.close() }
        let node = try #require(try store.read { try $0.node(new, in: source) })
        #expect(node.longName == "After" && node.lastHeard == 200, "the newer one")
        #expect(node.nickname == "Hut" && node.latitude == 47.5, "what only the other knew")
        #expect(node.isFavorite && node.createdAt == 1000 && node.successor == nil && node.predecessor == nil)
        let messages = try store.read { reader in
            try reader.messages(MessageQuery(source: source, order: .oldestFirst)).filter { $0.packetID == 7 }
        }
        #expect(messages.map(\.from) == [new, new] && Set(messages.map(\.id)).count == 2, "none is lost")
        let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
        defer { connection.close() }
        let marks = { (table: String, column: String) in
            try connection.once("SELECT \(column) FROM \(table) WHERE token > 50 ORDER BY token").rows {
                $0.integerOrNil()
            }
        }
        #expect(try marks("read_marks", "up_to") == [20, 20, 5])
        #expect(try marks("conversation_mutes", "muted_until") == [nil, nil, 5])
        let key = source.key(new)
        #expect(try connection.integer("SELECT at FROM neighbor_reports WHERE node = \(key)") == 2)
        #expect(try connection.integer("SELECT number FROM neighbors WHERE node = \(key)") == 2)
        #expect(try connection.integer("SELECT last_rx_time FROM neighbors WHERE number = \(new.rawValue)") == 9)
        #expect(try connection.integer("SELECT count(*) FROM neighbors WHERE number = \(new.rawValue)") == 1)
    }

    /// What a kill at each step leaves: the files as they are then.
    @Test func aKillLeavesTheStateBeforeOrTheOneAfter() throws {
        let (folder, source) = try prepared()
        let before = try rows(of: folder.database)
        var kills: [String] = []
        _ = try merge(folder, source) { table in kills.append(try folder.copy(as: "at-\(table).db")) }
        #expect(kills.count == 16)
        for kill in kills {
            let changed = try Set(rows(of: kill)).symmetricDifference(before)
            #expect(changed.isEmpty, "\(kill): \(changed)")
        }
        let after = try rows(of: folder.database)
        #expect(after != before)
    }

    private struct Stopped: Error {}

    @Test func whatEndsItInTheMiddleUndoesItAll() throws {
        let (folder, source) = try prepared()
        let before = try rows(of: folder.database)
        #expect(throws: Stopped.self) {
            _ = try merge(folder, source) { if $0 == "nodes" { throw Stopped() } }
        }
        #expect(try Set(rows(of: folder.database)).symmetricDifference(before) == [])
    }
}
