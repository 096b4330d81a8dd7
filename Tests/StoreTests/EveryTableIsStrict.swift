import Testing

@testable import Store

/// All but SQLite's own kinds of table.
@Test func everyTableIsStrict() throws {
    let folder = Folder()
    let store = try Store(path: folder.database)
    let other = try secondConnection(store)
    let loose = try other.once(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND type = 'table' ORDER BY name"
    ).rows { $0.text() }
    #expect(loose == ["sqlite_schema", "sqlite_sequence"])
    #expect(try other.integer("PRAGMA page_size") == 1024)
    #expect(try other.once("PRAGMA journal_mode").first { $0.text() } == "wal")
}
