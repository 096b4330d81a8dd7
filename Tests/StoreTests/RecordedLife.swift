import CRecordingDisk
import Foundation
import MeshModel
import Testing

@testable import Store

/// The files of a database, by what follows its path in their names, and what a ledger's keys have for values in them.
struct DatabaseFiles {
    var files: [String: [UInt8]] = [:]
    var found: [String: String] = [:]

    /// Nothing is there yet.
    init() {}

    init(_ files: [String: [UInt8]], _ found: [String: String]) {
        self.files = files
        self.found = found
    }

    /// A database that the first version has written, with a few hundred messages.
    static func ofTheFirstFormat() throws -> DatabaseFiles {
        let folder = Folder.inMemory()
        _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
        let old = try DatabaseConnection(path: folder.database, access: .readWrite)
        try old.execute("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL")
        try Migration.run(old, path: folder.database, steps: [Schema.migrations[0]])
        try old.execute(
            """
            INSERT INTO sources (id, uuid, name, is_enabled, created_at)
            VALUES (1, '\(Source.example.uuid)', 'Default', 1, 5);
            WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 300)
            INSERT INTO messages (source, from_node, packet_id, occurrence, to_node, channel, text, port, is_own,
                timestamp, is_tapback, via_store_forward, pki_encrypted, spoof_suspected, created_at, updated_at)
            SELECT 1, 7, n, 0, 4294967295, 0, 'old ' || n, 1, 0, n, 0, 0, 0, 0, n, n FROM n;
            """)
        let found = try PowerCutWorkload.found(in: old)
        old.close()
        return DatabaseFiles(try folder.files(), found)
    }

    /// Puts them into a folder.
    func write(to folder: Folder) throws {
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder.database + name)) }
    }
}

/// What the store did to the disk while it ran, and what it acknowledged.
struct RecordedLife {
    let ledger: Ledger
    private var disk: RecordedDisk
    /// Places in the record at which something else than writing happened.
    private let turns: [Int]
    private let count: Int
    /// How often the log was moved into the database file.
    let checkpoints: Int

    /// - Parameter start: what a power cut or another program has left.
    init(from start: DatabaseFiles, life: Int, seed: UInt64) throws {
        let folder = Folder.inMemory()
        try start.write(to: folder)
        recordingdisk_start(folder.database)
        defer { recordingdisk_stop() }
        ledger = Ledger(startingWith: start.found) { recordingdisk_count() }
        var work = PowerCutWorkload(
            path: folder.database, ledger: ledger, life: life, random: Seeded(seed &+ UInt64(life) &* 7919))
        try work.run(operations: 60).close()
        let store = try work.run(operations: 300)
        recordingdisk_stop()
        checkpoints = store.health.checkpoints
        store.close()
        count = recordingdisk_count()
        turns = (0..<count).filter { recordingdisk_at($0).kind != RECORDINGDISK_WRITE }
        disk = RecordedDisk(startingWith: start.files)
    }

    /// Instants in ascending order, half of them beside a sync or a name's coming and going.
    func instants(_ count: Int, _ random: inout Seeded) -> [Int] {
        (0..<count).map { place in
            guard place % 2 == 0, let turn = turns.randomElement(using: &random) else {
                return Int.random(in: 0...self.count, using: &random)
            }
            return turn + Int.random(in: 0...1, using: &random)
        }.sorted()
    }

    /// The files that a power cut after so many records leaves. Instants come in ascending order.
    mutating func files(at instant: Int, _ random: inout Seeded) -> [String: [UInt8]] {
        disk.advance(to: instant)
        return disk.image(&random)
    }
}

extension Folder {
    /// In memory where the host has such a folder: the disk is played.
    static func inMemory() -> Folder {
        access("/dev/shm", W_OK) == 0 ? Folder(in: URL(fileURLWithPath: "/dev/shm")) : Folder()
    }

    /// The database as it is now, its log and its journal.
    func files() throws -> [String: [UInt8]] {
        try ["", "-wal", "-journal"].reduce(into: [:]) { files, name in
            guard FileManager.default.fileExists(atPath: database + name) else { return }
            files[name] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database + name)))
        }
    }
}
