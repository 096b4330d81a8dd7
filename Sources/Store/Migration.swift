// The way of a file from its format to the present one.
//
//     check whose file and which format -> is there room? -> step: BEGIN, statement…, number, COMMIT -> step…
//
// 1. A step and its number (`user_version`) are one transaction. Whatever interrupts it, a signal, a full disk or a power
//    cut, leaves the format of before, whole, and the next start does the step again.
// 2. A big database on a slow card takes long. So the person who waits is told how far it is, and can end it between any two
//    instructions of SQLite's machine.
// 3. The log of one transaction is as large as all that it writes. A disk that fills up in the middle would leave nothing
//    undone, but the room that the log took would be missing elsewhere meanwhile: so the room is looked for before.

/// Brings a database to the present format, and refuses one that is not ours.
enum Migration {
    /// `application_id` of our files: "MGW1".
    static let applicationID = 0x4D47_5731

    /// The format that this version writes.
    static let supported = Schema.migrations.count

    /// Instructions of SQLite's machine between two looks at ``UpgradeObserver/isInterrupted``: some milliseconds.
    static let instructions: Int32 = 20_000

    /// Checks whose database this is, without changing it.
    ///
    /// - Returns: its format, 0 for an empty file.
    static func check(_ connection: DatabaseConnection, path: String) throws(StoreError) -> Int {
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        let application = Int(try connection.integer("PRAGMA application_id") ?? 0)
        if application != applicationID {
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard application == 0, version == 0, tables == 0 else { throw .foreign(path: path) }
        }
        guard version <= supported else {
            throw .newer(
                path: path, version: version, supported: supported,
                program: try FormatHistory.program(of: version, on: connection))
        }
        return version
    }

    /// Runs the steps that are missing.
    ///
    /// - Parameters:
    ///   - program: this version of the program, which the file remembers.
    ///   - observer: is told about upgrades of an existing file, and may cancel them.
    /// - Throws: ``StoreError/noRoom(path:needed:free:)`` before anything is changed, and
    ///   ``StoreError/interrupted(path:)``.
    static func run(
        _ connection: DatabaseConnection, path: String, steps: [String] = Schema.migrations, program: String? = nil,
        observer: (any UpgradeObserver)? = nil, every instructions: Int32 = instructions
    ) throws(StoreError) {
        let version = try check(connection, path: path)
        guard version < steps.count else { return }
        let observer = version > 0 ? observer : nil
        do throws(StoreError) {
            try connection.asking(every: instructions, { observer?.isInterrupted ?? false }) { () throws(StoreError) in
                let plan = try UpgradePlan(from: version, steps: steps, on: connection)
                if version > 0 { try plan.lookForRoom(beside: path) }
                observer?.begin(plan.upgrade(of: path))
                for (index, step) in plan.steps.enumerated() {
                    try run(step, to: version + index + 1, connection, program, observer)
                }
            }
        } catch {
            guard error.isInterruption else { throw error }
            throw .interrupted(path: path)
        }
    }

    private static func run(
        _ step: UpgradePlan.Step, to version: Int, _ connection: DatabaseConnection, _ program: String?,
        _ observer: (any UpgradeObserver)?
    ) throws(StoreError) {
        try connection.execute("BEGIN IMMEDIATE")
        var removed = 0
        do throws(StoreError) {
            for statement in step.statements {
                observer?.progress(statement.fraction)
                // A short statement has no instruction at which anybody would be asked.
                if observer?.isInterrupted == true { throw StoreError.stopped(before: statement.sql) }
                try connection.execute(statement.sql)
                if statement.sql.isDeletion { removed += connection.changes }
            }
            if let program { try FormatHistory.note(program, brought: version, on: connection) }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(version)")
            try connection.execute("COMMIT")
            if removed > 0 { observer?.removed(readings: removed) }
        } catch {
            // After some errors SQLite has rolled back by itself.
            if !connection.isAutocommit { try connection.execute("ROLLBACK") }
            throw error
        }
    }
}

extension String {
    /// Steps delete nothing but readings that were stored twice.
    fileprivate var isDeletion: Bool { drop { $0.isWhitespace }.hasPrefix("DELETE FROM ") }
}
