import MeshModel
import Testing

@testable import Rules

/// Lists are written as people write them: with commas, or with blanks where no name can have one.
@Suite struct AListTakesCommas {
    private func rule(_ text: String) throws -> Rule {
        let file = RuleFile(text, name: "rule", path: "")
        return try #require(file.rule, "\(file.mistakes)")
    }

    @Test(arguments: ["help, sos", "help sos", "help,sos", " help ,  sos ,", "sos\thelp"])
    func words(_ list: String) throws {
        for key in ["words", "ignore"] {
            let mesh = FakeMesh()
            try mesh.use(["rule": "when = message\n\(key) = \(list)"])
            try mesh.start()
            for (id, text) in ["help!", "an SOS", "hello"].enumerated() { try mesh.write(text, id: PacketID(id + 1)) }
            #expect(mesh.firings.map(\.row.body) == (key == "words" ? ["help!", "an SOS"] : ["hello"]))
        }
    }

    @Test(arguments: [
        ("0, Hikers", ["0", "Hikers"]), ("0 Hikers", ["0", "Hikers"]), ("LongFast,Rescue", ["LongFast", "Rescue"]),
        ("Big Rescue, 1", ["Big Rescue", "1"]), ("Big Rescue,", ["Big Rescue"]),
        ("101 MediumTurbo", ["101", "MediumTurbo"]),
    ])
    func channels(_ list: String, _ expected: [String]) throws {
        #expect(try rule("when = message on \(list)").when == .message(expected))
        #expect(try rule("when = message\nchannel = \(list)").conditions.channels == expected)
    }

    @Test func rolesRadiosAndNodes() throws {
        #expect(try rule("when = new node\nrole = router, tracker").conditions.roles == [2, 5])
        #expect(try rule("when = new node\nrole = router tracker").conditions.roles == [2, 5])
        #expect(try rule("when = new node\nradio = On the roof, Cabin").conditions.radios == ["On the roof", "Cabin"])
        #expect(try rule("when = new node\nnode = not Big Hut, Anna").conditions.nodes?.names == ["Big Hut", "Anna"])
    }

    @Test(arguments: ["mqtt:club mqtt:news", "mqtt:club,mqtt:news", " mqtt:club , mqtt:news,"])
    func conversations(_ list: String) throws {
        #expect(try rule("when = message on \(list)").when == .conversations(["club", "news"]))
    }

    /// A channel that was named with a comma never fired.
    @Test func aMessageOnOneOfThem() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = message\nchannel = LongFast, Rescue"])
        try mesh.start()
        try mesh.write("x", id: 1)
        #expect(mesh.told() == ["Anna on LongFast"])
    }

    private static let many = (1...501).map { "n\($0)" }.joined(separator: ",")

    @Test(arguments: [
        ("when = message\nwords = \(many)", "words has 501 names; at most 500 can be, so make two rules of it"),
        ("when = message\nignore = \(many)", "ignore has 501 names"),
        ("when = message\nnode = \(many)", "node has 501 names"),
        ("when = message\nradio = \(many)", "radio has 501 names"),
        ("when = message\nchannel = \(many)", "channel has 501 names"),
        ("when = message on \(many)", "message on has 501 names"), ("when = message\nwords = ,", "words has no word"),
        ("when = message\nrole = ,", "role has no word"), ("when = message\nradio = ,", "radio names nobody"),
        ("when = message\nchannel = ,", "channel names no channel"),
        (
            "when = message\nchannel = Rescue Hikers, 0",
            "channel \"Rescue Hikers\" has more than the 11 bytes of a channel's name; between two names write a comma"
        ),
        (
            "when = message on Mountaineers",
            "message on \"Mountaineers\" has more than the 11 bytes of a channel's name"
        ),
        ("when = message on Käferfreund", "message on \"Käferfreund\" has more than the 11 bytes"),
        (
            "when = message\nchannel = 8",
            "channel 8: no channel has this number; a radio's are 0 to 7, those of the channel"
        ),
        ("when = message on 100", "message on 100: no channel has this number"),
        ("when = message on -1", "message on -1: no channel has this number"),
        (
            "when = message on mqtt:club, 0",
            "message on 0: a channel cannot be beside conversations over brokers; make two rules of it"
        ),
        ("when = message on mqtt:club Hikers", "message on Hikers: a channel cannot be beside conversations"),
        (
            "when = message on Hikers, mqtt:club",
            "message on mqtt:club: a conversation over a broker is no channel; write: when = message on mqtt:club"
        ),
        ("when = message\nchannel = mqtt:club", "channel mqtt:club: a conversation over a broker is no channel"),
        (
            "when = message on mqtt:Club",
            "message on mqtt:Club: the name behind mqtt: has 1 to 32 of the characters a to z, 0 to 9 and -"
        ),
        ("when = message on mqtt:", "message on mqtt:: the name behind mqtt: has 1 to 32"),
    ])
    func aMistake(_ text: String, _ words: String) {
        let file = RuleFile(text, name: "rule", path: "")
        #expect(file.rule == nil && file.mistakes.first?.text.hasPrefix(words) == true, "\(file.mistakes)")
    }

    @Test func fiveHundredAreNoMistake() throws {
        let list = (1...500).map { "n\($0)" }.joined(separator: ", ")
        for key in ["words", "ignore", "node", "radio", "channel"] { _ = try rule("when = message\n\(key) = \(list)") }
    }

    /// A battery that was weak is well a tenth of a volt further, not a whole one.
    @Test func voltsEndATenthFurther() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = voltage below 3.5\nresolved = yes"])
        try mesh.start()
        for value in [3.4, 3.55, 3.61] { try mesh.measure(anna, ["voltage": value]) }
        #expect(mesh.told() == ["begins: Anna: voltage 3.4 V", "ends: Anna: voltage 3.61 V again"])
    }
}
