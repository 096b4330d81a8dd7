import CSQLite
import Foundation
import Testing

@testable import ServedProgram

/// Two gateways share a conversation. One is killed again and again, and the broker is stopped again and again, while
/// texts of both are on their way: in the end each has every text once.
///
/// One kill and one stop each 11 s, which a connection must last so that the next one is made soon: 2 of each, 50 when
/// MESH_GATEWAY_TEST_FULL is set. After SIGKILL mosquitto itself would have lost what it acknowledged. A failure names
/// the seed of the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(30))) func noKillLosesOrDoublesATextOverABroker() throws {
    let seed =
        ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let rounds = isFullRun ? 50 : 2
    let broker = try PersistentBroker()
    try broker.start()
    let (killed, steady) = (try TalkingDaemon("killed", at: broker.port), try TalkingDaemon("steady", at: broker.port))
    try killed.start()
    try steady.start()
    for daemon in [killed, steady] { try daemon.addConversation() }
    for round in 1...rounds {
        let began = Date()
        for number in 1...5 {
            try steady.say("steady \(round).\(number)")
            try killed.say("killed \(round).\(number)")
        }
        usleep(.random(in: 0..<60_000, using: &random))
        killed.kill()
        for number in 6...10 { try steady.say("steady \(round).\(number)") }
        try killed.start()
        for number in 6...10 { try killed.say("killed \(round).\(number)") }
        usleep(.random(in: 0..<60_000, using: &random))
        broker.stop()
        for number in 11...20 {
            try steady.say("steady \(round).\(number)")
            try killed.say("killed \(round).\(number)")
        }
        try broker.start()
        usleep(UInt32(max(0, 11 - Date().timeIntervalSince(began)) * 1_000_000))
    }
    let all = Set(
        ["steady", "killed"].flatMap { name in
            (1...rounds).flatMap { round in (1...20).map { "\(name) \(round).\($0)" } }
        })
    for daemon in [killed, steady] {
        try daemon.gateway.eventually("\(daemon.name) has all of them, seed \(seed): \(daemon.count)") {
            daemon.count >= all.count
        }
    }
    // What might still come a second time.
    sleep(2)
    for daemon in [killed, steady] {
        let texts = daemon.texts
        #expect(Set(texts) == all, "\(daemon.name), seed \(seed)")
        #expect(
            texts.count == all.count,
            "\(daemon.name), seed \(seed): \(Set(texts.filter { one in texts.count { $0 == one } > 1 }))")
        #expect(daemon.waiting == 0, "\(daemon.name), seed \(seed)")
    }
}

/// mosquitto that keeps sessions, and everything in them, over a restart.
private final class PersistentBroker {
    let port: Int
    private let folders: Folders
    private let place: Int32
    private var program: Program?

    init() throws {
        folders = try Folders()
        (place, port) = try placeForMosquitto()
        let user = geteuid() == 0 ? "user root\n" : ""
        try """
        listener \(port) 127.0.0.1
        allow_anonymous true
        persistence true
        persistence_location \(folders.root)/
        max_queued_messages 0
        \(user)
        """.write(toFile: "\(folders.root)/mosquitto.conf", atomically: true, encoding: .utf8)
    }

    deinit {
        stop()
        close(place)
    }

    func start() throws {
        // The threads of tests have SIGTERM blocked, and programs that they start inherit that.
        let unblocked = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execv(sys.argv[1], sys.argv[1:])
            """
        program = try Program(
            ["-c", unblocked, "/usr/sbin/mosquitto", "-c", "\(folders.root)/mosquitto.conf"], in: folders,
            executable: "/usr/bin/python3")
    }

    func stop() {
        program?.signal(SIGTERM)
        _ = try? program?.exitCode()
        program = nil
    }
}

/// A daemon with a conversation, and what its database says.
private final class TalkingDaemon {
    let name: String
    private let folders: Folders
    private let here: RadioHere
    private let environment: [String: String]
    private(set) var gateway: ServedGateway!
    private var token: String?

    init(_ name: String, at port: Int) throws {
        self.name = name
        folders = try Folders()
        here = try RadioHere()
        let file = "\(folders.root)/mesh-gateway.conf"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: "\(folders.root)/brokers.d", withIntermediateDirectories: true)
        try "url = mqtt://127.0.0.1:\(port)\n".write(
            toFile: "\(folders.root)/brokers.d/house.conf", atomically: true, encoding: .utf8)
        environment = [
            "MESH_GATEWAY_CONFIG": file, "RATE_LIMIT_API": "unlimited", "RATE_LIMIT_MESSAGES": "unlimited",
        ]
    }

    deinit { gateway?.program.signal(SIGKILL) }

    func start() throws {
        gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
        if let token { gateway.client.token = token } else { try gateway.authorize(scopes: ["admin"]) }
        token = gateway.client.token
    }

    func kill() {
        gateway.program.signal(SIGKILL)
        _ = try? gateway.program.exitCode()
    }

    func addConversation() throws {
        let body: JSON = [
            "name": "club", "broker": "house", "filters": .array(["club/#"]), "topic": "club/talk",
            "from": .string(name),
        ]
        let answer = try gateway.client.post("/api/v1/mqtt/conversations", body)
        try #require(answer.status == 201, "\(answer.text)")
        try gateway.eventually("it is connected") {
            try gateway.client.get("/api/v1/mqtt/conversations/club").data["connection"]["state"] == "connected"
        }
        // And its filter is answered.
        usleep(300_000)
    }

    /// A text that has to be accepted.
    func say(_ text: String) throws { _ = try gateway.post(["conversation": "mqtt:club", "text": .string(text)]) }

    var texts: [String] {
        rows("SELECT m.text FROM messages m JOIN sources s ON s.id = m.source WHERE s.device_id = 'mqtt:club'")
    }

    var count: Int { texts.count }
    var waiting: Int { rows("SELECT count(*) FROM broker_outbox").first.flatMap { Int($0) } ?? -1 }

    private func rows(_ sql: String) -> [String] {
        var handle: OpaquePointer?
        guard sqlite3_open_v2("\(folders.state)/mesh-gateway/mesh.db", &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK
        else { return [] }
        defer { sqlite3_close(handle) }
        sqlite3_busy_timeout(handle, 10_000)
        var (statement, found): (OpaquePointer?, [String]) = (nil, [])
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        while sqlite3_step(statement) == SQLITE_ROW {
            found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return found
    }
}
