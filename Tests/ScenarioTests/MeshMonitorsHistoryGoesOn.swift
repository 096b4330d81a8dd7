import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// What MeshMonitor's API has said before is what ours says after, and the file itself is as it was.
@Suite struct MeshMonitorsHistoryGoesOn {
    @Test(arguments: [3, 4]) func everyAnswerIsTheSame(version: Int) throws {
        let folders = try Folders()
        let theirs = try MeshMonitorDatabase(version: version, in: folders)
        let before = try theirs.fingerprint()
        let dry = try theirs.report("--dry-run")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folders.state).flatMap(Self.databases).isEmpty)
        let short = try Program.run(
            "take-over", theirs.path, "--dry-run", in: folders, environment: ["MESH_GATEWAY_KEEP_TELEMETRY": "7d"])
        #expect(short.output.contains("keep-telemetry = forever"), "\(short.output) \(short.errors)")
        let report = try theirs.report()
        #expect(report["kinds"] == dry["kinds"])
        #expect(report["fading"] == .array([]))
        for (kind, counts) in theirs.expected["kinds"].members {
            #expect(report.kind(kind)["found"] == counts["found"], "\(kind)")
            #expect(report.kind(kind)["taken"] == counts["taken"], "\(kind)")
            #expect(report.kind(kind)["leftOut"] == counts["leftOut"], "\(kind)")
        }
        let again = try theirs.report()
        for kind in again["kinds"].rows { #expect(kind["taken"] == 0, "\(kind)") }
        #expect(try theirs.fingerprint() == before)

        var gateway = try ServedGateway(device: "/dev/ttyNONE", in: folders)
        try gateway.authorize(scopes: ["admin"])
        for (source, expected) in theirs.expected["sources"].members {
            try Comparison(gateway: gateway, path: "/api/v1/sources/\(source)", source: source).run(expected)
        }
        let entry = try #require(try gateway.client.get("/api/v1/channel-database").data.rows.first)
        #expect(entry["id"] == 3 && entry["name"] == "Climbers")
        try gateway.program.stop()
    }

    private static func databases(_ name: String) -> [String] { name.contains(".db") ? [name] : [] }

    @Test(arguments: [3, 4]) func theRadioFindsItsHistory(version: Int) throws {
        let folders = try Folders()
        let here = try RadioHere()
        let theirs = try MeshMonitorDatabase(version: version, own: here.radio.number, packets: 5, in: folders)
        let source = try #require(try theirs.report()["sources"].rows.first)
        if version == 4 { #expect(source["id"] == .string(MeshMonitorDatabase.hill)) }

        var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
        try gateway.authorize(scopes: ["admin"])
        try gateway.waitUntilLive()
        try here.say("and on it goes", to: gateway)
        let sources = try gateway.client.get("/api/v1/sources").data.rows
        #expect(sources.map { $0["id"] } == [source["id"]])
        let messages = try gateway.client.get("/api/v1/sources/default/messages?limit=10000").data.rows
        #expect(messages.first?["text"] == "and on it goes")
        #expect(messages.count == 121)
        #expect(messages.allSatisfy { $0["sourceId"] == source["id"] })
        let found = try gateway.client.get("/api/v1/messages/search?q=Gr%C3%BC%C3%9Fe%20119").data.rows
        #expect(found.count == 1)
        try gateway.program.stop()
        // Another radio is another source, and the history waits.
        let stranger = try RadioHere { $0.seed = 77 }
        var other = try ServedGateway(device: "tcp:127.0.0.1:\(stranger.radio.listen())", in: folders)
        other.client.token = gateway.client.token
        try other.waitUntilLive()
        try other.eventually("it is a source of its own") {
            try other.client.get("/api/v1/sources").data.rows.first.map { $0["id"] != source["id"] } == true
        }
        #expect(try other.client.get("/api/v1/sources/default/messages").data.rows.isEmpty)
        try other.program.stop()
    }

    /// Who had tried the gateway for a while keeps what it has heard; the rest comes before that.
    @Test func whatIsThereAlreadyStays() throws {
        let folders = try Folders()
        let here = try RadioHere()
        let device = "tcp:127.0.0.1:\(try here.radio.listen())"
        var gateway = try ServedGateway(device: device, in: folders)
        try gateway.authorize(scopes: ["admin"])
        try gateway.waitUntilLive()
        try here.say("heard before the move", to: gateway)
        let ours = try gateway.client.get("/api/v1/sources").data.rows.first?["id"]
        let running = try MeshMonitorDatabase(version: 4, own: here.radio.number, packets: 5, in: folders)
        let refused = try running.takeOver()
        #expect(refused.code == 69, "\(refused.errors)")
        #expect(refused.errors.contains("in use by another mesh-gateway") && refused.errors.contains("stop that one"))
        try gateway.program.stop()

        let report = try running.report()
        #expect(report["sources"].rows.first?["place"] == "present")
        #expect(report["sources"].rows.first?["id"] == ours)
        let after = try ServedGateway(device: device, in: folders)
        let client = Client(host: "127.0.0.1", port: after.client.port, token: gateway.client.token)
        let messages = try client.get("/api/v1/messages?limit=10000").data.rows
        #expect(messages.count == 121)
        #expect(messages.first?["text"] == "heard before the move")
        try after.program.stop()
    }
}

