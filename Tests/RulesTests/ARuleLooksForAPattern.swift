import Foundation
import MeshModel
import Testing

@testable import Rules

/// `matches` is looked for anywhere in the text, in any letter case.
@Suite struct ARuleLooksForAPattern {
    @Test(arguments: [
        ("when = message\nmatches = (?P<n>\\d+) (mm|cm) of rain", ["12 MM of rain today"]),
        ("when = message\nmatches = ^help\\b", ["Help, please"]), ("when = message\nmatches = (?-i)^help", []),
        ("when = message\nmatches = rain\nignore = mm", []),
        ("when = message\nmatches = .\nwords = please", ["Help, please"]),
    ])
    func amongOtherConditions(_ rule: String, _ texts: [String]) throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": rule])
        try mesh.start()
        for (id, text) in ["12 MM of rain today", "Help, please", "no help"].enumerated() {
            try mesh.write(text, id: UInt32(id + 1))
        }
        #expect(mesh.firings.map(\.row.body) == texts)
    }

    /// A waypoint has a line for its description when it has one.
    @Test(arguments: [("^Hut$", 1), ("(?m)^Hut$", 2), ("^water$", 1)])
    func inAWaypoint(_ pattern: String, _ count: Int) throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = waypoint\nmatches = \(pattern)"])
        try mesh.start()
        try mesh.hear(anna)
        for (id, (name, description)) in [("Hut", ""), ("Hut", "water"), ("", "water"), ("Hut 2", "")].enumerated() {
            try mesh.point(Waypoint(id: UInt32(id + 1), name: name, description: description))
        }
        #expect(mesh.firings.count == count)
    }

    /// As words do.
    @Test func pastAMute() throws {
        let mesh = FakeMesh()
        try mesh.use(["any": "when = message", "sos": "when = message\nmatches = s.?o.?s"])
        try mesh.start()
        mesh.mutes = [.channel(0): .until(mesh.now.at + hour)]
        try mesh.write("s-o-s", id: 1)
        #expect(mesh.firings.map(\.row.rule) == ["sos"])
    }

    @Test(arguments: [
        ("matches = (ab", "matches, at character 1: this bracket is not closed"),
        ("matches = a(b)\\1", "matches, at character 5: back-references cannot be found in linear time"),
        ("matches =", "matches has no value"),
    ])
    func itsMistakesHaveAPlace(_ line: String, _ text: String) {
        let file = RuleFile("when = message\n\(line)", name: "rule", path: "rules.d/rule.conf")
        #expect(file.mistakes.map(\.line) == [2])
        #expect(file.mistakes.first?.text.hasPrefix(text) == true, "\(file.mistakes)")
    }

    @Test func oneOf64Kilobytes() {
        let file = RuleFile(
            "when = message\nmatches = \(String(repeating: "(a", count: 32_768))", name: "rule", path: "r")
        #expect(
            file.mistakes.map(\.description) == [
                "r:2: matches, at character 1001: the pattern has 65536 bytes, and may have 1000"
            ])
    }

    /// A file that is no text is out of force.
    @Test func oneThatIsNoUTF8() throws {
        let here = try RulesHere()
        try Data("when = message\nmatches = a".utf8 + [0xFF, 0xC3]).write(
            to: URL(fileURLWithPath: "\(here.path)/rule.conf"))
        let file = try #require(here.folder.read().files?.first)
        #expect(file.rule == nil)
        #expect(file.mistakes.first?.text.hasPrefix("cannot be read: it is not UTF-8 text") == true, "\(file.mistakes)")
    }

    @Test func whatHasNoTextHasNoPattern() {
        let file = RuleFile("when = new node\nmatches = a", name: "rule", path: "")
        #expect(file.mistakes.first?.text == "matches cannot be with \"new node\": it has no text; take the line out")
    }
}
