import Foundation
import Testing

@testable import Pages
@testable import ServedProgram

/// What a problem has as its `command` is typed as it stands.
@Suite struct EveryProblemsCommandIsOne {
    /// Those that the sources have, with a word in place of what is put in.
    private static func commands() throws -> [String] {
        var found: Set<String> = []
        for folder in ["RadioLink", "Gateway/Radio", "Rules", "Notifications", "MQTTBridge", "ControlAPI"] {
            let files = FileManager.default.enumerator(
                at: Page.root.appending(path: "Sources/\(folder)"), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                guard text.contains("Problem") else { continue }
                for match in text.matches(
                    of: /\bcommand(?:: String\?)?\s*(?:[:=]|\{ isAlive \? nil :)\s*"((?:\\\([^)]*\)|[^"\\\n])+)"/)
                {
                    found.insert(String(match.1).replacing(/\\\([^)]*\)/, with: "phone"))
                }
            }
        }
        return found.sorted()
    }

    @Test func ofThoseInTheSources() throws {
        let (commands, tree) = (try Self.commands(), try CommandTree())
        #expect(commands.count > 10, "the sources are not read: \(commands)")
        for command in commands {
            let words = command.hasPrefix("sudo ") ? String(command.dropFirst(5)) : command
            guard words.hasPrefix("mesh-gateway ") else {
                let known = ["apt install ", "dmesg", "systemctl ", "usermod ", "timedatectl", "df "]
                #expect(known.contains { words.hasPrefix($0) }, "\(command)")
                continue
            }
            let flaws = tree.flaws(of: String(words.dropFirst("mesh-gateway ".count)))
            #expect(flaws.isEmpty, "\(command): \(flaws)")
        }
    }

    /// Prose is no command.
    @Test(arguments: ["rule list shows them", "target list shows them.", "mqtt status shows them."])
    func aSentenceIsFound(_ words: String) throws { #expect(try !CommandTree().flaws(of: words).isEmpty) }

    /// As they are told wherever problems are, and typed.
    @Test func thoseOfFilesWithMistakesAreTyped() throws {
        let folders = try Folders()
        let file = "\(folders.root)/mesh-gateway.conf"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        for folder in ["rules.d", "targets.d", "brokers.d"] {
            try FileManager.default.createDirectory(
                atPath: "\(folders.root)/\(folder)", withIntermediateDirectories: true)
            try "nonsense = 1\n".write(
                toFile: "\(folders.root)/\(folder)/broken.conf", atomically: true, encoding: .utf8)
        }
        let environment = ["MESH_GATEWAY_CONFIG": file]
        var gateway = try ServedGateway(device: "simulated", in: folders, environment: environment)
        try gateway.authorize(scopes: ["admin"])
        try gateway.waitUntilLive()
        let served = gateway
        let wanted = ["rule-broken": "rule list", "target-broken": "target list", "broker-broken": "mqtt status"]
        try served.eventually("all are told") {
            let names = try served.client.get("/api/v1/problems").data.rows.compactMap { $0["name"].string }
            return Set(names).isSuperset(of: wanted.keys)
        }
        let status = try Program(["status", "--json"], in: folders, environment: environment)
        _ = try status.exitCode()
        for problems in [
            try served.client.get("/api/v1/problems").data, try served.client.get("/api/v1/self").data["problems"],
            try JSONDecoder().decode(JSON.self, from: status.output.data)["problems"],
        ] {
            for (name, command) in wanted {
                let row = try #require(problems.rows.first { $0["name"] == .string(name) })
                #expect(row["command"] == .string("mesh-gateway \(command)"), "\(name)")
                #expect(row["advice"].string?.hasSuffix("mesh-gateway \(command)") == true, "\(row["advice"])")
            }
        }
        for command in wanted.values {
            let words = command.split(separator: " ").map(String.init)
            let typed = try Program(words, in: folders, environment: environment)
            #expect(try typed.exitCode() == 0, "\(command): \(typed.errors.text)")
        }
        try gateway.program.stop()
    }
}
