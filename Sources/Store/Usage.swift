/// How full the database is, and how far back it goes.
public struct Usage: Hashable, Sendable {
    /// Bytes of the pages that hold something. The rest of the file is used again.
    public var used: Int64
    /// Host milliseconds of the oldest row.
    public var oldestPacket: Int64?
    public var oldestTelemetry: Int64?
    public var oldestPosition: Int64?
    public var oldestMessage: Int64?
}

extension Reader {
    public func usage() throws -> Usage {
        func oldest(_ table: AgingTable) throws -> Int64? {
            // A deleted message has a row without a source.
            let condition = table == .messages ? " NOT INDEXED WHERE source > 0" : ""
            return try connection.prepare(
                composed: "SELECT \(table.time) FROM \(table.name)\(condition) ORDER BY id LIMIT 1"
            )
            .first { $0.integer() }
        }
        return Usage(
            used: try connection.usedBytes(), oldestPacket: try oldest(.packets),
            oldestTelemetry: try oldest(.telemetry), oldestPosition: try oldest(.positions),
            oldestMessage: try oldest(.messages))
    }
}

extension DatabaseConnection {
    /// Bytes of the pages that are not free, the changes of the open transaction included.
    func usedBytes() throws(StoreError) -> Int64 {
        func value(_ statement: Statement) throws(StoreError) -> Int64 {
            defer { statement.reset() }
            return try statement.step() ? statement.integer() : 0
        }
        let pages = try value(prepare("PRAGMA page_count")) - value(prepare("PRAGMA freelist_count"))
        return try pages * value(prepare("PRAGMA page_size"))
    }
}
