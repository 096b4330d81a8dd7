import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// From a gateway to an archive, from the archive to a database, and what the API answers from either is the same.
@Suite struct AnArchiveHoldsWhatTheGatewayKnows {
    /// Read by a token for everything.
    private static let routes = [
        "nodes", "messages?limit=1000", "channels", "telemetry?limit=1000", "traceroutes", "packets?limit=1000",
        "channel-database", "sources", "network", "network/topology",
    ]

    @Test func itIsTheSameAgainAfterAnImport() throws {
        let databases = Databases(folders: try Folders())
        let folders = databases.folders
        let token = try live(in: folders)
        let first = databases.path("first.tar"), second = databases.path("second.tar")
        let database = "\(folders.state)/mesh-gateway/mesh.db", other = databases.path("other.db")
        try run("export", first, "--with-secrets", in: folders)
        #expect(try databases.script("archives.py", "check", first, database) > 20)
        #expect(try FileManager.default.attributesOfItem(atPath: first)[.posixPermissions] as? NSNumber == 0o600)
        try run("import", first, "--database", other, in: folders)
        try run("export", second, "--with-secrets", "--database", other, in: folders)

        // As tar reads them: the same files, but for the time in the manifest.
        let names = try tar("-tf", first, in: folders).split(separator: "\n").map(String.init)
        #expect(names.count == 24 && names.last == "manifest.json")
        for name in names.dropLast() {
            #expect(try tar("-xOf", first, name, in: folders) == tar("-xOf", second, name, in: folders), "\(name)")
        }
        let before = try answers(of: database, token, in: folders), after = try answers(of: other, token, in: folders)
        for (route, answer) in before {
            #expect(after[route] == answer, "\(route)")
            #expect(answer.count > 60, "\(route) has nothing to compare: \(answer)")
        }
    }

