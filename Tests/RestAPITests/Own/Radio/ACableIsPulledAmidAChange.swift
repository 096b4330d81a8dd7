import Foundation
import MeshModel
import MeshProtocol
import Platform
import RadioSimulator
import Routes
import Testing

@testable import Gateway
@testable import RestAPI

/// The radio loses its power at a random moment of a change, again and again. Afterwards each field is the old or the new value, and
/// where the answer has said which, it is that one.
///
/// 30 changes, 1,000 when MESH_GATEWAY_TEST_FULL is set; every fiftieth by REST, the others at Gateway's door.
@Suite struct ACableIsPulledAmidAChange {
    private static let paths = ["lora.hop_limit", "owner.long_name", "mqtt.root", "device.tzdef"]

    /// What a change has said of each field; nil: nobody knows.
    private typealias Told = [String: String?]

    private let live: SentTextsAreRowsAtOnce.Live
    private let token: APIToken
    private var gateway: Gateway { live.test.gateway }

    init() throws {
        live = try SentTextsAreRowsAtOnce.Live()
        token = try live.test.token(["admin"])
    }

    @Test func andEachFieldIsTheOldOrTheNewOne() throws {
        let isFull = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_FULL"] != nil
        let wanted = isFull ? 1_000 : 30
        var (whole, cut, number) = (0, 0, 1)
        // As long as an undisturbed one takes here, and a half more.
        let begun = ContinuousClock.now
        _ = atTheDoor(Self.wish(0))
        let longest = max(1_000, UInt32((ContinuousClock.now - begun) / .microseconds(1) * 1.5))
        try #require(eventually { gateway.status(of: live.test.id).link == .live })
        var old = try values()
        // Some are to come before the end, some behind it, however quick this machine is.
        while number < wanted || whole == 0 || cut == 0, number < 10 * wanted {
            number += 1
            let new = Self.wish(number)
            let (radio, delay) = (live.radio, UInt32.random(in: 0..<longest))
            let puller = Platform.Thread {
                usleep(delay)
                radio.unplug()
            }
            let told = number % 50 == 0 ? try byREST(new) : atTheDoor(new)
            puller.join()
            try live.radio.replug()
            try #require(eventually { gateway.status(of: live.test.id).link == .live }, "\(number)")
            let now = try values()
            for path in Self.paths {
                #expect([old[path], new[path]].contains(now[path]), "\(number): \(path) is \(now[path] ?? "?")")
                if let said = told?[path] as? String { #expect(said == now[path], "\(number): \(path)") }
            }
            if now == new { whole += 1 } else { cut += 1 }
            old = now
        }
        #expect(whole > 0 && cut > 0, "\(whole) were whole, \(cut) were cut")
    }

    private static func wish(_ number: Int) -> [String: String] {
        [
            "lora.hop_limit": "\(1 + number % 7)", "owner.long_name": "Hut \(number)", "mqtt.root": "msh/\(number)",
            "device.tzdef": "X\(number)",
        ]
    }

    private func values() throws -> [String: String] {
        let names = [SettingsName("lora")!, SettingsName("owner")!, SettingsName("mqtt")!, SettingsName("device")!]
        var last: RadioRefusal?
        // It may restart once more, as it was told, and on a busy machine be away for longer than a moment.
        for _ in 0..<50 {
            do throws(RadioRefusal) {
                let settings = try gateway.settings(names, of: live.test.id).sections.flatMap(\.settings)
                let found = settings.filter { Self.paths.contains($0.path) }
                return Dictionary(uniqueKeysWithValues: found.map { ($0.path, Self.text($0.value)) })
            } catch {
                last = error
                usleep(100_000)
                _ = eventually { gateway.status(of: live.test.id).link == .live }
            }
        }
        throw try #require(last)
    }

    private static func text(_ value: SettingValue?) -> String {
        switch value {
        case .unsigned(let number): "\(number)"
        case .text(let text): text
        default: "?"
        }
    }

    /// Nil: it was refused as a whole, or the radio was away.
    private func atTheDoor(_ new: [String: String]) -> Told? {
        var edit = SettingsEdit()
        edit.changes = new.map { SettingsEdit.Change(path: $0.key, text: $0.value) }
        guard let change = try? gateway.change(edit, isPreview: false, of: live.test.id) else { return nil }
        return Dictionary(uniqueKeysWithValues: change.rows.map { ($0.path, $0.taken.map { Self.text($0) }) })
    }

    private func byREST(_ new: [String: String]) throws -> Told? {
        let changes = new.map { ["path": $0.key, "value": $0.value] }
        let body = try JSONSerialization.data(withJSONObject: ["changes": changes])
        let answer = try live.test.ask(
            "PATCH", "/api/v1/sources/default/radio/settings", as: token, String(decoding: body, as: UTF8.self))
        guard let rows = (try answer.json["data"] as? NSDictionary)?["changes"] as? [[String: Any]] else { return nil }
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (row["path"] as? String ?? "?", row["taken"].flatMap { $0 is NSNull ? nil : "\($0)" })
            })
    }
}
