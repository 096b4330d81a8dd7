import Foundation
import Testing

@testable import Store

/// The archive, its page and the schema say the same: nobody adds a column, and forgets the archive.
@Suite struct TheArchiveHasEveryColumn {
    /// What follows from other tables, or is about this file alone; and conversations over brokers, which a backup has.
    private static let derived: Set = [
        "accepted_sends", "acted_nodes", "broker_bridges", "broker_conversations", "broker_devices", "broker_gateway",
        "broker_keys",
        "broker_memory", "broker_outbox", "broker_subscriptions", "broker_texts", "changes", "cursors", "dispatches",
        "episodes",
        "event_key",
        "feed", "feed_acks", "firings", "happened", "host_clock", "message_deletions", "message_removals", "rules",
        "targets",
        "node_counts", "search_state",
        "series_deletions", "sqlite_sequence",
    ]

    @Test func everyColumnIsAKey() throws {
        let folder = Folder()
        let store = try Store(path: folder.database)
        defer { store.close() }
        try store.read { reader in
            var tables = Set(try reader.connection.tables().filter { !$0.hasPrefix("message_search") })
            for archived in ArchivedTable.all {
                #expect(tables.remove(archived.table) != nil, "\(archived.table)")
                // Without those that SQLite makes of others.
                let columns = try reader.connection.once("SELECT name FROM pragma_table_info('\(archived.table)')")
                    .rows { $0.text() }
                #expect(Set(columns) == Set(archived.fields.compactMap(\.column)), "\(archived.table)")
            }
            #expect(tables == Self.derived)
        }
    }

    @Test func everyKeyStandsOnThePage() throws {
        let page = try Self.page()
        let common = page["In many files"] ?? []
        #expect(page.keys.filter { $0.hasSuffix(".jsonl") }.count == ArchivedTable.all.count)
        var used: Set<String> = []
        for archived in ArchivedTable.all {
            let own = try #require(page[archived.name], "\(archived.name)")
            let keys = Set(archived.fields.map(\.key))
            #expect(keys.subtracting(own).subtracting(common) == [], "\(archived.name): not on the page")
            #expect(Set(own).subtracting(keys) == [], "\(archived.name): only on the page")
            used.formUnion(keys)
        }
        #expect(Set(common).subtracting(used) == [])
    }

    /// The first column of each table, by the heading above it.
    private static func page() throws -> [String: [String]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Store/Archive.md")
        var found: [String: [String]] = [:]
        var heading = ""
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## ") {
                heading = String(line.dropFirst(3)).replacing("`", with: "")
                found[heading] = []
            } else if let key = line.firstMatch(of: /^\| `([^`]+)` \|/) {
                found[heading]?.append(String(key.1))
            }
        }
        return found
    }
}