    /// Whoever gets it finds what was said, but neither keys nor tokens.
    @Test func itHasNoSecrets() throws {
        let databases = Databases(folders: try Folders())
        let folders = databases.folders
        let token = try live(in: folders)
        let archive = databases.path("mesh.tar")
        let said = try run("export", archive, in: folders)
        #expect(said.contains("keys and tokens are not"))
        let bytes = try databases.bytes("mesh.tar")
        let secrets = [String(token.suffix(12)), "\"psk\"", "tokens.jsonl", "outbox.jsonl", "channel-database"]
        for secret in secrets {
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        #expect(bytes.range(of: Data("back at noon".utf8)) != nil)
        let other = databases.path("other.db")
        let made = try run("import", archive, "--database", other, in: folders)
        #expect(made.replacing("\n", with: " ").contains("need new tokens"))
        #expect(try run("messages", "--database", other, in: folders).contains("back at noon"))
        #expect(try run("token", "list", "--database", other, in: folders).contains("No tokens yet"))
    }

    @Test func keysAndUnitsAreTheAPIs() throws {
        let databases = Databases(folders: try Folders())
        let folders = databases.folders
        let token = try live(in: folders)
        try run("export", databases.path("mesh.tar"), in: folders)
        let answers = try answers(of: "\(folders.state)/mesh-gateway/mesh.db", token, in: folders)
        for (file, route, identity) in [("nodes", "nodes", "nodeNum"), ("messages", "messages?limit=1000", "id")] {
            let text = try tar("-xOf", databases.path("mesh.tar"), "\(file).jsonl", in: folders)
            let lines = try text.split(separator: "\n").map {
                try JSONDecoder().decode([String: JSON].self, from: Data($0.utf8))
            }
            .filter { $0["deleted"] != true }
            let shown = try JSONDecoder().decode(JSON.self, from: Data((answers[route] ?? "").utf8))["data"].rows
            #expect(shown.count == lines.count && shown.count > 0, "\(file)")
            for row in shown {
                let line = try #require(lines.first { $0[identity] == row[identity] })
                // What is null on either side is not compared: the API has 0 and placeholders for what nobody knows.
                for (key, value) in line where value != .null && row[key] != .null && key != "deliveryState" {
                    #expect(row[key] == value, "\(file): \(key)")
                }
            }
        }
    }

    @Test func whatCannotBeTakenChangesNothing() throws {
        let databases = Databases(folders: try Folders())
        let folders = databases.folders
        _ = try live(in: folders)
        try run("export", databases.path("mesh.tar"), in: folders)
        try databases.make("old.db", rows: 100)
        let before = try databases.bytes("old.db")
        for (how, words) in [
            ("newer", ["which is newer (format 2", "install that version"]), ("line", ["line 2 of messages.jsonl"]),
            ("huge", ["messages.jsonl: a number is out of range"]),
            ("digest", ["messages.jsonl is not the file that was written"]), ("missing", ["nodes.jsonl is missing"]),
            ("manifest", ["no manifest"]), ("cut", ["damaged"]),
        ] {
            let changed = databases.path("changed.tar")
            if how == "cut" {
                let bytes = try databases.bytes("mesh.tar")
                try bytes.prefix(bytes.count / 2).write(to: URL(filePath: changed))
            } else {
                try databases.script("archives.py", "change", databases.path("mesh.tar"), changed, how)
            }
            let (code, _, errors) = try Program.run(
                "import", changed, "--replace", "--database", databases.path("old.db"), in: folders)
            #expect(code == 65 && errors.split(separator: "\n").count == 1, "\(how): \(errors)")
            for word in words + ["changed"] { #expect(errors.contains(word), "\(how): \(errors)") }
            #expect(try databases.bytes("old.db") == before, "\(how)")
            #expect(try databases.leftovers(of: "old.db") == [], "\(how)")
        }
        // What is only unknown is told.
        let changed = databases.path("changed.tar")
        try databases.script("archives.py", "change", databases.path("mesh.tar"), changed, "unknown")
        let (code, _, errors) = try Program.run(
            "import", changed, "--replace", "--database", databases.path("old.db"), in: folders)
        #expect(code == 0)
        #expect(errors.contains("songs.jsonl, nodes.jsonl: shoeSize"), "\(errors)")
        #expect(try databases.leftovers(of: "old.db").count == 1)
    }

    // MARK: What they need

    /// A gateway hears and says something, and ends.
    ///
    /// - Returns: a token.
    private func live(in folders: Folders) throws -> String {
        let here = try RadioHere { $0.nodes = 6 }
        var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
        try gateway.authorize(scopes: ["admin"])
        try gateway.waitUntilLive()
        try here.say("hello \"there\" \\ ⛰️", to: gateway)
        let hiker = here.radio.nodes[0].number
        let sent = try gateway.post(["text": "back at noon", "toNodeId": .string(hiker.id)])
        _ = try gateway.message(sent["messageId"], becoming: "confirmed")
        let gone = try gateway.post(["text": "never mind", "channel": 0])
        _ = try gateway.message(gone["messageId"], becoming: "delivered")
        let deleted = try gateway.client.request("DELETE", "/api/messages/\(gone["messageId"].string ?? "")")
        #expect(deleted.status == 200, "\(deleted.text)")
        let entry = try gateway.client.post(
            "/api/v1/channel-database", ["name": "Climbers", "psk": "cHFyc3R1dnd4eXp7fH1+fw=="])
        #expect(entry.status == 201)
        #expect(try Program.run("traceroute", hiker.id, in: folders).code == 0)
        let device = Telemetry(time: 1_787_300_040, kind: .device, values: [.init("voltage", 4.0500001907348633)])
        here.radio.inject(
            MeshPacket(
                from: hiker, to: .broadcast, id: 4712,
                payload: .decoded(MeshData(port: .telemetry, payload: device.encoded())), rxSNR: -3.3, rxRSSI: -90,
                hopLimit: 3, hopStart: 3))
        try gateway.eventually("telemetry is there") {
            try gateway.client.get("/api/v1/telemetry").data.rows.contains {
                $0["nodeNum"].integer == Int(hiker.rawValue)
            }
        }
        try gateway.program.stop()
        return gateway.client.token ?? ""
    }

    @discardableResult
    private func run(_ words: String..., in folders: Folders) throws -> String {
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == 0, "\(words): \(program.errors.text)")
        return program.output.text
    }

    private func tar(_ words: String..., in folders: Folders) throws -> String {
        let program = try Program(words, in: folders, executable: "tar")
        #expect(try program.exitCode() == 0, "\(words): \(program.errors.text)")
        return program.output.text
    }

    /// Without a radio, so that nothing changes.
    private func answers(of database: String, _ token: String, in folders: Folders) throws -> [String: String] {
        var gateway = try ServedGateway(device: "/dev/ttyNONE", in: folders, ["--database", database])
        gateway.client.token = token
        var answers: [String: String] = [:]
        for route in Self.routes {
            let answer = try gateway.client.get("/api/v1/\(route)")
            #expect(answer.status == 200, "\(route): \(answer.text)")
            // The time of the answer.
            answers[route] = answer.text.replacing(/"lastUpdated":\d+/, with: "")
        }
        try gateway.program.stop()
        return answers
    }
}
