import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// `mesh-gateway radio` beside a running daemon: reads before it writes, reads again, and never shows a secret.
@Suite struct TheRadiosSettingsAreChanged {
    @Test func besideADaemon() throws {
        // In real time: the restart that follows a change comes after seven seconds, when the test is over.
        let (folders, here) = (try Folders(), try RadioHere { $0.timeScale = 1 })
        let gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, ["--log-level", "trace"])
        try gateway.waitUntilLive()
        var shown = ""
        func run(_ words: String..., input: String = "") throws -> (code: Int32, output: String, errors: String) {
            let program = try Program(["radio"] + words, in: folders, input: input)
            let result = (code: try program.exitCode(), output: program.output.text, errors: program.errors.text)
            shown += result.output + result.errors
            return result
        }
        func json(_ words: String...) throws -> JSON {
            let program = try Program(["radio"] + words + ["--json"], in: folders)
            try #require(program.exitCode() == 0, "\(program.errors.text)")
            shown += program.output.text
            return try JSONDecoder().decode(JSON.self, from: program.output.data)
        }

        let info = try json("info")
        #expect(try PublishedSchema("radio-info").flaws(of: info) == [])
        #expect(
            info["nodeId"] == .string(here.radio.number.id) && info["region"] == "EU_868" && info["via"] == "daemon")
        #expect(info["channels"].rows.map { $0["name"] } == ["LongFast", "Hikers", "Rescue"])
        #expect(abs(info["clockOffsetSeconds"].integer ?? 999) < 60)
        #expect(try run("info").output.contains("HELTEC_V3"))

        #expect(try run("config", "get", "lora.region").output == "EU_868\n")
        let all = try json("config", "get")
        #expect(try PublishedSchema("radio-config").flaws(of: all) == [])
        #expect(all["missing"] == .array(["audio", "tak"]))
        let hops = all["settings"].rows.first { $0["path"] == "lora.hop_limit" }
        #expect(hops?["min"] == 0 && hops?["max"] == 7 && hops?["help"].string?.contains("3 for almost") == true)
        let secrets = all["settings"].rows.filter { $0["secretBytes"].integer ?? 0 > 0 }
        #expect(
            Set(secrets.compactMap { $0["path"].string })
                == ["security.private_key", "network.wifi_psk", "mqtt.password", "bluetooth.fixed_pin"])
        #expect(secrets.allSatisfy { $0["value"] == .null })

        // Nobody to ask, and nothing said beforehand.
        let refused = try run("config", "set", "lora.hop_limit=5")
        #expect(refused.code == 64 && refused.errors.contains("--yes") && refused.output.contains("lora.hop_limit"))
        #expect(try run("config", "get", "lora.hop_limit").output == "3\n")

        let change = try json(
            "config", "set", "--yes", "lora.hop_limit=5", "security.debug_log_api_enabled=true",
            "network.ntp_server=ntp.example.org", "mqtt.root=msh/test", "owner.short_name=NEW")
        #expect(try PublishedSchema("radio-action").flaws(of: change) == [])
        #expect(change["isDone"] == true && change["restarts"] == true)
        #expect(change["changes"].rows.map { $0["isTaken"] } == [true, true, true, true, true])
        #expect(change["changes"].rows.first?["old"] == 3 && change["changes"].rows.first?["taken"] == 5)
        // What was not named is as it was: a section without its private key would have made another one.
        #expect(try json("config", "get", "security.private_key")["settings"].rows.first?["secretBytes"] == 32)
        let network = try json("config", "get", "network")["settings"].rows
        let password = network.first { $0["path"] == "network.wifi_psk" }
        #expect(password?["secretBytes"].integer == SimulatedRadio.passwords[0].utf8.count)
        #expect(network.contains { $0["path"] == "network.wifi_ssid" && $0["value"] == "Hut" })
        #expect(try json("info")["publicKey"] == info["publicKey"])
        #expect(try run("config", "set", "lora.hop_limit=5").output.hasPrefix("Nothing to change"))

        // A password comes in without being seen.
        #expect(try run("config", "set", "network.wifi_psk=-", "--yes", input: "not to be seen\n").code == 0)
        #expect(try json("config", "get", "network.wifi_psk")["settings"].rows.first?["secretBytes"] == 14)

        let log = gateway.program.errors.text + gateway.program.output.text
        try gateway.program.stop()
        for secret in SimulatedRadio.passwords + ["not to be seen", Data(here.radio.privateKey).base64EncodedString()] {
            #expect(!shown.contains(secret) && !log.contains(secret))
        }
    }

    @Test func withoutADaemon() throws {
        let (folders, here) = (try Folders(), try RadioHere())
        let device = "tcp:127.0.0.1:\(try here.radio.listen())"
        let node = here.radio.nodes[0].number
        func json(_ words: String...) throws -> JSON {
            let program = try Program(["radio"] + words + ["--device", device, "--json"], in: folders)
            try #require(program.exitCode() == 0, "\(program.errors.text)")
            let answer = try JSONDecoder().decode(JSON.self, from: program.output.data)
            #expect(answer["via"] == "radio")
            return answer
        }
        #expect(try json("config", "get", "device.role")["settings"].rows.first?["value"] == "CLIENT")
        for (words, action) in [
            (["favorite", node.id], "favorite"), (["ignore", node.id], "ignore"),
            (["ignore", node.id, "--remove"], "ignore-remove"), (["set-time"], "set-time"),
        ] {
            let program = try Program(["radio"] + words + ["--device", device, "--json"], in: folders)
            try #require(program.exitCode() == 0, "\(program.errors.text)")
            let answer = try JSONDecoder().decode(JSON.self, from: program.output.data)
            #expect(answer["action"] == .string(action) && answer["isDone"] == true)
            #expect(try PublishedSchema("radio-action").flaws(of: answer) == [])
        }
        #expect(here.radio.nodes[0].isFavorite && !here.radio.nodes[0].isIgnored)
        #expect(try json("remove", node.id, "--yes")["action"] == "remove")
        #expect(here.radio.nodes[0].isForgotten)
        let handshakes = here.radio.completedHandshakes
        #expect(try json("reboot", "--in", "1", "--yes")["action"] == "reboot")
        // It may still be there when it is asked next, or just be going.
        var restarts: JSON = .null
        for _ in 0..<1_000 where restarts != 2 {
            let program = try Program(["radio", "info", "--device", device, "--json"], in: folders)
            guard try program.exitCode() == 0 else { continue }
            restarts = try JSONDecoder().decode(JSON.self, from: program.output.data)["rebootCount"]
        }
        #expect(restarts == 2)
        #expect(here.radio.completedHandshakes > handshakes)
    }

    /// words | exit code | what is named | what to type
    static let mistakes: [([String], Int32, String, String)] = [
        (["config", "get", "lora.reigon"], 66, "lora.reigon", "mesh-gateway radio config get lora"),
        (["config", "get", "lara"], 66, "lara", "owner, device"),
        (["config", "get", "audio"], 66, "audio", "mesh-gateway radio config get"),
        (["config", "set", "lora.region=MARS", "--yes"], 65, "lora.region", "EU_868"),
        (["config", "set", "lora.hop_limit", "--yes"], 64, "lora.hop_limit", "lora.hop_limit=4"),
        (["config", "set", "security.private_key=x", "--yes"], 65, "security.private_key", "app"),
        (["config", "set", "owner.long_name=   ", "--yes"], 65, "a name", "mesh-gateway radio config get"),
        (
            [
                "config", "set", "mqtt.enabled=true", "mqtt.tls_enabled=true", "mqtt.proxy_to_client_enabled=false",
                "--yes",
            ], 65, "refused", "mesh-gateway radio config get"
        ),
        (["reboot"], 64, "--yes", "mesh-gateway radio reboot --yes"),
        (["reboot", "--in", "99999", "--yes"], 64, "86400", "mesh-gateway radio reboot --in 5"),
        (["favorite", "nobody"], 66, "nobody", "mesh-gateway nodes"),
        (["favorite", "!00c0ffee"], 66, "!00c0ffee", "mesh-gateway nodes"),
    ]

    @Test func aMistakeIsOneSentence() throws {
        let (folders, here) = (try Folders(), try RadioHere())
        let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
        try gateway.waitUntilLive()
        for (words, code, cause, advice) in Self.mistakes {
            let program = try Program(["radio"] + words, in: folders)
            #expect(try program.exitCode() == code, "\(words)")
            let lines = program.errors.text.split(separator: "\n")
            #expect(lines.count == 1, "\(words): \(program.errors.text)")
            #expect(
                lines[0].hasPrefix("mesh-gateway: ") && lines[0].contains(cause) && lines[0].contains(advice),
                "\(lines)")
        }
        here.radio.unplug()
        _ = try gateway.program.errors.line(containing: "radio link lost")
        let away = try Program.run("radio", "info", in: folders)
        #expect(away.code == 69 && away.errors.contains("mesh-gateway status"), "\(away.errors)")
    }
}
