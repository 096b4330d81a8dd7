import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// `mesh-gateway radio config export` and `import`: what the file holds, and what is said of a bad one. That the official program
/// reads and writes the same: FilesOfSettingsGoBothWays.
@Suite struct AFileOfSettingsIsTakenOver {
    @Test func besideADaemon() throws {
        // In real time: the restart that follows a change comes after seven seconds, when the test is over.
        let (folders, here) = (try Folders(), try RadioHere { $0.timeScale = 1 })
        let gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, ["--log-level", "trace"])
        try gateway.waitUntilLive()
        let file = "\(folders.root)/hut.yaml"
        func run(_ words: String...) throws -> (code: Int32, output: String, errors: String) {
            let program = try Program(["radio", "config"] + words, in: folders)
            return (try program.exitCode(), program.output.text, program.errors.text)
        }
        func json(_ words: String...) throws -> JSON {
            let program = try Program(["radio", "config"] + words + ["--json"], in: folders)
            try #require(program.exitCode() == 0, "\(program.errors.text)")
            return try JSONDecoder().decode(JSON.self, from: program.output.data)
        }

        let open = try run("export", file)
        #expect(open.code == 0 && open.output.isEmpty && open.errors.contains("--with-secrets"), "\(open)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("  lora:\n    usePreset: true\n") && !text.contains("channel_url"))
        let again = try run("export", file)
        #expect(again.code == 73 && again.errors.contains("--force"), "\(again)")
        #expect(try run("export", "-").output == text)
        #expect(try run("import", file).output == "Nothing to change: the radio has these values.\n")

        let exported = try json("export", file, "--force", "--with-secrets")
        #expect(try PublishedSchema("radio-export").flaws(of: exported) == [])
        #expect(exported["withSecrets"] == true && exported["left"].rows.isEmpty)
        let whole = try String(contentsOfFile: file, encoding: .utf8)
        for secret in SimulatedRadio.passwords { #expect(whole.contains(secret)) }
        #expect(whole.contains("channel_url: \"https://meshtastic.org/e/#"))
        #expect(!whole.contains(Data(here.radio.privateKey).base64EncodedString()) && !text.contains("sekrit"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let edited = whole.replacingOccurrences(of: "hopLimit: 3", with: "hopLimit: 5")
            .replacingOccurrences(of: "Hi|On my way", with: "Hi|Soon")
        try edited.write(toFile: file, atomically: false, encoding: .utf8)
        let asked = try run("import", file)
        #expect(asked.code == 64 && asked.errors.contains("radio config import FILE --yes"), "\(asked)")
        #expect(asked.output.contains("lora.hop_limit") && asked.output.contains("Hi|Soon"))
        #expect(!asked.output.contains("lora.region"), "what stays is not shown")
        let done = try json("import", file, "--yes")
        #expect(try PublishedSchema("radio-import").flaws(of: done) == [])
        let rows = done["changes"].rows
        let changed = rows.filter { $0["isChange"] == true }
        #expect(done["isDone"] == true && changed.allSatisfy { $0["isTaken"] == true }, "\(done)")
        #expect(rows.filter { $0["path"] == "canned_messages" }.map { $0["taken"] } == ["Hi|Soon|At the hut|Need help"])
        #expect(done["slots"].rows.map { $0["change"] } == ["none", "none", "none"])
        #expect(try run("get", "lora.hop_limit").output == "5\n")
        // The passwords of the file are the radio's own.
        #expect(try run("import", file).output == "Nothing to change: the radio has these values.\n")
        #expect(!rows.contains { $0["path"] == "network.wifi_psk" }, "\(rows)")

        let log = gateway.program.errors.text + gateway.program.output.text
        try gateway.program.stop()
        for secret in SimulatedRadio.passwords + [Data(here.radio.privateKey).base64EncodedString()] {
            #expect(!log.contains(secret) && !asked.output.contains(secret) && !open.output.contains(secret))
        }
    }

