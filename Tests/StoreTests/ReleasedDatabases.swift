import Foundation

@testable import Store

/// The databases of every format (Tests/Databases).
enum ReleasedDatabases {
    private static let folder =
        ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent + "/Databases"

    static func path(ofFormat format: Int) -> String { path(of: "format-\(format)") }

    static func path(of name: String) -> String { "\(folder)/\(name).db" }

    /// Those that are not of the present format.
    static let olderFormats = Array(1..<Migration.supported)

    /// A copy that a test may change.
    static func copy(ofFormat format: Int, to folder: Folder) throws {
        try FileManager.default.copyItem(atPath: path(ofFormat: format), toPath: folder.database)
    }

    /// How many rows each table has, without what a later format or SQLite itself has added, and what belongs to no format.
    static func rows(in connection: DatabaseConnection) throws -> [String: Int64] {
        let names = try connection.once(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'message\\_search%' ESCAPE '\\' AND name NOT IN ('format_history', 'event_key', 'push_key')"
        ).rows { $0.text() }
        return try names.reduce(into: [:]) { $0[$1] = try connection.integer("SELECT count(*) FROM \($1)") }
    }

    /// What a database is made of, in the words in which it was made, without what belongs to no format.
    static func schema(of connection: DatabaseConnection) throws -> [String] {
        try connection.once(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN ('format_history', 'event_key', 'push_key') ORDER BY type, name"
        ).rows { $0.text() }
    }

    /// The same of a new one.
    static func schema(ofFormat format: Int) throws -> [String] {
        let folder = Folder.inMemory()
        _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
        let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
        try Migration.run(connection, path: folder.database, steps: Array(Schema.migrations.prefix(format)))
        return try schema(of: connection)
    }
}
