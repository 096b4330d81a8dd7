import MeshModel
import Store
import Testing

@testable import Rules

/// What has no end is told each time: once, whichever radio heard it, and to nobody who does not want it.
@Suite struct AnEventIsToldEachTime {
    private func mesh(_ text: String, radios: [SourceID] = [home]) throws -> FakeMesh {
        let mesh = FakeMesh(radios: radios)
        try mesh.use(["rule": text])
        try mesh.start(radios)
        try mesh.hear(anna)
        _ = mesh.told()
        return mesh
    }

    @Test func onceOfTwoRadios() throws {
        let mesh = try mesh("when = message", radios: [home, cabin])
        try mesh.write("hello", id: 7, home)
        try mesh.write("hello", id: 7, cabin)
        try mesh.write("hello", id: 8, cabin)
        #expect(mesh.told() == ["Anna on LongFast", "Anna on LongFast"])
    }

    @Test func aNewNodeOnce() throws {
        let mesh = try mesh("when = new node", radios: [home, cabin])
        try mesh.hear(bob, home)
        try mesh.pass(hour)
        try mesh.hear(bob, cabin)
        #expect(mesh.told() == ["New node: Bob"])
        try mesh.hear(NodeNumber(0x1234_5678), cabin) { $0.viaMQTT = true }
        #expect(mesh.told() == [], "what came over MQTT")
    }

    @Test func aChannelsMessages() throws {
        let mesh = try mesh("when = message on 0 Hikers")
        for channel in [-1, 0, 1, 2, 3] { try mesh.write("x", channel: channel, id: PacketID(channel + 10)) }
        #expect(mesh.told() == ["Anna on LongFast", "Anna on Hikers"], "\"hikers\" is another channel")
    }

    @Test func aMention() throws {
        let mesh = try mesh("when = mention")
        let texts = [
            "base: hello", "database", "Hello Base Camp!", "basecamp", "an der Basis", "bÄSE", "are you there, BASE?",
        ]
        for (id, text) in texts.enumerated() { try mesh.write(text, id: PacketID(id + 1)) }
        try mesh.write("BASE", channel: -1, id: 99)
        #expect(mesh.firings.map(\.row.body) == ["base: hello", "Hello Base Camp!", "are you there, BASE?"])
    }

    @Test func notOwnTextsNorForgedOnes() throws {
        let mesh = try mesh("when = message")
        try mesh.write("own", id: 1) { $0.isOwn = true }
        try mesh.write("forged", id: 2) { $0.spoofSuspected = true }
        try mesh.write("own number", from: ownNode, id: 3)
        try mesh.write("👍", id: 4) { $0.isTapback = true }
        #expect(mesh.told() == [])
    }

    @Test(arguments: [
        ("node = favourites", []), ("node = not favourites", ["Anna", "Bob"]), ("node = bob", ["Bob"]),
        ("node = !b0b00002, Carl", ["Bob"]), ("node = not Bob", ["Anna"]), ("hops = 0..1", ["Anna"]),
        ("hops = 3", ["Bob"]), ("role = router", ["Bob"]), ("channel = 1", []), ("radio = Cabin", []),
        ("radio = home", ["Anna", "Bob"]), ("words = sos help", ["Anna"]), ("ignore = sos", ["Bob"]),
        ("via = mqtt", []), ("tapbacks = yes", ["Anna", "Bob"]),
    ])
    func conditions(_ line: String, _ senders: [String]) throws {
        let mesh = try mesh("when = message\n\(line)")
        try mesh.hear(bob) { $0.role = 2 }
        try mesh.write("Help! SOS.", id: 1) { ($0.hopStart, $0.hopLimit) = (3, 3) }
        try mesh.write("helpful", from: bob, id: 2) { ($0.hopStart, $0.hopLimit) = (3, 0) }
        #expect(mesh.told() == senders.map { "\($0) on LongFast" })
    }

    @Test func mutesSilenceAllButWords() throws {
        let mesh = FakeMesh()
        try mesh.use(["any": "when = message", "words": "when = message\nwords = sos"])
        try mesh.start()
        mesh.mutes = [.channel(0): .until(mesh.now.at + hour)]
        try mesh.write("sos", id: 1)
        #expect(mesh.firings.map(\.row.rule) == ["words"])
        try mesh.pass(2 * hour)
        try mesh.write("hello", id: 2)
        #expect(mesh.firings.map(\.row.rule) == ["words", "any"])
        try mesh.hear(anna) { $0.isMuted = true }
        try mesh.write("hello", id: 3)
        #expect(mesh.firings.count == 2)
    }