    /// a file; exit code; where and what is wrong; what to do
    static let mistakes: [(String, Int32, [String])] = [
        ("config:\n  lora: {hopLimit: 3", 65, ["line 2", "no YAML", "export it once more"]),
        (String(repeating: "{a: ", count: 700), 65, ["line 1", "8 levels"]),
        ((1...700).map { "a\($0): &a\($0) [*a1]" }.joined(separator: "\n"), 65, ["line 1", "anchor"]),
        ("owner: a\nconfig:\n  lora: {region: MARS}", 65, ["line 3", "lora.region", "EU_868"]),
        ("owner: a\nowner: b", 65, ["line 2", "twice"]),
        ("nothing: here", 65, ["no settings", "owner"]),
        ("", 65, ["no settings"]),
        ("channel_url: https://example.org/", 65, ["line 1", "channel_url"]),
    ]

    @Test func aBadFileIsOneSentence() throws {
        let (folders, here) = (try Folders(), try RadioHere())
        let device = "tcp:127.0.0.1:\(try here.radio.listen())"
        let file = "\(folders.root)/bad.yaml"
        func said(_ words: [String], environment: [String: String] = [:]) throws -> (code: Int32, errors: String) {
            let program = try Program(
                ["radio", "config", "import"] + words + ["--yes", "--device", device], in: folders,
                environment: environment)
            let result = (code: try program.exitCode(), errors: program.errors.text)
            #expect((1...3).contains(result.errors.split(separator: "\n").count), "\(result)")
            #expect(program.output.text.isEmpty)
            return result
        }
        for (text, code, words) in Self.mistakes {
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            let result = try said([file])
            #expect(result.code == code && words.allSatisfy(result.errors.contains), "\(text.prefix(40)): \(result)")
        }
        try Data("owner: \"".utf8 + [0xFC]).write(to: URL(filePath: file))
        var result = try said([file])
        #expect(result.code == 65 && result.errors.contains("line 1") && result.errors.contains("UTF-8"), "\(result)")
        try Data(repeating: UInt8(ascii: "#"), count: 10 << 20).write(to: URL(filePath: file))
        result = try said([file])
        #expect(result.code == 65 && result.errors.contains("256 kB"), "\(result)")
        result = try said(["\(folders.root)/nothing.yaml"])
        #expect(result.code == 66 && result.errors.contains("radio config export"), "\(result)")
        result = try said([folders.root])
        #expect(result.code == 66, "\(result)")

        // Without the library a sentence says what to type.
        try "owner: a".write(toFile: file, atomically: false, encoding: .utf8)
        try "".write(toFile: "\(folders.root)/libyaml-0.so.2", atomically: false, encoding: .utf8)
        result = try said([file], environment: ["LD_LIBRARY_PATH": folders.root])
        #expect(result.code == 69 && result.errors.contains("apt install libyaml-0-2"), "\(result)")
        // The radio has not even been asked.
        #expect(here.radio.completedHandshakes == 0)
    }

    /// A file for another radio: what this one lacks is passed over and said.
    @Test func whatTheRadioLacksIsSaid() throws {
        let (folders, here) = (try Folders(), try RadioHere())
        let file = "\(folders.root)/other.yaml"
        try "ownerShort: AB\nmoduleConfig: {audio: {codec2Enabled: true}, fromTomorrow: {on: true}}\n".write(
            toFile: file, atomically: false, encoding: .utf8)
        let program = try Program(
            ["radio", "config", "import", file, "--yes", "--device", "tcp:127.0.0.1:\(here.radio.listen())"],
            in: folders)
        #expect(try program.exitCode() == 0, "\(program.errors.text)")
        #expect(program.output.text.contains("no settings \"audio\"") && program.output.text.hasSuffix("Done.\n"))
        #expect(program.errors.text.contains("fromTomorrow.on (line 2)"), "\(program.errors.text)")
    }
}
