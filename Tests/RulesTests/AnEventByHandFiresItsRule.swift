import Foundation
import MeshModel
import Store
import Testing

@testable import Rules

/// Each example of the manual fires a rule with the trigger beside it; what does not, says why.
@Suite struct AnEventByHandFiresItsRule {
    private let mesh: StoredMesh

    init() throws {
        mesh = try StoredMesh([:])
        let own = ownNode
        try mesh.change { writer, source, now in
            try writer.update(source) { $0.nodeNumber = own }
            try writer.updateNode(own, in: source, at: now) { node in
                (node.longName, node.latitude, node.longitude, node.lastHeard) = ("Home", 47.05, 8.31, now / 1000)
            }
            try writer.updateNode(NodeNumber(0xA1B2_C3D4), in: source, at: now) { node in
                (node.longName, node.latitude, node.longitude) = ("Summit hut", 47.05, 8.31)
                node.positionTimestamp = now
                node.lastHeard = now / 1000 - 86_400
            }
        }
        try mesh.report(NodeNumber(0xA1B2_C3D4), "uptimeSeconds", 9_000)
        _ = try mesh.converse("club")
    }

    private func tried(_ event: String, _ text: String) throws -> RuleTest {
        let rule = try #require(RuleFile(text, name: "rule", path: "").rule)
        return try mesh.store.read { try RuleTest.ofEvent(event, rule, $0, at: mesh.now.at) }
    }

