import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Routes
import Testing

@testable import Gateway
@testable import RestAPI

/// What becomes of a change by REST: all of it, or nothing and why.
@Suite struct TheRadiosSettingsAreWritten {
    private let live: SentTextsAreRowsAtOnce.Live
    private let token: APIToken
    private static let settings = "/api/v1/sources/default/radio/settings"

    init() throws {
        live = try SentTextsAreRowsAtOnce.Live()
        token = try live.test.token(["admin"])
    }

    private func send(_ method: String, _ path: String, _ body: String) throws -> Answer {
        try live.test.ask(method, "/api/v1/sources/default/" + path, as: token, body)
    }

    private func value(_ path: String) throws -> Any? {
        let section = path.prefix { $0 != "." }
        let data = try live.test.ask("GET", Self.settings + "?section=\(section)", as: token).data
        return (data["settings"] as? [[String: Any]])?.first { $0["path"] as? String == path }?["value"]
    }

    private func rows(_ answer: Answer) throws -> [[String: Any]] {
        try #require(answer.data["changes"] as? [[String: Any]])
    }

    @Test func aPreviewWritesNothing() throws {
        let answer = try send(
            "PATCH", "radio/settings", #"{"changes":[{"path":"lora.hop_limit","value":5}],"preview":true}"#)
        #expect(try answer.status == 200 && answer.data["isDone"] as? Bool == false)
        #expect(try (answer.data["warnings"] as? [String])?.first?.hasPrefix("A hop limit above 3") == true)
        #expect(try value("lora.hop_limit") as? Int == 3)
    }

    @Test func whatIsRefusedIsSaidFieldByField() throws {
        let changes = [
            (#"{"path":"lora.hop_limit","value":9}"#, "from 0 to 7"),
            (#"{"path":"owner.long_name","value":" "}"#, "a name"),
            (#"{"path":"bluetooth.fixed_pin","value":"12345"}"#, "six digits"),
            (#"{"path":"lora.nix","value":1}"#, "there is no setting"),
            (#"{"path":"security.private_key","value":"AAAA"}"#, "cannot be set"),
            (#"{"path":"lora.tx_power","value":null}"#, "secrets"),
            (#"{"path":"mqtt.root","value":"\#(String(repeating: "x", count: 40))"}"#, "31 bytes"),
            (#"{"path":"security.admin_key","value":["\#(key)","\#(key)","\#(key)","\#(key)"]}"#, "at most 3"),
        ]
        let good = #"{"path":"lora.tx_enabled","value":false}"#
        let answer = try send(
            "PATCH", "radio/settings", #"{"changes":[\#((changes.map(\.0) + [good]).joined(separator: ","))]}"#)
        #expect(answer.status == 400)
        let rows = try rows(answer)
        for ((_, why), row) in zip(changes, rows) {
            #expect((row["error"] as? String)?.contains(why) == true, "\(row)")
        }
        #expect(rows.last?["error"] is NSNull)
        // One of them would have been right: nothing is written all the same.
        #expect(try value("lora.tx_enabled") as? Bool == true)
    }

    private let key = Data(repeating: 7, count: 32).base64EncodedString()

    @Test func anothersChangeIsNotWrittenOver() throws {
        let wish = #"{"changes":[{"path":"lora.hop_limit","value":5,"was":3}]}"#
        #expect(try send("PATCH", "radio/settings", wish).status == 200)
        let again = try send("PATCH", "radio/settings", wish)
        #expect(again.status == 409)
        #expect(try rows(again)[0]["old"] as? Int == 5)
        #expect(try value("lora.hop_limit") as? Int == 5)
        let twice = #"{"changes":[{"path":"lora.hop_limit","value":4},{"path":"LORA.hop_limit","value":3}]}"#
        #expect(try send("PATCH", "radio/settings", twice).status == 400)
    }

    @Test func aSecretIsSetAndStays() throws {
        let set = try send(
            "PATCH", "radio/settings", #"{"changes":[{"path":"network.wifi_psk","value":"not to be seen"}]}"#)
        #expect(set.status == 200 && !set.text.contains("not to be seen"))
        #expect(try rows(set)[0]["newSecretBytes"] as? Int == 14)
        let kept = try send("PATCH", "radio/settings", #"{"changes":[{"path":"network.wifi_psk","value":null}]}"#)
        #expect(kept.status == 200)
        #expect(try rows(kept)[0]["isChange"] as? Bool == false)
        // It stays when its section is written, too.
        let beside = try send(
            "PATCH", "radio/settings",
            #"{"changes":[{"path":"network.wifi_psk","value":null},{"path":"network.ntp_server","value":"ntp.example.org"}]}"#
        )
        #expect(try beside.status == 200 && beside.data["isDone"] as? Bool == true, "\(beside.text)")
        #expect(try rows(beside)[0]["isTaken"] is NSNull)
        #expect(try rows(beside)[1]["isTaken"] as? Bool == true)
    }

    @Test func aChannelIsChangedAndSwitchedOff() throws {
        let changed = try send("PUT", "channels/1", #"{"id":1,"name":"Club","psk":"none","positionPrecision":10}"#)
        #expect(changed.status == 200, "\(changed.text)")
        var channel = try #require(live.test.store.read { try $0.channel(1, in: live.test.id) })
        #expect(channel.name == "Club" && channel.psk == [0] && channel.positionPrecision == 10)
        #expect(channel.role == .secondary)
        let warnings = try #require(changed.data["warnings"] as? [String])
        #expect(warnings.contains { $0.hasPrefix("2 tokens have (") && $0.contains("a right to slot 1") })
        // What it is called where it has no name is no name.
        #expect(try send("PUT", "channels/0", #"{"name":"LongFast"}"#).status == 200)
        #expect(try live.test.store.read { try $0.channel(0, in: live.test.id) }?.name == "")

        #expect(try send("DELETE", "channels/1", "{}").status == 200)
        channel = try #require(live.test.store.read { try $0.channel(1, in: live.test.id) })
        #expect(channel.role == .disabled)
        #expect(try live.test.store.read { try $0.channel(2, in: live.test.id) }?.role == .secondary)
        #expect(try send("DELETE", "channels/0", "{}").status == 409)
        for (body, why) in [
            (#"{"psk":"AAAA"}"#, "psk"), (#"{"name":"longer than eleven"}"#, "11 bytes"), (#"{"id":1}"#, "another"),
            (#"{"positionPrecision":40}"#, "0 to 32"), (#"{"nix":1}"#, "nix"),
            (#"{"uplinkEnabled":1}"#, "true or false"),
        ] {
            let refused = try send("PUT", "channels/2", body)
            #expect(refused.status == 400 && refused.text.contains(why), "\(refused.text)")
        }
    }

    @Test func itIsToldWhereItIs() throws {
        let fixed = try send("PUT", "radio/position", #"{"latitude":46.5,"longitude":7.25,"altitude":800}"#)
        #expect(fixed.status == 200, "\(fixed.text)")
        #expect(try value("position.fixed_position") as? Bool == true)
        #expect(try send("DELETE", "radio/position", "{}").status == 200)
        #expect(try value("position.fixed_position") as? Bool == false)
        for body in [
            "{}", #"{"latitude":0,"longitude":0}"#, #"{"latitude":91,"longitude":0}"#,
            #"{"latitude":1,"longitude":"2"}"#, #"{"latitude":1,"longitude":2,"altitude":1.5}"#,
        ] {
            #expect(try send("PUT", "radio/position", body).status == 400, "\(body)")
        }
    }

    @Test func aRadioThatIsAwayOrSilentIsSaidToBe() throws {
        live.radio.misbehave(.silence)
        #expect(
            try send("PATCH", "radio/settings", #"{"changes":[{"path":"lora.hop_limit","value":5}]}"#).status == 504)
    }

    @Test func aBodyMustSayWhatIsToChange() throws {
        for body in [
            "{}", "[]", #"{"changes":{}}"#, #"{"changes":[{}]}"#, #"{"changes":[{"path":"lora.hop_limit"}]}"#,
            #"{"nix":1}"#, #"{"link":{"url":"https://example.org"}}"#, #"{"channels":[{"index":8}]}"#,
            #"{"changes":[{"path":"a","value":{}}]}"#, #"{"changes":[{"path":"a","value":["a,b"]}]}"#,
        ] {
            #expect(try send("PATCH", "radio/settings", body).status == 400, "\(body)")
        }
        let long = #"{"changes":[{"path":"mqtt.root","value":"\#(String(repeating: "x", count: 17_000))"}]}"#
        #expect(try send("PATCH", "radio/settings", long).status == 413)
    }
}
