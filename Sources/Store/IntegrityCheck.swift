import CSQLite
import Glibc
import Platform

/// What SQLite's quick_check has said of as many tables as there was time for.
public struct IntegrityReport: Hashable, Sendable {
    /// SQLite's own sentences, a few of them; empty: nothing is wrong with what was looked at.
    public var damages: [String] = []
    public var checkedTables = 0
    public var tables = 0
}

extension ReadOnlyStore {
    /// Looks for damage, table by table, the small ones first: whatever the time, most of them are looked at. Indexes are
    /// not compared with their tables.
    ///
    /// - Parameter nanoseconds: after which what is under way is cut off.
    public func integrity(within nanoseconds: UInt64) throws -> IntegrityReport {
        let deadline = MonotonicClock.nanoseconds() + nanoseconds
        return try read { reader in
            let names = try reader.connection.tables()
            return try reader.connection.bounded(until: deadline) { connection in
                var report = IntegrityReport()
                report.tables = names.count
                for name in names {
                    guard MonotonicClock.nanoseconds() < deadline else { break }
                    // An error here is a table that cannot be read, or the end of the time.
                    do {
                        report.damages += try connection.damages(of: name)
                    } catch StoreError.failed(let code, _, _) where code & 0xFF == SQLITE_INTERRUPT {
                        break
                    } catch StoreError.failed(let code, let message, _) where code & 0xFF == SQLITE_CORRUPT {
                        report.damages.append("\(name): \(message)")
                    }
                    report.checkedTables += 1
                }
                return report
            }
        }
    }

    /// How many rows each table has, as far as there was time to count them: for a report about the gateway.
    ///
    /// - Parameter nanoseconds: as in ``integrity(within:)``.
    public func rowCounts(within nanoseconds: UInt64) throws -> [(table: String, rows: Int64)] {
        let deadline = MonotonicClock.nanoseconds() + nanoseconds
        return try read { reader in
            let names = try reader.connection.tables()
            return reader.connection.bounded(until: deadline) { connection in
                var counts: [(String, Int64)] = []
                for name in names {
                    guard MonotonicClock.nanoseconds() < deadline else { break }
                    guard let rows = try? connection.integer("SELECT count(*) FROM \(quoted(name))") else { break }
                    counts.append((name, rows))
                }
                return counts
            }
        }
    }
}

extension DatabaseConnection {
    /// The tables by their names: what is written with every packet, and so grows, comes last.
    func tables() throws -> [String] {
        let growing = ["messages", "positions", "telemetry", "packets"]
        let names = try once(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
        )
        .rows { $0.text() }
        return names.filter { !growing.contains($0) } + growing.filter(names.contains)
    }

    /// `PRAGMA quick_check`: what is wrong with a table.
    fileprivate func damages(of table: String) throws -> [String] {
        try once("PRAGMA quick_check(\(quoted(table)))").rows { $0.text() }.filter { $0 != "ok" }
    }

    /// Runs something that `sqlite3_interrupt` ends when its time is over: a check of one table is one step of SQLite's
    /// machine, inside which no progress handler is asked.
    fileprivate func bounded<Result>(
        until deadline: UInt64, _ body: (DatabaseConnection) throws -> Result
    ) rethrows -> Result {
        let end = Monitor(false)
        let interrupt = interruption
        let watch = Thread {
            var due = deadline
            // Between two statements there is nothing to interrupt, so once may be too early.
            while end.wait(until: due, { hasEnded, isLate in hasEnded || isLate ? hasEnded : nil }) == false {
                interrupt()
                due = MonotonicClock.nanoseconds() + 20_000_000
            }
        }
        defer {
            end.notify { $0 = true }
            watch.join()
        }
        return try body(self)
    }
}

/// An identifier in SQL.
func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}
