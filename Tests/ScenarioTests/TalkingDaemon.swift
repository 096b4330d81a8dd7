import CSQLite
import Foundation
import Testing

@testable import ServedProgram

/// mosquitto that keeps sessions, and everything in them, over a restart.
final class PersistentBroker {
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
final class TalkingDaemon {
    let name: String
    private let folders: Folders
    let here: RadioHere
    private let environment: [String: String]
    private(set) var gateway: ServedGateway!
    private var token: String?

    /// - Parameters:
    ///   - lines: of the broker's file, beside its url.
    ///   - environment: more of it.
    ///   - seed: of its radio, which has another number with another one.
    init(
        _ name: String, at port: Int, _ lines: String = "", in folders: Folders? = nil,
        environment: [String: String] = [:], seed: UInt64 = 1
    ) throws {
        self.name = name
        self.folders = try folders ?? Folders()
        here = try RadioHere { $0.seed = seed }
        let root = self.folders.root
        let file = "\(root)/mesh-gateway.conf"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: "\(root)/brokers.d", withIntermediateDirectories: true)
        try "url = mqtt://127.0.0.1:\(port)\n\(lines)\n".write(
            toFile: "\(root)/brokers.d/house.conf", atomically: true, encoding: .utf8)
        self.environment = [
            "MESH_GATEWAY_CONFIG": file, "RATE_LIMIT_API": "unlimited", "RATE_LIMIT_MESSAGES": "unlimited",
        ].merging(environment) { $1 }
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

    func stop() throws { try gateway.program.stop() }

    /// A command on the box, which has to succeed.
    ///
    /// - Returns: what it prints.
    @discardableResult
    func type(_ line: String) throws -> String {
        let command = try Program(line.split(separator: " ").map(String.init), in: folders, environment: environment)
        try #require(try command.exitCode() == 0, "\(line): \(command.errors.text)")
        return command.output.text
    }

    func addConversation(isJSON: Bool = false) throws {
        let body: JSON = [
            "name": "club", "broker": "house", "filters": .array(["club/#"]), "topic": "club/talk",
            "from": .string(name), "json": .bool(isJSON),
        ]
        let answer = try gateway.client.post("/api/v1/mqtt/conversations", body)
        try #require(answer.status == 201, "\(answer.text)")
        try waitUntilConnected()
        // And its filter is answered.
        usleep(300_000)
    }

    func connection() throws -> JSON {
        try gateway.client.get("/api/v1/mqtt/conversations/club").data["connection"]["state"]
    }

    func waitUntilConnected() throws {
        try gateway.eventually("\(name) is connected") { try connection() == "connected" }
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
