import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// One radio's channels reach another one by a link.
@Suite struct AChannelLinkIsTakenOver {
    private let folders: Folders
    private let here: RadioHere
    private let device: String

    init() throws {
        folders = try Folders()
        here = try RadioHere { options in
            options.region = 1
            options.channels = [
                Channel(index: 0, role: .primary, name: "Home", psk: Array(1...16)),
                Channel(index: 2, role: .secondary, name: "Hikers", psk: Array(0x10..<0x20), positionPrecision: 32),
            ]
        }
        device = "tcp:127.0.0.1:\(try here.radio.listen())"
    }

    /// Of the simulated radio's default channels: `LongFast`, `Hikers` and `Rescue`, in the region EU_868.
    private func foreignLink() throws -> String {
        let other = try RadioHere()
        let result = try Program.run(
            "channel", "url", "--all", "--device", "tcp:127.0.0.1:\(try other.radio.listen())", "--database",
            "\(folders.root)/other.db", in: folders)
        try #require(result.code == 0, "\(result.errors)")
        #expect(result.errors.contains("whoever has this link has the channels' keys"))
        return result.output.trimmingCharacters(in: .newlines)
    }

    private func run(_ words: String...) throws -> (code: Int32, output: String, errors: String) {
        let program = try Program(["channel"] + words + ["--device", device], in: folders)
        return (try program.exitCode(), program.output.text, program.errors.text)
    }

    private func channels() throws -> [Channel] {
        let result = try run("url", "--all", "--json")
        try #require(result.code == 0, "\(result.errors)")
        let answer = try JSONDecoder().decode(JSON.self, from: Data(result.output.utf8))
        #expect(try PublishedSchema("channel-url").flaws(of: answer) == [])
        return try ChannelLink(parsing: answer["url"].string ?? "").channels
    }

    @Test func besideTheOwnChannels() throws {
        let link = try foreignLink()
        let shown = try run("add", link)
        #expect(shown.code == 64 && shown.errors.contains("--yes") && shown.output.contains("--replace"))
        #expect(shown.output.contains("lora.region") && shown.output.contains("EU_868"))
        #expect(try channels().map(\.name) == ["Home", "Hikers"])

        let added = try run("add", link, "--yes", "--json")
        let answer = try JSONDecoder().decode(JSON.self, from: Data(added.output.utf8))
        #expect(try PublishedSchema("channel-add").flaws(of: answer) == [])
        #expect(answer["isDone"] == true && answer["known"].rows.map { $0["name"] } == ["Hikers"])
        #expect(answer["slots"].rows.map { $0["change"] } == ["none", "added", "none", "added"])
        // What was there stays where it was, and so does the region.
        #expect(try channels().map(\.name) == ["Home", "", "Hikers", "Rescue"])
        // And so does whoever looks at the list without asking the radio.
        let listed = try Program.run("channels", "--json", in: folders)
        let list = try JSONDecoder().decode(JSON.self, from: Data(listed.output.utf8))["channels"].rows
        #expect(
            list.filter { $0["role"] != "disabled" }.compactMap { $0["name"].string }.contains("Rescue"), "\(listed)")
        #expect(try channels()[3].psk == Array(0x40..<0x60))
        #expect(
            try Program.run("radio", "config", "get", "lora.region", "--device", device, in: folders).output == "US\n")
        #expect(try run("add", link).output.hasSuffix("Nothing to change.\n"))
    }

    @Test func inPlaceOfThem() throws {
        let replaced = try run("add", try foreignLink(), "--replace", "--yes")
        #expect(replaced.code == 0, "\(replaced.errors)")
        #expect(replaced.output.contains("Home") && replaced.output.contains("Warning: The region"))
        #expect(try channels().map(\.name) == ["", "Hikers", "Rescue"])
        #expect(try channels().map(\.role) == [.primary, .secondary, .secondary])
        let region = try Program.run("radio", "config", "get", "lora.region", "--device", device, in: folders)
        #expect(region.output == "EU_868\n")
    }

    @Test func asAQRCode() throws {
        let result = try run("url", "--qr")
        #expect(result.code == 0)
        let lines = result.output.split(separator: "\n")
        // The link stands below, and no colours go into a pipe.
        #expect(lines.last?.hasPrefix("https://meshtastic.org/e/#") == true && !result.output.contains("\u{1B}"))
        #expect(Set(lines.dropLast().map(\.count)).count == 1 && lines.count > 15)
        let narrow = try Program(
            ["channel", "url", "--qr", "--device", device], in: folders, environment: ["COLUMNS": "20"])
        #expect(try narrow.exitCode() == 0)
        #expect(narrow.errors.text.contains("columns and there are 20"))
        #expect(narrow.output.text.split(separator: "\n").count == 1)
    }

    @Test func aTextThatIsNoLinkIsNamed() throws {
        for (text, advice) in [
            ("https://example.org/e/#CgMSAQE", "https://meshtastic.org/e/#"),
            ("https://meshtastic.org/e/#Cg", "copy it again"),
        ] {
            let result = try run("add", text, "--yes")
            #expect(
                result.code == 65 && result.errors.split(separator: "\n").count == 1 && result.errors.contains(advice))
        }
    }
}
