import Platform

/// Which version of the program brought a file to which format, so that an older one can name the one to install again.
///
/// The table belongs to no format: it is made when it is missing, and a version that does not know it loses nothing.
enum FormatHistory {
    static func note(_ program: String, brought format: Int, on connection: DatabaseConnection) throws(StoreError) {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS format_history (
                format INTEGER PRIMARY KEY, program TEXT NOT NULL, at INTEGER NOT NULL
            ) STRICT
            """)
        let statement = try connection.once("INSERT OR REPLACE INTO format_history VALUES (?, ?, ?)")
        try statement.bind(format).bind(program).bind(WallClock.milliseconds()).run()
    }

    /// - Returns: nil when nothing is known, or when it cannot be a version: it becomes part of a command to type.
    static func program(of format: Int, on connection: DatabaseConnection) throws(StoreError) -> String? {
        guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'format_history'") != nil else {
            return nil
        }
        let statement = try connection.once("SELECT program FROM format_history WHERE format = ?").bind(format)
        guard try statement.step() else { return nil }
        let program = statement.text()
        let isVersion = program.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "~"):
                true
            default: false
            }
        }
        return isVersion && (1...40).contains(program.utf8.count) ? program : nil
    }
}
