import CSQLite
import Foundation
import Platform
import Testing

@testable import ServedProgram

/// Rules tell a webhook hundreds of direct messages, and their program gets SIGKILL at any moment, again and again: amid a
/// transaction, a request, an answer. Each notification arrives, in their order, or is counted in a summary; what arrives twice
/// has its id.
///
/// 16 kills, 200 when MESH_GATEWAY_TEST_FULL is set, or as many as MESH_GATEWAY_TEST_KILLS says. A failure names the seed of the
/// moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(30))) func noKillOfAProgramLosesANotification() throws {
    let environment = ProcessInfo.processInfo.environment
    let kills = environment["MESH_GATEWAY_TEST_KILLS"].flatMap { Int($0) } ?? (isFullRun ? 200 : 16)
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let moods = Monitor(Seeded(seed &+ 1))
    let server = try LoopbackServer { _, connection in
        // At once, after a while, or so late that most are killed before.
        let mood = moods.withLock { $0.next() } % 8
        usleep(mood < 4 ? 0 : mood < 7 ? 20_000 : 200_000)
        say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
    }
    let folders = try Folders()
    let (database, rules) = (folders.state + "/toy.db", folders.root + "/rules.d")
    for folder in [rules, folders.root + "/targets.d"] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    for number in 0..<100 {
        try "when = direct message\nwords = word\(number)\ntell = hook\n".write(
            toFile: "\(rules)/rule-\(number).conf", atomically: false, encoding: .utf8)
    }
    try "whsec_\(Data(repeating: 7, count: 32).base64EncodedString())\n".write(
        toFile: "\(folders.root)/targets.d/hook.secret", atomically: false, encoding: .utf8)
    try "kind = webhook\nurl = \(server.url)/hook\nsecret-file = hook.secret\nallow-local = yes\n".write(
        toFile: "\(folders.root)/targets.d/hook.conf", atomically: false, encoding: .utf8)
    let (count, pause) = (600, max(1, kills / 4))
    let executable = (Program.path as NSString).deletingLastPathComponent + "/toy-reader"
    func start() throws -> Program {
        try Program([database, "\(count)", "\(pause)", rules], in: folders, executable: executable)
    }

    for kill in 0..<kills {
        let program = try start()
        usleep(.random(in: 0..<300_000, using: &random))
        program.signal(SIGKILL)
        let code = try program.exitCode()
        #expect(code == -SIGKILL || code == 0, "seed \(seed), kill \(kill): \(code)")
    }
    #expect(try start().exitCode() == 0, "seed \(seed)")

    let told = try rows("SELECT rule, uuid FROM firings WHERE fate = 1", in: database).reduce(
        into: [String: Set<String>]()
    ) { $0[$1[0], default: []].insert($1[1]) }
    // What is caught up with after a kill is one summary of its rule: how many that are depends on the machine.
    let toldInAll = told.values.reduce(0) { $0 + $1.count }
    var (arrived, counted): ([String], [String: [String: Int]]) = ([], [:])
    for request in server.received {
        let json = try JSONDecoder().decode(JSON.self, from: Data(request.body))
        let id = try #require(request.headers["webhook-id"])
        guard json["type"] == "notification.summary" else {
            #expect(json["data"]["notification"]["id"].string == id)
            if !arrived.contains(id) { arrived.append(id) }
            continue
        }
        let counts = try json["data"]["counts"].rows.map { one in
            (try #require(one["rule"].string), try #require(one["count"].integer))
        }
        let summary = Dictionary(uniqueKeysWithValues: counts)
        #expect(counted[id] == nil || counted[id] == summary, "seed \(seed): one id, two summaries")
        counted[id] = summary
    }
    for (rule, ids) in told {
        let summed = counted.values.reduce(0) { $0 + ($1[rule] ?? 0) }
        let alone = arrived.count { ids.contains($0) }
        #expect(alone + summed == ids.count, "seed \(seed), \(rule): \(alone) and \(summed) of \(ids.count)")
    }
    let order = try rows("SELECT uuid FROM feed ORDER BY created_at", in: database).map { $0[0] }
    #expect(order.filter { arrived.contains($0) } == arrived, "seed \(seed)")
    print(
        "noKillOfAProgramLosesANotification: \(toldInAll) told, \(arrived.count) arrived alone, \(counted.count) summaries"
    )
    #expect(toldInAll > 0 && arrived.count + counted.count > 0)
}

/// The number that a query finds; nil where there is none, also while the program has not made the table yet.
func number(_ sql: String, in database: String) -> Int? {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open_v2(database, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return nil }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return Int(sqlite3_column_int64(statement, 0))
}

/// Of a database, also of one that a program has open.
func rows(_ sql: String, in database: String) throws -> [[String]] {
    var handle: OpaquePointer?
    try #require(sqlite3_open_v2(database, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
    var found: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
        found.append((0..<sqlite3_column_count(statement)).map { String(cString: sqlite3_column_text(statement, $0)) })
    }
    return found
}
