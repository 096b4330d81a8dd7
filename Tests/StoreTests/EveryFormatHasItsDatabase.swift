import Foundation
import Testing

@testable import Store

/// No format without a database that a release has written, and no step that makes another one than the release did: who
/// edits a released step finds that out here.
@Test(arguments: 1...Migration.supported) func everyFormatHasItsDatabase(format: Int) throws {
    let folder = Folder()
    try ReleasedDatabases.copy(ofFormat: format, to: folder)
    let connection = try DatabaseConnection(path: folder.database, access: .readOnly)
    #expect(try connection.integer("PRAGMA user_version") == Int64(format))
    #expect(try connection.integer("PRAGMA application_id") == Int64(Migration.applicationID))
    for (table, count) in try ReleasedDatabases.rows(in: connection) {
        #expect(count > 0, "\(table) is empty: nobody would notice what becomes of its rows")
    }
    #expect(try connection.integer("SELECT indexed FROM search_state") ?? 0 > 0)
    let schema = try ReleasedDatabases.schema(of: connection)
    #expect(schema == (try ReleasedDatabases.schema(ofFormat: format)))
}

/// Every row is still there, and the file remembers who has brought it to which format.
@Test(arguments: ReleasedDatabases.olderFormats) func noRowIsLostOnTheWayToThePresentFormat(format: Int) throws {
    let folder = Folder()
    try ReleasedDatabases.copy(ofFormat: format, to: folder)
    let old = try DatabaseConnection(path: folder.database, access: .readOnly)
    let before = try ReleasedDatabases.rows(in: old)
    let program = try FormatHistory.program(of: format, on: old)
    old.close()
    try Store(path: folder.database, program: "0.9.1").close()

    let new = try DatabaseConnection(path: folder.database, access: .readOnly)
    let after = try ReleasedDatabases.rows(in: new)
    for (table, count) in before { #expect(after[table] == count, "\(table)") }
    #expect(try ReleasedDatabases.schema(of: new) == ReleasedDatabases.schema(ofFormat: Migration.supported))
    #expect(try new.once("PRAGMA integrity_check").rows { $0.text() } == ["ok"])
    #expect(try FormatHistory.program(of: Migration.supported, on: new) == "0.9.1")
    #expect(try FormatHistory.program(of: format, on: new) == program)
}
