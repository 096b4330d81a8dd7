import MeshModel
import Store
import Testing

@testable import Rules

/// A notification says in its title what has happened, and in its message what the title has not said yet.
@Suite struct ANotificationSaysWhatHasHappened {
    private let mesh = FakeMesh()

    private func told(_ rule: String, _ events: () throws -> Void) throws -> [[String]] {
        try mesh.use(["rule": rule])
        try mesh.start()
        try mesh.hear(anna) { ($0.hopsAway, $0.hardwareModel) = (2, 43) }
        try mesh.pass(hour)
        _ = mesh.told()
        try events()
        let words = mesh.firings.map { [$0.row.title, $0.row.body] }
        for pair in words { #expect(pair[0] != pair[1] && !pair[0].isEmpty, "\(pair)") }
        return words
    }

    private func time(_ ago: Int64) -> String { localTime(mesh.now.at - ago, from: mesh.now.at) }

    @Test func aProblemInTheWordsOfStatus() throws {
        let advice = "The radio has no region set and neither sends nor receives. Set it: mesh-gateway radio config"
        let words = try told("when = problem") {
            let problem = { (kind: Happening.Kind) in
                try mesh.happen(Happening(kind, at: mesh.now.at, source: home, name: "region-unset", text: advice))
            }
            try problem(.problem)
            try problem(.solved)
        }
        #expect(
            words == [
                ["The radio has no region set and neither sends nor receives", "Set it: mesh-gateway radio config"],
                ["Solved: The radio has no region set and neither sends nor receives", ""],
            ])
    }

    @Test func aProblemOfTheGatewayToo() throws {
        mesh.advice = ["rule-broken": "A rule's file has a mistake. To see them: mesh-gateway rule list"]
        let words = try told("when = problem\ntitle = {value}!") { try mesh.gateway(has: ["rule-broken"]) }
        #expect(words == [["rule-broken!", "To see them: mesh-gateway rule list"]], "its value is its name")
    }

    /// With several radios it says which one is meant.
    @Test func ofWhichRadio() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.use(["rule": "when = problem"])
        try mesh.start([home, cabin])
        let text = "The radio stopped. Press its button."
        try mesh.happen(Happening(.problem, at: mesh.now.at, source: cabin, name: "not-responding", text: text))
        #expect(mesh.firings.map(\.row.title) == ["Cabin: The radio stopped"])
    }

    @Test func aRadioThatIsLostAndBack() throws {
        var beginning = ""
        let words = try told("when = radio lost for 2m") {
            try mesh.link("lost")
            beginning = time(0)
            try mesh.pass(125 * minute)
            try mesh.link("live")
        }
        #expect(
            words == [
                [
                    "The radio Home is lost",
                    "Since \(beginning). Look whether it has power and is connected; mesh-gateway doctor says more.",
                ],
                ["The radio Home is back", "It was away for 2 h 5 min, since \(beginning)."],
            ])
    }

    @Test func aRadioOfNoSourceNameByItsOwn() throws {
        mesh.found[0].source.name = "Default"
        let words = try told("when = radio back after 1m") {
            try mesh.link("lost")
            try mesh.pass(3 * minute)
            try mesh.link("live")
        }
        #expect(words[0][0] == "The radio Base Camp is back" && words[0][1].hasPrefix("It was away for 3 min, since "))
    }

    @Test func aNodeThatIsBack() throws {
        let words = try told("when = node back after 6h") {
            try mesh.pass(30 * hour)
            try mesh.hear(anna)
        }
        #expect(words == [["Anna is back", "It was silent for 1 d 7 h."]])
    }

    @Test func whenASilentOneWasHeardLast() throws {
        let words = try told("when = node silent for 1d\nresolved = yes") {
            try mesh.pass(30 * hour)
            try mesh.hear(anna)
        }
        #expect(words[0][0] == "Anna has been silent for 24 h" || words[0][0] == "Anna has been silent for 1 d")
        // Of another day, and so with its day.
        #expect(words[0][1].hasPrefix("Last heard: 2026-11-25 "))
        #expect(words[1] == ["Anna was heard again", "It was silent for 1 d 7 h."])
    }

    @Test func aNewNodeWithoutItsPlace() throws {
        let words = try told("when = new node") {
            try mesh.hear(bob) { node in
                (node.hopsAway, node.hardwareModel, node.latitude, node.longitude) = (3, 43, 47.05, 8.31)
            }
            try mesh.hear(NodeNumber(0xCA71_0003)) { $0.hopsAway = 0 }
        }
        #expect(
            words == [
                ["New node: Bob", "3 hops away, Heltec V3, !b0b00002"], ["New node: Node !ca710003", "Heard directly"],
            ])
    }

    @Test func bothNamesOfANode() throws {
        let words = try told("when = name changed") {
            let text = "Anna is called Summit, SUM now"
            try mesh.hear(anna) { $0.longName = "Summit" }
            try mesh.happen(Happening(.renamed, at: mesh.now.at, source: home, node: anna, text: text))
        }
        #expect(words == [["Anna is called Summit, SUM now", "!a11ce001"]])
    }

    @Test(arguments: [
        ("battery below 20 %", "batteryLevel", 19, "Anna: battery 19 %", "It is below 20 %."),
        ("voltage below 3.5 V", "voltage", 3.4, "Anna: voltage 3.4 V", "It is below 3.5 V."),
    ])
    func aValueWithItsUnit(_ when: String, _ name: String, _ value: Double, _ title: String, _ body: String) throws {
        #expect(try told("when = \(when)") { try mesh.measure(anna, [name: value]) } == [[title, body]])
    }

    @Test func aValueThatHasLasted() throws {
        let words = try told("when = channel use above 25 % for 15m\nnode = Anna") {
            for _ in 0..<2 {
                try mesh.measure(anna, ["channelUtilization": 40])
                try mesh.pass(15 * minute)
            }
        }
        #expect(words == [["Anna: channel use 40 %", "It has been above 25 % for 15 min."]])
    }

    @Test func aBatteryThatIsCharged() throws {
        let words = try told("when = battery below 20 %\nresolved = yes") {
            try mesh.measure(anna, ["batteryLevel": 10])
            try mesh.measure(anna, ["batteryLevel": 101])
        }
        #expect(words.last == ["Anna has external power", "Its battery was below 20 %."])
    }

    @Test func aCircleByItsName() throws {
        let words = try told("when = enters circle 47.05,8.31 2 km Summit hut, north") {
            for _ in 0..<2 { try mesh.locate(anna, 47.2, 8.31) }
            for _ in 0..<2 { try mesh.locate(anna, 47.05, 8.31) }
        }
        #expect(words == [["Anna has entered Summit hut, north", "It is 0 m from the middle."]])
    }

    /// Every problem has words for the time when nobody has its sentence any more.
    @Test func everyProblemHasWords() {
        for kind in Problem.Kind.allCases { #expect((kind.words != nil) == kind.isForRules, "\(kind.rawValue)") }
    }

    /// The last names may be only counted.
    @Test func aDigestNamesFavouritesFirst() throws {
        try mesh.use(["rule": "when = at 7:00"])
        mesh.engine.zone = LocalZone { _ in 0 }
        try mesh.start()
        for number in 1...7 as ClosedRange<UInt32> {
            try mesh.hear(NodeNumber(0x100 + number)) { node in
                (node.longName, node.isFavorite) = ("N\(number)", number == 7)
            }
        }
        let digest = try mesh.digest(since: noon, until: mesh.now.at)
        #expect(digest.body == "New: N7, N1, N2, N3, N4 and 2 more")
    }
}
