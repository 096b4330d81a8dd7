import Foundation
import Platform
import RadioSimulator
import Testing

@testable import ServedProgram

/// A shared port that is taken and a target that refuses: the rule `problem` tells of both as they begin and as they end, once each,
/// and nobody reloads anything. What needs a daemon is not shown without one.
@Test func whatIsWrongIsFollowedWithoutAReload() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let isWell = Monitor(false)
    let phone = try LoopbackServer { _, connection in
        say("HTTP/1.1 \(isWell.withLock { $0 } ? 200 : 403) X\r\nContent-Length: 0\r\n\r\n", connection)
    }
    for folder in ["rules.d", "targets.d"] {
        try FileManager.default.createDirectory(
            atPath: "\(folders.root)/\(folder)", withIntermediateDirectories: true)
    }
    for (name, text) in [
        ("mesh-gateway.conf", ""), ("rules.d/wrong.conf", "when = problem\n"),
        ("rules.d/text.conf", "when = direct message\ntell = phone\n"),
        ("targets.d/phone.conf", "kind = ntfy\nurl = \(phone.url)/topic\nallow-local = yes\n"),
    ] {
        try text.write(toFile: "\(folders.root)/\(name)", atomically: true, encoding: .utf8)
    }
    let environment = ["MESH_GATEWAY_CONFIG": "\(folders.root)/mesh-gateway.conf"]
    func served(as name: String, _ arguments: [String]) throws -> ServedGateway {
        var gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, arguments, environment: environment)
        try gateway.authorize(as: name, scopes: ["admin"])
        try gateway.waitUntilLive()
        return gateway
    }
    func shown() throws -> [String] {
        let status = try Program(["status", "--json"], in: folders, environment: environment)
        _ = try status.exitCode()
        let page = try JSONDecoder().decode(JSON.self, from: status.output.data)
        return page["problems"].rows.compactMap { $0["name"].string }
    }

    // The rules are known before anything is wrong: what is so when a rule comes is not told.
    let first = try served(as: "first", [])
    try first.eventually("the rules are at work") {
        let rows = try first.client.get("/api/v1/rules").json["rules"].rows
        return rows.count == 2 && rows.allSatisfy { $0["since"] != .null }
    }
    #expect(try shown() == [])
    try first.program.stop()
    #expect(try shown() == ["not-running"])

    let (place, port) = try placeForMosquitto()
    try #require(listen(place, 1) == 0)
    let gateway = try served(as: "second", ["--share", "127.0.0.1:\(port)"])
    here.radio.sendText(from: here.radio.nodes[0].number, "Hello", to: here.radio.number)
    try gateway.eventually("the target refuses") { try shown() == ["share-closed", "target-failing"] }

    /// What the rule has told, oldest first: the state, and the problem's words.
    func told() throws -> [String] {
        try gateway.client.get("/api/v1/notifications").json["notifications"].rows.compactMap { row in
            let payload = try JSONDecoder().decode(JSON.self, from: Data((row["payload_json"].string ?? "{}").utf8))
            guard payload["rule"] == .string("wrong") else { return nil }
            return "\(payload["state"].string ?? ""): \(row["title"].string ?? "")"
        }
    }
    func wait(_ what: String, until count: Int) throws {
        // A client that asks more often is told to wait.
        for _ in 0..<300 where try told().count < count { usleep(1_000_000) }
        let found = try told()
        #expect(found.count == count, "\(what): \(found)")
    }
    // Problems are looked at when the gateway has run for two minutes.
    try wait("both begin", until: 2)
    close(place)
    try wait("the port is open", until: 3)
    isWell.withLock { $0 = true }
    _ = try Program(["target", "test", "phone"], in: folders, environment: environment).exitCode()
    try wait("the target takes it", until: 4)
    let all = try told()
    #expect(all.map { String($0.prefix { $0 != ":" }) } == ["begins", "begins", "ends", "ends"], "\(all)")
    #expect(try shown() == [])
    try gateway.program.stop()
}
