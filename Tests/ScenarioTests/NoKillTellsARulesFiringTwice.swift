import CSQLite
import Foundation
import Testing

@testable import ServedProgram

/// Rules hear hundreds of direct messages, and their program is killed at any moment, again and again. None is lost, none is told
/// twice, and what is told is in the feed.
///
/// 12 kills amid the work, 150 when MESH_GATEWAY_TEST_FULL is set, or three quarters of what MESH_GATEWAY_TEST_KILLS says, and some
/// more at any moment. A failure names the seed of the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(30))) func noKillTellsARulesFiringTwice() throws {
    let environment = ProcessInfo.processInfo.environment
    let most = environment["MESH_GATEWAY_TEST_KILLS"].flatMap { Int($0) } ?? (isFullRun ? 200 : 16)
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let folders = try Folders()
    let (database, rules) = (folders.state + "/toy.db", folders.root + "/rules.d")
    try FileManager.default.createDirectory(atPath: rules, withIntermediateDirectories: true)
    for number in 0..<100 {
        let text = "when = direct message\nwords = word\(number)\n"
        try text.write(toFile: "\(rules)/rule-\(number).conf", atomically: false, encoding: .utf8)
    }
    var (count, firings) = (0, 0)
    let executable = (Program.path as NSString).deletingLastPathComponent + "/toy-reader"
    func start() throws -> Program {
        try Program([database, "\(count)", "4", rules], in: folders, executable: executable)
    }

    var kills = Kills(wanted: most * 3 / 4)
    while kills.goOn {
        // There is always something left to do.
        count = firings + 100
        let program = try start()
        // One in four comes at any moment, most of these while it starts.
        let awaitsWork = kills.count % 4 != 3
        while awaitsWork, ToldState.firings(in: database) == firings, !kills.isTimeUp { usleep(2_000) }
        usleep(.random(in: 0..<100_000, using: &random))
        program.signal(SIGKILL)
        let code = try program.exitCode()
        #expect(code == -SIGKILL || code == 0, "seed \(seed), kill \(kills.count): \(code)")
        let state = try ToldState(of: database)
        #expect(state == nil || state?.wrong == [:], "seed \(seed), kill \(kills.count)")
        let now = state?.firings ?? 0
        kills.add(amidWork: now > firings && now < count)
        firings = now
    }
    kills.report()
    #expect(try start().exitCode() == 0, "seed \(seed)")
    let state = try #require(try ToldState(of: database))
    #expect(state.wrong == [:] && state.firings == count, "seed \(seed): \(state)")
    #expect(kills.proveSomething, "\(kills.amidWork) kills amid the work")
}

/// What the program has left.
private struct ToldState {
    var firings = 0
    /// How many of each there are that must not be.
    var wrong: [String: Int] = [:]

    /// How many messages have fired by now; 0 also while there is nothing to be read.
    static func firings(in database: String) -> Int {
        number("SELECT count(*) FROM firings WHERE message IS NOT NULL", in: database) ?? 0
    }

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
