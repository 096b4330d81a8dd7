import CSQLite
import Foundation
import Testing

@testable import ServedProgram

/// Rules hear hundreds of direct messages, and their program is killed at any moment, again and again. None is lost, none is told
/// twice, and what is told is in the feed.
///
/// 16 kills, 200 when MESH_GATEWAY_TEST_FULL is set, or as many as MESH_GATEWAY_TEST_KILLS says. A failure names the seed of the
/// moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(30))) func noKillTellsARulesFiringTwice() throws {
    let environment = ProcessInfo.processInfo.environment
    let kills = environment["MESH_GATEWAY_TEST_KILLS"].flatMap { Int($0) } ?? (isFullRun ? 200 : 16)
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let folders = try Folders()
    let (database, rules) = (folders.state + "/toy.db", folders.root + "/rules.d")
    try FileManager.default.createDirectory(atPath: rules, withIntermediateDirectories: true)
    for number in 0..<100 {
        let text = "when = direct message\nwords = word\(number)\n"
        try text.write(toFile: "\(rules)/rule-\(number).conf", atomically: false, encoding: .utf8)
    }
    // Some are left when the last kill has come.
    let (count, pause) = (600, max(1, kills / 4))
    let executable = (Program.path as NSString).deletingLastPathComponent + "/toy-reader"
    /// - Parameter scale: how many times slower the messages come.
    func start(_ scale: Int = 1) throws -> Program {
        try Program([database, "\(count)", "\(pause * scale)", rules], in: folders, executable: executable)
    }

    var (found, kill, scale, inVain): (Set<Int>, Int, Int, Int) = ([], 0, 1, 0)
    // On a busy machine they come before there is anything: then there are more of them, and all goes slower.
    while kill < kills || found.count <= 2 && kill < 10 * kills, !found.contains(count) {
        defer { kill += 1 }
        let program = try start(scale)
        usleep(.random(in: 0..<UInt32(300_000 * scale), using: &random))
        program.signal(SIGKILL)
        let code = try program.exitCode()
        #expect(code == -SIGKILL || code == 0, "seed \(seed), kill \(kill): \(code)")
        let state = try ToldState(of: database)
        #expect(state == nil || state?.wrong == [:], "seed \(seed), kill \(kill)")
        inVain = state.map { found.insert($0.firings).inserted } == true ? 0 : inVain + 1
        if inVain == 4 { (inVain, scale) = (0, min(2 * scale, 32)) }
    }
    #expect(try start().exitCode() == 0, "seed \(seed)")
    let state = try #require(try ToldState(of: database))
    #expect(state.wrong == [:] && state.firings == count, "seed \(seed): \(state)")
    #expect(found.count > 2, "too few kills amid the work to prove anything")
}

/// What the program has left.
private struct ToldState {
    var firings = 0
    /// How many of each there are that must not be.
    var wrong: [String: Int] = [:]

    /// Nil: it was killed before there were rules.
    init?(of database: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(database, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_close(handle) }
        func integer(_ sql: String) -> Int? {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
                sqlite3_step(statement) == SQLITE_ROW
            else { return nil }
            return Int(sqlite3_column_int64(statement, 0))
        }
        guard integer("SELECT count(*) FROM rules") ?? 0 > 0 else { return nil }
        firings = try #require(integer("SELECT count(*) FROM firings WHERE message IS NOT NULL"))
        let queries = [
            "messages that fired twice":
                "SELECT count(*) - count(DISTINCT message) FROM firings WHERE message IS NOT NULL",
            "rows of the feed twice": "SELECT count(*) - count(DISTINCT message) FROM feed WHERE message IS NOT NULL",
            "told without a row": """
            SELECT count(*) FROM firings WHERE fate = 1 AND NOT EXISTS (SELECT 1 FROM feed WHERE feed.uuid = firings.uuid)
            """,
            "rows that were not told": """
            SELECT count(*) FROM feed WHERE NOT EXISTS (SELECT 1 FROM firings WHERE feed.uuid = firings.uuid AND fate = 1)
            """,
            "told although it was old": "SELECT count(*) FROM firings WHERE fate = 3",
        ]
        for (name, query) in queries {
            let count = try #require(integer(query), "\(query)")
            if count != 0 { wrong[name] = count }
        }
    }
}
