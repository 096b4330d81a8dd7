import Foundation
import RadioSimulator
import Testing

@testable import Gateway
@testable import RestAPI

/// `GET P/radio/settings` against the fields of the protocol: each is there with its type, or a row says why not.
@Suite struct EveryFieldOfTheSettingsIsShown {
    private struct Field {
        let path: String
        let type: String
        let isMissing: Bool
    }

    private static func fields() throws -> [Field] {
        let table = (#filePath as NSString).deletingLastPathComponent + "/Settings.tsv"
        return try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { line in
                let cells = line.split(separator: "\t").map(String.init)
                return Field(path: cells[0], type: cells[1], isMissing: cells.count > 2)
            }
    }

    private static let members: Set<String> = [
        "path", "type", "value", "secretBytes", "choices", "min", "max", "unit", "since", "restarts", "writable",
        "help",
    ]

    @Test func withItsType() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let token = try live.test.token(["configuration:read"])
        let data = try live.test.ask("GET", "/api/v1/sources/default/radio/settings", as: token).data
        let settings = try #require(data["settings"] as? [[String: Any]])
        let shown = Dictionary(
            uniqueKeysWithValues: settings.map { ($0["path"] as? String ?? "?", $0["type"] as? String ?? "?") })
        let fields = try Self.fields()
        #expect(fields.count > 200)
        for field in fields { #expect(shown[field.path] == (field.isMissing ? nil : field.type), "\(field.path)") }
        #expect(Set(shown.keys).isSubset(of: fields.map(\.path)))
        for setting in settings { #expect(Set(setting.keys) == Self.members, "\(setting)") }
        #expect(data["missing"] as? [String] == ["audio", "tak"])
        // Who may only look may write nothing, and nobody sees a secret.
        #expect(settings.allSatisfy { $0["writable"] as? Bool == false })
        let secrets = settings.filter { !($0["secretBytes"] is NSNull) }
        #expect(secrets.count >= 4 && secrets.allSatisfy { $0["value"] is NSNull })
        let help = settings.filter { $0["help"] is String }.compactMap { $0["path"] as? String }
        #expect(
            Set(help).isSuperset(of: [
                "lora.region", "lora.hop_limit", "device.role", "lora.modem_preset", "position.position_broadcast_secs",
            ]))
    }

    @Test func whoMayWriteIsToldWhatCannotBeWritten() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let token = try live.test.token(["configuration:read", "configuration:write"])
        let data = try live.test.ask("GET", "/api/v1/sources/default/radio/settings", as: token).data
        let settings = try #require(data["settings"] as? [[String: Any]])
        let closed = settings.filter { $0["writable"] as? Bool == false }.compactMap { $0["path"] as? String }
        #expect(
            Set(closed) == [
                "owner.id", "owner.macaddr", "owner.hw_model", "owner.role", "owner.public_key", "security.public_key",
                "security.private_key",
            ])
        let one = try live.test.ask("GET", "/api/v1/sources/default/radio/settings?section=lora", as: token).data
        let paths = try #require(one["settings"] as? [[String: Any]]).compactMap { $0["path"] as? String }
        #expect(!paths.isEmpty && paths.allSatisfy { $0.hasPrefix("lora.") })
        #expect(
            try live.test.ask("GET", "/api/v1/sources/default/radio/settings?section=nix", as: token).status == 400)
    }
}
