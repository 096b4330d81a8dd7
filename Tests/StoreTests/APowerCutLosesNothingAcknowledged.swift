import CRecordingDisk
import CSQLite
import Foundation
import MeshModel
import Testing

@testable import Store

/// The disk is recorded while the store works. For each of many instants the files are made as a power cut at that
/// instant can leave them (``RecordedDisk``), and opened as after a restart.
///
/// 2,000 cuts, or as many as MESH_GATEWAY_TEST_POWER_CUTS says. A failure names its seed, which makes the same workload
/// and the same choices again when MESH_GATEWAY_TEST_SEED has it, and keeps the files: what the writer thread does when
/// is not the seed's.
@Suite(.serialized) struct APowerCutLosesNothingAcknowledged {
    private static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    let cuts = number("MESH_GATEWAY_TEST_POWER_CUTS") ?? 2_000
    let seed = UInt64(number("MESH_GATEWAY_TEST_SEED") ?? .random(in: 1...999_999))

    @Test(.timeLimit(.minutes(60))) func atAnyInstant() throws {
        try #require(recordingdisk_install() == SQLITE_OK)
        var random = Seeded(seed)
        var left = DatabaseFiles()
        var (number, checked, checkpoints) = (0, 0, 0)
        while checked < cuts {
            // A new database, one of the first format, and each of them as a power cut has left it.
            if number % 4 == 0 { left = DatabaseFiles() }
            if number % 4 == 2 { left = try .ofTheFirstFormat() }
            var life = try RecordedLife(from: left, life: number, seed: seed)
            for instant in life.instants(min(250, cuts - checked), &random) {
                let files = life.files(at: instant, &random)
                left = DatabaseFiles(files, try restart(with: files, life.ledger, life: number, instant: instant))
                checked += 1
            }
            number += 1
            checkpoints += life.checkpoints
        }
        #expect(checkpoints >= number, "a life without the log being moved proves little")
    }

    /// Starts the store on what the power cut has left.
    ///
    /// - Returns: what it finds, by the keys of the ledger.
    private func restart(
        with files: [String: [UInt8]], _ ledger: Ledger, life: Int, instant: Int
    ) throws -> [String: String] {
        let folder = Folder.inMemory()
        try DatabaseFiles(files, [:]).write(to: folder)
        do {
            let store = try Store(path: folder.database)
            defer { store.close() }
            let database = try secondConnection(store)
            let found = try PowerCutWorkload.found(in: database)
            var wrong = ledger.violations(in: found, at: instant)
            wrong += try defects(of: database, isThorough: instant % 4 == 0)
            if instant % 8 == 0 { wrong += try defects(of: store) }
            guard wrong.isEmpty else { throw Wrong(description: wrong.joined(separator: "\n")) }
            return found
        } catch {
            let kept = Folder(isKept: true)
            try DatabaseFiles(files, [:]).write(to: kept)
            Issue.record("seed \(seed), life \(life), after \(instant) records, files in \(kept.path): \(error)")
            throw error
        }
    }

    private struct Wrong: Error, CustomStringConvertible { let description: String }

    /// What cannot be in a sound database.
    private func defects(of database: DatabaseConnection, isThorough: Bool) throws -> [String] {
        var wrong: [String] = []
        let report = try database.once("PRAGMA \(isThorough ? "integrity_check" : "quick_check")").rows { $0.text() }
        if report != ["ok"] { wrong += report }
        let queries = [
            "outbox without a message":
                "SELECT count(*) FROM outbox WHERE packet_id NOT IN (SELECT packet_id FROM messages)",
            "nodes heard in one change differ": """
            SELECT count(DISTINCT ifnull(last_heard, 0)) - 1 FROM
                (SELECT max(last_heard) AS last_heard FROM nodes WHERE number = \(alice.rawValue)
                UNION ALL SELECT max(last_heard) FROM nodes WHERE number = \(bob.rawValue))
            """,
            "nodes are miscounted": """
            SELECT (SELECT ifnull(sum(nodes), 0) FROM node_counts) <> (SELECT count(*) FROM nodes)
            """,
        ]
        for (name, query) in queries where try database.integer(query) != 0 { wrong.append(name) }
        return wrong
    }

    /// It goes on: takes another message, and finds it and the others.
    private func defects(of store: Store) throws -> [String] {
        guard let source = try store.read({ try $0.sources().first?.id }) else { return [] }
        let before = try store.read { try $0.counts(in: source).messages }
        try store.commit {
            try $0.insertMessage(.own("after the power cut", id: .max, at: noon + 100_000 * day), in: source)
        }
        return try store.read { reader in
            var wrong: [String] = []
            if try reader.counts(in: source).messages != before + 1 { wrong.append("the count did not follow") }
            if try reader.messages(.init(source: source, limit: 1)).first?.packetID != .max {
                wrong.append("not the newest")
            }
            let search = try reader.searchMessages(.init(source: source, text: "after the power cut"))
            if search.total != 1 { wrong.append("the search did not find it") }
            return wrong
        }
    }
}

/// The proof could fail: a database that does not wait for the disk is caught.
extension APowerCutLosesNothingAcknowledged {
    @Test(arguments: [("FULL", false), ("NORMAL", true), ("OFF", true)])
    func aCutShowsWhetherTheDiskWasWaitedFor(synchronous: String, isLossExpected: Bool) throws {
        try #require(recordingdisk_install() == SQLITE_OK)
        let folder = Folder.inMemory()
        _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
        recordingdisk_start(folder.database)
        defer { recordingdisk_stop() }
        let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous); CREATE TABLE t (a)")
        var acknowledged: [Int] = []
        for number in 0..<40 {
            try connection.execute("INSERT INTO t VALUES (\(number))")
            acknowledged.append(recordingdisk_count())
        }
        recordingdisk_stop()

        var random = Seeded(seed)
        var disk = RecordedDisk(startingWith: [:])
        var lossy = 0
        for end in acknowledged {
            disk.advance(to: end)
            let image = Folder.inMemory()
            try DatabaseFiles(disk.image(&random), [:]).write(to: image)
            // What is so damaged that it cannot be read is lost as well.
            let copy = try? DatabaseConnection(path: image.database, access: .readWrite)
            let rows = try? copy?.integer("SELECT count(*) FROM t")
            if (rows ?? nil) ?? 0 < Int64(acknowledged.count { $0 <= end }) { lossy += 1 }
        }
        #expect((lossy > 0) == isLossExpected, "seed \(seed): \(lossy) cuts lost something")
    }
}