/// The API's answers about a source, beside what MeshMonitor has said.
private struct Comparison {
    let gateway: ServedGateway
    let path: String
    let source: String

    func run(_ expected: JSON) throws {
        try compare("nodes", expected["nodes"].rows, get("/nodes")) { $0["nodeId"].string ?? "" }
        try compare("messages", expected["messages"].rows, get("/messages?limit=10000")) {
            // The source stands before it since version 4.
            ($0["id"].string ?? "").split(separator: "_").suffix(2).joined(separator: "_")
        }
        for (node, series) in expected["telemetry"].members {
            try compare("telemetry of \(node)", series.rows, get("/telemetry/\(node)?limit=10000")) {
                "\($0["telemetryType"].string ?? "") \($0["timestamp"].integer ?? 0)"
            }
        }
        for (node, fixes) in expected["positions"].members {
            try compare("positions of \(node)", fixes.rows, get("/nodes/\(node)/position-history?limit=10000")) {
                "\($0["timestamp"].integer ?? 0)"
            }
        }
        try compare("traceroutes", expected["traceroutes"].rows, get("/traceroutes?limit=10000")) {
            "\($0["timestamp"].integer ?? 0)"
        }
        let times = try get("/traceroutes?limit=10000").compactMap { $0["timestamp"].integer }
        #expect(times == times.sorted(by: >), "the newest first")
        try compare("channels", expected["channels"].rows, get("/channels")) { "\($0["id"].integer ?? -1)" }
        let neighbors = try gateway.client.get("/api/neighbor-info?sourceId=\(source)").json.rows
        try compare("neighbours", expected["neighbors"].rows, neighbors) {
            "\($0["nodeNum"].integer ?? 0) \($0["neighborNodeNum"].integer ?? 0)"
        }
        let message = try #require(expected["messages"].rows.first?["id"].string)
        let id = message.hasPrefix("_") ? String(message.dropFirst()) : message
        #expect(try gateway.client.get("\(path)/messages/\(id)").status == 200)
    }

    private func get(_ rest: String) throws -> [JSON] {
        let answer = try gateway.client.get(path + rest)
        #expect(answer.status == 200, "\(rest): \(answer.text)")
        return try answer.data.rows
    }

    private func compare(_ what: String, _ expected: [JSON], _ found: [JSON], key: (JSON) -> String) throws {
        #expect(found.count == expected.count, "\(what)")
        let byKey = Dictionary(found.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
        var differences: [String] = []
        for row in expected {
            let answer = byKey[key(row)] ?? .null
            for (name, value) in row.members where name != "id" || !(value.string ?? "").hasPrefix("_") {
                guard !answer[name].agrees(with: value) else { continue }
                differences.append("\(what), \(key(row)), \(name): \(answer[name]) instead of \(value)")
            }
        }
        #expect(differences.isEmpty, "\(differences.prefix(5))")
    }
}