    /// The rows of the manual's table.
    private static func examples() throws -> [(when: String, event: String)] {
        let manual = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../deploy/RULES.md")
        let lines = try String(contentsOf: manual, encoding: .utf8).split(separator: "\n")
        return lines.compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, cells[1].hasPrefix("`{") else { return nil }
            return (cells[0], cells[1].replacingOccurrences(of: "`", with: ""))
        }
    }

    @Test func ofTheManual() throws {
        let examples = try Self.examples()
        var types: Set<String> = []
        for (whens, event) in examples {
            let event = event.replacing("!0000abcd", with: ownNode.id)
            for when in whens.components(separatedBy: "`, `") {
                let when = when.replacingOccurrences(of: "`", with: "")
                let test = try tried(event, "when = \(when)")
                #expect(test.count >= 1, "\(when): \(event): \(test.reach) \(test.near.map(\.condition))")
                #expect(test.reach == "It would fire, as a rule that has told nothing so far.")
                types.insert(test.type)
            }
        }
        #expect(Trigger.types.subtracting(types) == ["at"], "each trigger has an example")
    }

    @Test func orSaysWhichConditionFailed() throws {
        let test = try tried(
            #"{"kind":"message","fromNodeId":"!a1b2c3d4","channel":0,"text":"hi","hopStart":3,"hopLimit":0}"#,
            "when = message\nhops = 0..2")
        #expect(test.count == 0 && test.near.map(\.condition) == ["hops 3, wanted 0..2"])
        #expect(test.reach == "Its trigger has come, and a condition has failed.")
    }

    @Test(arguments: [
        #"{"kind":"telemetry","nodeId":"!a1b2c3d4","telemetryType":"batteryLevel","value":80}"#,
        #"{"kind":"message","fromNodeId":"!a1b2c3d4","text":"hi"}"#, #"{"kind":"packet"}"#,
    ])
    func orThatItsTriggerHasNotCome(_ event: String) throws {
        let test = try tried(event, "when = battery below 20 %")
        #expect(test.count == 0 && test.near.isEmpty)
        #expect(test.reach == "Its trigger has not come: it waits for \"battery below 20 %\".")
    }

    /// However low it has been for long.
    @Test func asARuleThatHasToldNothing() throws {
        try mesh.report(NodeNumber(0xA1B2_C3D4), "batteryLevel", 10)
        let test = try tried(
            #"{"kind":"telemetry","nodeId":"!a1b2c3d4","telemetryType":"batteryLevel","value":9}"#,
            "when = battery below 20 %")
        #expect(test.firings.map(\.row.title) == ["Summit hut: battery 9 %"])
    }

    @Test func ofAnEnd() throws {
        let test = try tried(#"{"kind":"solved","name":"region-unset"}"#, "when = problem")
        #expect(test.firings.map(\.row.title) == ["Solved: The radio has no region"])
    }

    @Test(arguments: [
        ("", "it is not JSON"), ("[]", "it is no object"), ("{}", "kind is missing"),
        (#"{"kind":5}"#, "kind is no text"),
        (#"{"kind":"mesage"}"#, "no event has the kind \"mesage\"; did you mean \"message\"?"),
        (#"{"kind":"message"}"#, "fromNodeId is missing; write for example \"fromNodeId\": \"!a1b2c3d4\""),
        (#"{"kind":"message","fromNodeId":"Anna"}"#, "fromNodeId \"Anna\" is no id"),
        (#"{"kind":"message","fromNodeId":"!a1b2c3d4","text":7}"#, "text is no text"),
        (#"{"kind":"message","fromNodeId":"!a1b2c3d4","channel":1.5}"#, "channel is no whole number from -1 to 1000"),
        (#"{"kind":"message","fromNodeId":"!a1b2c3d4","hopStart":9}"#, "hopStart is no whole number from 0 to 7"),
        (#"{"kind":"telemetry","nodeId":"!a1b2c3d4"}"#, "telemetryType is missing"),
        (
            #"{"kind":"telemetry","nodeId":"!a1b2c3d4","telemetryType":"batteryLvel","value":1}"#,
            "telemetryType \"batteryLvel\" is no value that nodes measure; did you mean \"batteryLevel\"?"
        ),
        (#"{"kind":"telemetry","nodeId":"!a1b2c3d4","telemetryType":"batteryLevel"}"#, "value is missing"),
        (
            #"{"kind":"telemetry","nodeId":"!a1b2c3d4","telemetryType":"batteryLevel","value":"9"}"#,
            "value is no number"
        ),
        (
            #"{"kind":"position","nodeId":"!a1b2c3d4","latitude":91,"longitude":0}"#,
            "latitude is no number from -90 to 90"
        ),
        (#"{"kind":"position","nodeId":"!a1b2c3d4","latitude":1}"#, "longitude is missing"),
        (#"{"kind":"waypoint","latitude":1,"longitude":1}"#, "ownerNodeId is missing"),
        (#"{"kind":"status","connected":"no"}"#, "connected is neither true nor false"),
        (#"{"kind":"problem"}"#, "name is missing"),
        (#"{"kind":"node","nodeId":"!ffffffff"}"#, "nodeId \"!ffffffff\" is no id"),
        (#"{"kind":"start","sourceId":"nowhere"}"#, "there is no source \"nowhere\""),
    ])
    func whatIsNoEventSaysWhy(_ event: String, _ why: String) throws {
        let error = #expect(throws: BadEvent.self) { try tried(event, "when = message") }
        #expect(error?.text.hasPrefix(why) == true, "\(error?.text ?? "")")
    }

    /// A text over a broker is of the first conversation that the rule names.
    @Test func ofAConversation() throws {
        _ = try mesh.converse("another")
        let event = #"{"kind":"message","fromNodeId":"!00000000","channel":-1,"writer":"Ann","text":"hi"}"#
        let test = try tried(event, "when = message on mqtt:club")
        #expect(test.firings.map(\.row.title) == ["Ann on club"] && test.firings.map(\.row.body) == ["hi"])
        #expect(
            try tried(event, "when = message on mqtt:club\nwords = sos").near.map(\.condition) == ["none of its words"])
        for when in ["message", "direct message", "mention", "message on mqtt:nowhere"] {
            let test = try tried(event, "when = \(when)")
            #expect(test.count == 0 && test.reach == "Its trigger has not come: it waits for \"\(when)\".")
        }
        let ofRadio = #"{"kind":"message","fromNodeId":"!a1b2c3d4","channel":0,"text":"hi"}"#
        #expect(try tried(ofRadio, "when = message on mqtt:club").count == 0)
        let error = #expect(throws: BadEvent.self) {
            try tried(#"{"kind":"message","writer":"Ann","sourceId":"nowhere"}"#, "when = message on mqtt:club")
        }
        #expect(error?.text.hasPrefix("there is no conversation over a broker with the sourceId \"nowhere\"") == true)
    }

    @Test func andTheTooLongOne() {
        let long = #"{"kind":"message","text":""# + String(repeating: "a", count: 9_000) + "\"}"
        let error = #expect(throws: BadEvent.self) { try tried(long, "when = message") }
        #expect(error?.text.hasPrefix("the event is longer than 8000 bytes; write one object, such as {") == true)
    }

    @Test func noEventIsATime() {
        #expect(throws: BadEvent("\"at 7:00\" waits for a time, which no event has; try it without --event")) {
            try tried(#"{"kind":"start"}"#, "when = at 7:00")
        }
    }
}

extension Trigger {
    /// Of all forms that a rule may have.
    fileprivate static var types: Set<String> {
        Set(forms.map { (try? Trigger(words: String($0.split(separator: "(")[0])))?.type ?? $0 })
    }
}