    /// Over MQTT direct messages count, and nothing else, unless the rule says so.
    @Test func overMQTT() throws {
        let mesh = FakeMesh()
        try mesh.use(["direct": "when = direct message", "any": "when = message", "mqtt": "when = message\nvia = mqtt"])
        try mesh.start()
        try mesh.write("x", channel: -1, id: 1) { $0.viaMQTT = true }
        try mesh.write("x", channel: 0, id: 2) { $0.viaMQTT = true }
        #expect(mesh.firings.map(\.row.rule) == ["direct", "mqtt"])
    }

    @Test func wordsOfAScriptWithoutBlanks() throws {
        let mesh = try mesh("when = message\nwords = 助け ช่วย")
        try mesh.write("誰か助けてください", id: 1)
        try mesh.write("ขอความช่วยเหลือ", id: 2)
        #expect(mesh.told().count == 2)
    }

    @Test func aWaypointUnlessItIsSentAgain() throws {
        let mesh = try mesh("when = waypoint")
        var point = Waypoint(id: 5, latitudeI: 1, longitudeI: 2, name: "Hut")
        try mesh.point(point)
        try mesh.point(point)
        point.latitudeI = 3
        try mesh.point(point)
        #expect(mesh.told() == ["Anna shares a waypoint: Hut", "Anna shares a waypoint: Hut"])
    }

    @Test func uptimeThatGoesBack() throws {
        let mesh = try mesh("when = rebooted")
        for uptime in [1_000, 2_000, 100, 200] as [Double] {
            try mesh.measure(anna, ["uptimeSeconds": uptime])
            try mesh.pass(10 * minute)
        }
        try mesh.happen(Happening(.restart, at: mesh.now.at, source: home))
        #expect(mesh.told() == ["Anna has started again", "Base Camp has started again"])
    }

    /// Each radio hears of it a few seconds after the other, around the end of a minute.
    @Test(arguments: 0..<30 as Range<Int64>) func aRestartThatTwoRadiosHear(_ offset: Int64) throws {
        let mesh = try mesh("when = rebooted", radios: [home, cabin])
        try mesh.pass(offset * 2 * second)
        for radio in [home, cabin] { try mesh.measure(bob, ["uptimeSeconds": 9_000], radio) }
        try mesh.pass(hour)
        try mesh.measure(bob, ["uptimeSeconds": 40], home)
        try mesh.pass(5 * second)
        try mesh.measure(bob, ["uptimeSeconds": 40], cabin)
        #expect(mesh.told() == ["Bob has started again"])
        try mesh.pass(10 * minute)
        try mesh.measure(bob, ["uptimeSeconds": 20], cabin)
        #expect(mesh.told() == ["Bob has started again"])
    }

    @Test func aWaypointOnAMutedChannel() throws {
        let mesh = FakeMesh()
        try mesh.use(["any": "when = waypoint", "words": "when = waypoint\nwords = hut"])
        try mesh.start()
        try mesh.hear(anna)
        mesh.mutes = [.channel(0): .until(mesh.now.at + hour)]
        try mesh.point(Waypoint(id: 5, latitudeI: 1, longitudeI: 2, name: "Hut"))
        #expect(mesh.firings.map(\.row.rule) == ["words"])
    }

    @Test func anotherName() throws {
        let mesh = try mesh("when = name changed")
        try mesh.happen(
            Happening(.renamed, at: mesh.now.at, source: home, node: anna, text: "Annie is called Anna now"))
        #expect(mesh.firings.map(\.row.title) == ["Annie is called Anna now"])
    }

    @Test func aRadioThatComesBack() throws {
        let mesh = try mesh("when = radio back after 10m")
        for away in [5, 15] as [Int64] {
            try mesh.link("lost")
            try mesh.pass(away * minute)
            try mesh.link("live")
        }
        #expect(mesh.told() == ["The radio Home is back"])
    }

    @Test func aTitleOfItsOwn() throws {
        let mesh = try mesh("when = battery below 20 %\ntitle = {node}: only {value}")
        try mesh.hear(anna) { $0.longName = "{value}" }
        try mesh.measure(anna, ["batteryLevel": 7])
        #expect(mesh.told() == ["begins: {value}: only 7 %"])
    }
}
