import MeshModel
import Store
import Testing

@testable import Rules

/// The trigger came and a condition failed: which one, with what was found.
@Suite struct ANearMissSaysWhy {
    private func mesh(_ rule: String) throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(["rule": rule])
        try mesh.start()
        return mesh
    }

    @Test(arguments: [
        ("hops = 0..2", "hops 3, wanted 0..2"), ("hops = 1", "hops 3, wanted 1"), ("words = sos", "none of its words"),
        ("ignore = hello", "a word that it ignores"), ("matches = ^sos", "its pattern is not there"),
        ("node = Bob, favourites", "another node, wanted favourites, Bob"),
        ("node = not Anna", "another node, wanted not Anna"), ("channel = 1 2", "channel 0, wanted 1 2"),
        ("role = router tracker", "role client, wanted router tracker"),
        ("radio = Cabin", "another radio, wanted Cabin"),
        ("via = mqtt", "it did not come over MQTT"),
    ])
    func ofAMessage(_ line: String, _ why: String) throws {
        let mesh = try mesh("when = message\n\(line)")
        try mesh.write("hello", id: 1) { ($0.hopStart, $0.hopLimit) = (3, 0) }
        #expect(mesh.misses() == [why])
        let miss = try #require(mesh.nearMisses().first)
        #expect(miss.node == anna && miss.messageID?.hasSuffix("_1") == true && miss.source == home)
        #expect(miss.need == .message(channel: 0) && miss.at == mesh.now.at)
        #expect(mesh.told() == [])
    }

    @Test func ofAMessageThatIsOtherwise() throws {
        let mesh = try mesh("when = message")
        try mesh.write("hello", id: 1) { $0.viaMQTT = true }
        try mesh.write("hello", id: 2) { $0.isTapback = true }
        try mesh.write("hello", id: 3) { $0.spoofSuspected = true }
        #expect(
            mesh.misses()
                == ["its sender is in doubt", "a reaction, and tapbacks = yes is not set", "it came over MQTT"])
        #expect(mesh.told() == [])
    }

    @Test func ofAMute() throws {
        let mesh = try mesh("when = message")
        let eight = noon + 20 * hour
        for (mute, why) in [
            (Mute.until(eight), "muted until \(localTime(eight, from: noon))"), (.forGood, "muted"),
            (.until(noon + 72 * hour), "muted until \(localTime(noon + 72 * hour, from: noon))"),
        ] {
            mesh.mutes = [.channel(0): mute]
            try mesh.write("hello", id: PacketID(mesh.nearMisses().count + 1))
            #expect(mesh.misses().first == why)
        }
        // Another day has its date, which is the 29th far in the east.
        #expect(localTime(noon + 72 * hour, from: noon).hasPrefix("2026-11-2"))
    }

    @Test func ofAMutedOrIgnoredNode() throws {
        let mesh = try mesh("when = message")
        try mesh.hear(anna) { $0.isMuted = true }
        try mesh.hear(bob) { $0.isIgnored = true }
        try mesh.write("hello", id: 1)
        try mesh.write("hello", from: bob, id: 2)
        #expect(mesh.misses() == ["the node is ignored", "the node is muted"])
    }

    /// What lasts is there once.
    @Test func ofAnEpisodeThatLasts() throws {
        let mesh = try mesh("when = battery below 20 %")
        try mesh.measure(anna, ["batteryLevel": 15])
        #expect(mesh.misses() == [])
        for level in [14, 13, 12] as [Double] {
            try mesh.pass(minute)
            try mesh.measure(anna, ["batteryLevel": level])
        }
        #expect(mesh.misses() == ["still the same episode, since \(localTime(mesh.now.at - 3 * minute))"])
        #expect(mesh.nearMisses().first?.at == mesh.now.at)
    }

    @Test func ofWhatHeldBefore() throws {
        let mesh = FakeMesh()
        try mesh.start()
        try mesh.hear(anna) { ($0.announcedKey, $0.channel) = (PublicKey.of(9), 3) }
        try mesh.use(["rule": "when = key changed"])
        #expect(mesh.misses() == ["it was so already when the rule was read"])
        #expect(mesh.nearMisses().map(\.need) == [.node(channel: 3)])
    }

    /// And of what holds when changes were missed; its end is told to the same readers.
    @Test func ofWhatCameUnseen() throws {
        let mesh = try mesh("when = key changed\nresolved = yes")
        try mesh.hear(anna) { ($0.announcedKey, $0.channel) = (PublicKey.of(9), 3) }
        try mesh.happen(Happening(.key, at: mesh.now.at, source: home, node: anna, name: "key-changed"))
        try mesh.hear(bob) { ($0.announcedKey, $0.channel) = (PublicKey.of(8), 4) }
        mesh.nodes[home]?[anna]?.announcedKey = nil
        try mesh.engine.missed(isUnknown: false, mesh, at: mesh.now)
        mesh.settle()
        #expect(mesh.firings.map(\.row.needs) == [[.node(channel: 3)], [.node(channel: 3)]])
        #expect(mesh.nearMisses().map(\.need) == [.node(channel: 4)])
    }

    @Test func ofAYoungGateway() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = battery below 20 %"])
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        try mesh.link("live")
        try mesh.measure(anna, ["batteryLevel": 15])
        #expect(mesh.misses() == ["not yet: the radio is away, or the gateway has just started"])
        try mesh.pass(3 * minute)
        #expect(mesh.told().count == 1)
    }

    /// However often the nodes are looked at.
    @Test func ofASilenceOnce() throws {
        let mesh = try mesh("when = node silent for 6h\nnode = favourites")
        try mesh.hear(anna)
        for _ in 0..<20 {
            try mesh.pass(hour)
            try mesh.hear(bob)
        }
        #expect(mesh.misses() == ["another node, wanted favourites"])
        let miss = try #require(mesh.nearMisses().first)
        #expect(miss.node == anna && abs(miss.at - (noon + 3 * minute + 6 * hour)) <= second)
        try mesh.hear(anna)
        for _ in 0..<7 {
            try mesh.pass(hour)
            try mesh.hear(bob)
        }
        #expect(mesh.nearMisses().first?.at ?? 0 > noon + 20 * hour)
    }

    /// When the folder was read again meanwhile, too.
    @Test func ofASilenceOverAReload() throws {
        let rules = ["rule": "when = node silent for 6h\nnode = favourites"]
        let mesh = FakeMesh()
        try mesh.use(rules)
        try mesh.start()
        try mesh.hear(anna)
        try mesh.pass(5 * hour)
        try mesh.use(rules)
        try mesh.pass(2 * hour)
        #expect(mesh.misses() == ["another node, wanted favourites"])
    }

    @Test func ofAWaypoint() throws {
        let mesh = try mesh("when = waypoint within 10 km")
        try mesh.hear(anna)
        let point = Waypoint(id: 5, latitudeI: 0, longitudeI: 5_000_000, name: "Far")
        try mesh.point(point)
        try mesh.hear(ownNode) { ($0.latitude, $0.longitude) = (0, 0) }
        try mesh.pass(second)
        try mesh.point(point)
        #expect(mesh.misses() == ["too far away, wanted 10 km at most", "nobody knows where the radio is"])
        #expect(mesh.nearMisses().map(\.need) == [.waypoint(channel: 0), .waypoint(channel: 0)])
    }

    @Test func ofACircle() throws {
        let mesh = try mesh("when = enters circle 0,0 2 km")
        try mesh.locate(anna, 0, 0.05)
        #expect(mesh.misses() == [])
        try mesh.locate(anna, 0, 0.005)
        #expect(mesh.misses() == ["only one report says so: two in a row, or ten minutes, are needed"])
        try mesh.locate(anna, 0, 0.05)
        try mesh.use(["rule": "when = enters circle 0,0 2 km\nnode = Bob"])
        #expect(mesh.misses() == [])
        try mesh.locate(anna, 0, 0.005)
        #expect(mesh.misses() == ["another node, wanted Bob"])
    }

    /// It was counted when it was inside, and is not when it leaves.
    @Test func ofALeaving() throws {
        let mesh = try mesh("when = leaves circle 0,0 2 km\nhops = 0..2")
        try mesh.hear(anna) { $0.hopsAway = 1 }
        for _ in 0..<2 { try mesh.locate(anna, 0, 0.005) }
        mesh.nodes[home]?[anna]?.hopsAway = 3
        try mesh.locate(anna, 0, 0.05, on: 4)
        #expect(mesh.misses() == ["hops 3, wanted 0..2"])
        #expect(mesh.nearMisses().map(\.need) == [.node(channel: 4)])
        // Who was never inside does not leave.
        try mesh.locate(bob, 0, 0.05)
        #expect(mesh.misses().count == 1)
    }

    @Test func ofABlurredPlace() throws {
        let mesh = try mesh("when = leaves circle 0,0 2 km")
        try mesh.locate(anna, 0, 0.04, bits: 13)
        #expect(mesh.misses() == [], "it was not inside")
        for _ in 0..<2 { try mesh.locate(anna, 0, 0.005, bits: 13) }
        try mesh.locate(anna, 0, 0.04, bits: 13, on: 4)
        #expect(mesh.misses() == ["its place is blurred: some of where it may be is inside"])
        #expect(mesh.nearMisses().map(\.need) == [.node(channel: 4)])
    }

    @Test func ofARadio() throws {
        let mesh = try mesh("when = problem region-unset\nradio = Cabin")
        try mesh.happen(Happening(.problem, at: mesh.now.at, source: home, name: "region-unset"))
        #expect(mesh.misses() == ["another radio, wanted Cabin"])
        #expect(mesh.nearMisses().first?.need == .info)
    }

    /// What nobody waits for is no near miss.
    @Test func ofATriggerThatCame() throws {
        let mesh = try mesh("when = battery below 20 %\nnode = favourites")
        try mesh.measure(anna, ["batteryLevel": 80])
        try mesh.write("hello", id: 1)
        #expect(mesh.misses() == [])
        try mesh.measure(anna, ["batteryLevel": 10])
        #expect(mesh.misses() == ["another node, wanted favourites"])
    }

    @Test func fiftyAreKept() throws {
        let mesh = try mesh("when = message\nwords = sos")
        for id in 1...120 as ClosedRange<UInt32> { try mesh.write("hello", id: id) }
        let all = mesh.nearMisses()
        #expect(all.count == 50)
        #expect(all.first?.messageID?.hasSuffix("_120") == true && all.last?.messageID?.hasSuffix("_71") == true)
    }

    /// A rule that is written otherwise is a new one.
    @Test func ofTheRuleAsItIs() throws {
        let mesh = try mesh("when = message\nwords = sos")
        try mesh.write("hello", id: 1)
        try mesh.use(["rule": "when = message\nwords = help"])
        #expect(mesh.misses() == [])
    }
}

extension FakeMesh {
    func nearMisses() -> [NearMiss] {
        engine.active.first { $0.rule.name == "rule" }.map { near.all(of: $0.rule) } ?? []
    }

    func misses() -> [String] { nearMisses().map(\.condition) }
}
