import CSQLite
import Foundation
import Testing

@testable import ServedProgram

/// A reader of the change log acts on each of thousands of messages, and its program is killed at any moment, again and again.
/// It acts once for each, and its place never moves without what follows from the changes before it.
///
/// 12 kills amid the work, 75 when MESH_GATEWAY_TEST_FULL is set, or three quarters of what MESH_GATEWAY_TEST_KILLS says, and some
/// more at any moment. A failure names the seed of the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(30))) func aReaderActsOnce() throws {
    let environment = ProcessInfo.processInfo.environment
    let most = environment["MESH_GATEWAY_TEST_KILLS"].flatMap { Int($0) } ?? (isFullRun ? 100 : 16)
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let folders = try Folders()
    var (count, acts) = (0, 0)
    let database = folders.state + "/toy.db"
    let executable = (Program.path as NSString).deletingLastPathComponent + "/toy-reader"
    func start() throws -> Program { try Program([database, "\(count)"], in: folders, executable: executable) }

    var kills = Kills(wanted: most * 3 / 4)
    while kills.goOn {
        // There is always something left to do.
        count = acts + 3_000
        let program = try start()
        // One in four comes at any moment, most of these while it starts.
        let awaitsWork = kills.count % 4 != 3
        while awaitsWork, ToyState.acts(in: database) == acts, !kills.isTimeUp { usleep(2_000) }
        usleep(.random(in: 0..<50_000, using: &random))
        program.signal(SIGKILL)
        let code = try program.exitCode()
        #expect(code == -SIGKILL || code == 0, "seed \(seed), kill \(kills.count): \(code)")
        let state = try ToyState(of: database) ?? ToyState()
        #expect(state.doubles == 0, "seed \(seed), kill \(kills.count)")
        #expect(state.missing == 0, "seed \(seed), kill \(kills.count): its place has moved without its effect")
        #expect(state.early == 0, "seed \(seed), kill \(kills.count): its effect is there without its place")
        kills.add(amidWork: state.acts > acts && state.acts < count)
        acts = state.acts
    }
    kills.report()
    #expect(try start().exitCode() == 0, "seed \(seed)")
    let state = try #require(try ToyState(of: database))
    #expect(state.messages == count && state.acts == count && state.doubles == 0, "seed \(seed)")
    #expect(kills.proveSomething, "\(kills.amidWork) kills amid the work")
}

/// What the program has left.
private struct ToyState {
    var messages = 0
    var acts = 0
    var doubles = 0
    /// Messages before its place on which it has not acted, and those behind it on which it has.
    var missing = 0
    var early = 0

    init() {}

    /// On how many it has acted by now; 0 also while there is nothing to be read.
    static func acts(in database: String) -> Int {
        number("SELECT count(*) FROM messages WHERE packet_id >= \(1 << 31)", in: database) ?? 0
    }

    /// Nil: it was killed before there was a reader.
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
        guard let place = integer("SELECT change FROM cursors WHERE name = 'toy'") else { return nil }
        let act = 1 << 31
        messages = integer("SELECT count(*) FROM messages WHERE packet_id < \(act)") ?? 0
        acts = integer("SELECT count(*) FROM messages WHERE packet_id >= \(act)") ?? 0
        doubles = acts - (integer("SELECT count(DISTINCT packet_id) FROM messages WHERE packet_id >= \(act)") ?? 0)
        let behind = Set(try Self.messages(behind: place, handle))
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let sql = """
            SELECT m.id, a.id IS NOT NULL FROM messages m LEFT JOIN messages a
                ON a.source = m.source AND a.packet_id = m.packet_id + \(act) AND a.from_node = m.from_node
            WHERE m.packet_id < \(act)
            """
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        while sqlite3_step(statement) == SQLITE_ROW {
            let (row, isDone) = (sqlite3_column_int64(statement, 0), sqlite3_column_int(statement, 1) != 0)
            if !isDone, !behind.contains(row) { missing += 1 }
            if isDone, behind.contains(row) { early += 1 }
        }
    }

    /// The rows of messages in changes behind a number, read as the log is written: varints of code, source and subject.
    private static func messages(behind place: Int, _ handle: OpaquePointer?) throws -> [Int64] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let sql = "SELECT number, kind, subject, earlier FROM changes WHERE number > \(place) ORDER BY number"
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        var rows: [Int64] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            let number = sqlite3_column_int64(statement, 0)
            let bytes = sqlite3_column_blob(statement, 3).map {
                [UInt8](UnsafeRawBufferPointer(start: $0, count: Int(sqlite3_column_bytes(statement, 3))))
            }
            var values: [Int64] = []
            var (value, shift): (UInt64, UInt64) = (0, 0)
            for byte in bytes ?? [] {
                value |= UInt64(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 {
                    values.append(Int64(bitPattern: value))
                    (value, shift) = (0, 0)
                }
            }
            let earlier = stride(from: 0, to: values.count, by: 3).map { (code: values[$0], subject: values[$0 + 2]) }
            let all = earlier + [(sqlite3_column_int64(statement, 1), sqlite3_column_int64(statement, 2))]
            for (index, change) in all.enumerated() where number - Int64(all.count - 1 - index) > place {
                if change.code & 0xFF == 1 { rows.append(change.subject) }
            }
        }
        return rows
    }
}
