import Foundation
import MeshModel
import Testing

@testable import ServedProgram

/// Ten thousand nodes and sixty thousand reports of theirs, or to look at them two million when MESH_GATEWAY_TEST_FULL is
/// set: every tenth from one node, as of a weather station that has stood there for years.
@Suite struct YearsOfTelemetryAreServed {
    private static let few = 60_000
    private static let busy = "!43500000"

    /// Kept for ever, however much it is.
    private static let everything = [
        "MESH_GATEWAY_DATABASE_SIZE": "unlimited", "MESH_GATEWAY_KEEP_TELEMETRY": "forever",
    ]

    private let folders: Folders
    private let database: String

    init() throws {
        folders = try Folders()
        database = "\(folders.root)/mesh.db"
    }

    /// The executable makes the database, SQL fills it: through the daemon it would take hours.
    private func fill(_ reports: Int) throws {
        try start().program.stop()
        let filling = try Program(
            ["-bail", database], in: folders, input: Self.rows(reports), executable: "/usr/bin/sqlite3")
        #expect(try filling.exitCode() == 0, "\(filling.errors.text)")
    }

    private func start(_ environment: [String: String] = everything) throws -> ServedGateway {
        var environment = environment
        environment["MESH_GATEWAY_DATABASE"] = database
        return try ServedGateway(device: "tcp:127.0.0.1:1", in: folders, environment: environment)
    }

    @Test func itTakesNoMoreMemoryAndReadsNoMoreThanItShows() throws {
        let reports = isFullRun ? 2_000_000 : Self.few
        try fill(reports)
        var gateway = try start()
        try gateway.authorize()
        // What every program needs for its first answers.
        for path in ["nodes/\(Self.busy)", "telemetry?limit=10"] { _ = try gateway.client.get("/api/v1/\(path)") }
        let before = gateway.program.residentBytes
        let bounded = [
            "nodes/\(Self.busy)", "telemetry?limit=100", "telemetry/\(Self.busy)?limit=100",
            "telemetry?nodeId=\(Self.busy)&limit=100", "telemetry/!43500007?limit=100",
            "telemetry/\(Self.busy)?type=voltage&limit=100", "nodes/\(Self.busy)/position-history", "messages",
            "packets",
            "traceroutes", "channels", "sources", "status",
        ]
        // The total of a node's points comes with each page of them, and is counted once.
        _ = try gateway.client.get("/api/v1/telemetry/\(Self.busy)?limit=100")
        _ = try gateway.client.get("/api/v1/telemetry/\(Self.busy)?type=voltage&limit=100")
        for path in bounded {
            let start = gateway.program.bytesRead
            #expect(try gateway.client.get("/api/v1/\(path)").status == 200, "\(path)")
            let read = gateway.program.bytesRead - start
            #expect(read < 2_000_000, "\(path): \(read) bytes were read")
        }
        for path in [
            "nodes", "network", "telemetry?limit=10000", "telemetry/\(Self.busy)?limit=10000", "telemetry/count",
        ] {
            #expect(try gateway.client.get("/api/v1/\(path)").status == 200, "\(path)")
        }
        // A page in the depth, and the one behind it, which goes on from where the first has ended.
        let offset = reports * 3
        let deep = try gateway.client.get("/api/v1/telemetry?limit=1000&offset=\(offset)").data.rows
        #expect(deep.count == 1000)
        let start = gateway.program.bytesRead
        #expect(try gateway.client.get("/api/v1/telemetry?limit=1000&offset=\(offset + 1000)").data.rows.count == 1000)
        #expect(gateway.program.bytesRead - start < 2_000_000)
        #expect(try gateway.client.get("/api/v1/telemetry/count").json["count"] == .integer(reports * 4))
        for words in [["status"], ["nodes"], ["telemetry", Self.busy], ["node", Self.busy]] {
            let program = try Program(words, in: folders, environment: ["MESH_GATEWAY_DATABASE": database])
            let code = try program.exitCode()
            // The radio is away.
            #expect(code == (words == ["status"] ? 69 : 0), "\(words): \(program.errors.text)")
        }
        if !Program.isSanitized {
            let grown = gateway.program.residentBytes - before
            print("reports: \(reports), resident: \(before / 1000) kB, grown by \(grown / 1000) kB")
            // The longest answer, of ten thousand nodes, has some megabytes, and is gathered while it grows; none of it
            // is kept. What stays are the caches of the database.
            #expect(grown < 8_000_000)
        }
        try gateway.program.stop()
    }

    /// The owner wants a smaller database: what is too much goes in slices, between which everybody is served.
    @Test func tooMuchOfItGoesByTheWay() throws {
        try fill(Self.few)
        var gateway = try start(["MESH_GATEWAY_DATABASE_SIZE": "8 MB", "MESH_GATEWAY_KEEP_TELEMETRY": "forever"])
        // A change that is committed shows how large the database is.
        try gateway.authorize()
        let before = gateway.program.residentBytes
        var (log, answers) = (0, 0)
        try gateway.eventually("it is small enough") {
            #expect(try gateway.client.get("/api/v1/nodes/\(Self.busy)").status == 200)
            answers += 1
            log = max(log, size(of: database + "-wal"))
            let page = try Program.run(
                "status", "--json", in: folders, environment: ["MESH_GATEWAY_DATABASE": database])
            let status = try JSONDecoder().decode(JSON.self, from: Data(page.output.utf8))
            return status["database"]["usedBytes"].integer ?? .max < 8_000_000
        }
        print("answers while rows were deleted: \(answers), longest log: \(log / 1000) kB")
        #expect(log < 16_000_000)
        if !Program.isSanitized { #expect(gateway.program.residentBytes < before + 8_000_000) }
        #expect(try gateway.client.get("/api/v1/nodes").data.rows.count == 10_000)
        try gateway.program.stop()
    }

    private func size(of path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// One report a second up to now. The index is made in one go, which is several times as fast.
    private static func rows(_ reports: Int) -> String {
        """
        PRAGMA synchronous = OFF;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = -100000;
        BEGIN;
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
        INSERT INTO nodes (node, updated_at, last_heard, created_at, long_name, short_name, hardware_model, role,
            public_key, key_mismatch, is_licensed, is_unmessagable, hops_away, is_favorite, is_ignored, is_muted,
            is_key_manually_verified, has_xeddsa_signed)
        SELECT (1 << 32) + 0x43500000 + i, unixepoch() * 1000 - i, unixepoch() - i, 1700000000000, 'Node ' || i, i, 43, 0,
            randomblob(32), 0, 0, 0, i % 5, 0, 0, 0, 0, 0 FROM n;
        INSERT OR REPLACE INTO node_counts VALUES (1, 10000);
        INSERT INTO node_keys SELECT 1, public_key, node & 4294967295 FROM nodes;
        DROP INDEX telemetry_node;
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(reports - 1))
        INSERT INTO telemetry (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, kind, time, metrics)
        SELECT (1 << 32) + 0x43500000 + iif(i % 10, i * 7919 % 10000, 0), (unixepoch() - \(reports) + i) * 1000, i + 1, 0,
            5.25, 3, 2, 2, 1780000000 + i, '{"batteryLevel":87,"voltage":3.9,"airUtilTx":1.5,"uptimeSeconds":' || i || '}'
        FROM n;
        CREATE INDEX telemetry_node ON telemetry (node, at, kind, packet_id);
        COMMIT;
        PRAGMA wal_checkpoint(TRUNCATE);
        """
    }
}
