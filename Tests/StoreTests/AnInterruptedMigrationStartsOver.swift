import Foundation
import MeshModel
import Testing

@testable import Store

/// A step fails in its middle: nothing of it remains, and the next start makes it whole.
@Test func anInterruptedMigrationStartsOver() throws {
    let folder = Folder()
    _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
    let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
    let broken = Schema.migrations[0] + "; INSERT INTO no_such_table VALUES (1)"
    #expect(throws: StoreError.self) { try Migration.run(connection, path: folder.database, steps: [broken]) }
    #expect(try connection.integer("PRAGMA user_version") == 0)
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 0)
    connection.close()

    let store = try Store(path: folder.database)
    #expect(try store.read { try $0.sources().count } == 0)
}

/// The power fails in the middle of a step, with parts of it already in the log.
@Test func aMigrationThatACrashInterruptedStartsOver() throws {
    let folder = Folder()
    _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
    let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; BEGIN IMMEDIATE")
    try connection.execute(Schema.migrations[0])
    try connection.execute("PRAGMA user_version = 1; PRAGMA cache_spill = 1")
    let copy = try folder.copy(as: "after-crash.db")

    let store = try Store(path: copy)
    let source = try store.commit { try $0.insert(.example) }
    #expect(try store.read { try $0.source(uuid: Source.example.uuid)?.0 } == source)
}

@Test func eachStepOfAMigrationIsATransactionOfItsOwn() throws {
    let folder = Folder()
    _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
    let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
    let steps = [
        "CREATE TABLE one (a INTEGER) STRICT", "CREATE TABLE two (a INTEGER) STRICT; SELECT no_such_function()",
    ]
    // This step is unknown to `check`, which knows one format: it only ever sees what was reached.
    #expect(throws: StoreError.self) { try Migration.run(connection, path: folder.database, steps: steps) }
    #expect(try connection.integer("PRAGMA user_version") == 1)
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 1)
}
