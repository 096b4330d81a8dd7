import MeshModel
import Testing

@testable import Rules

/// What a rule sends is one packet, whatever strangers call themselves.
@Suite struct ATextIsFilledInAsItLeaves {
    private var values: TemplateValues {
        var values = TemplateValues()
        (values.node, values.short, values.id) = ("Summit hut", "HUT", "!a1b2c3d4")
        (values.hops, values.snr, values.rssi) = (2, -4.25, -91)
        (values.channel, values.channelNumber, values.radio, values.relay) = ("Hikers", 1, "Home", "BOB")
        // Half past eight of a summer's day, two hours ahead of UTC.
        (values.at, values.zone) = (1_784_960_100_000, LocalZone { _ in 7_200 })
        (values.value, values.nodes, values.direct, values.known) = ("19 %", 15, 4, 61)
        (values.uptime, values.version) = (7_500_000, "1.2.3")
        values.found = ["city": "New York"]
        return values
    }

    private func filled(_ text: String, _ edit: (inout TemplateValues) -> Void = { _ in }) throws -> String {
        var values = values
        edit(&values)
        return try Template(text, "reply", names: ["city", "day"]).filled(values)
    }

    @Test(arguments: [
        ("node", "Summit hut"), ("short", "HUT"), ("id", "!a1b2c3d4"), ("hops", "2"), ("snr", "-4.3"), ("rssi", "-91"),
        ("channel", "Hikers"), ("radio", "Home"), ("relay", "BOB"), ("time", "8:15"), ("date", "2026-07-25"),
        ("value", "19 %"), ("nodes", "15"), ("direct", "4"), ("uptime", "2 h 5 min"), ("version", "1.2.3"),
        ("city", "New York"), ("day", ""), ("LONG_NAME", "Summit hut"), ("SHORT_NAME", "HUT"), ("NODE_ID", "!a1b2c3d4"),
        ("HOPS", "2"), ("NUMBER_HOPS", "2"), ("RABBIT_HOPS", "🐇🐇"), ("SNR", "-4.3"), ("RSSI", "-91"),
        ("LAST_HOP", "BOB"), ("CHANNEL", "Hikers"), ("TRANSPORT", "LoRa"), ("DATE", "2026-07-25"), ("TIME", "8:15"),
        ("NODECOUNT", "15"), ("ONLINENODES", "15"), ("TOTALNODES", "61"), ("DIRECTCOUNT", "4"),
        ("DURATION", "2 h 5 min"), ("VERSION", "1.2.3"),
    ])
    func eachName(_ name: String, _ expected: String) throws {
        #expect(try filled("a {\(name)} b") == "a \(expected) b")
        #expect(try filled("{\(name)}{\(name)}") == expected + expected)
    }

    @Test func whatIsUnknown() throws {
        let nothing = TemplateValues()
        let text = try Template("{hops} {snr} {rssi} {relay} {channel} {RABBIT_HOPS}", "reply")
        #expect(text.filled(nothing) == "N/A N/A N/A N/A N/A N/A")
        #expect(try Template("{value}", "reply").filled(nothing) == "")
        #expect(try filled("{channel}") { $0.isDirect = true } == "DM")
        #expect(try filled("{channel}") { $0.channel = nil } == "channel 1")
        #expect(try filled("{RABBIT_HOPS} {hops}") { $0.hops = 0 } == "🎯 0")
        #expect(try filled("{TRANSPORT}") { $0.viaMQTT = true } == "MQTT")
        #expect(try filled("{snr}") { $0.snr = -0.04 } == "0.0")
        #expect(try filled("{snr}") { $0.snr = 6 } == "6.0")
        #expect(try filled("{snr}") { $0.snr = .infinity } == "N/A")
    }

    @Test(arguments: [
        ("{value}", "{value}"), ("{node}", "{node}"), ("{{city}}", "{{city}}"), ("a\nb", "a b"), ("a\r\nb", "a b"),
        ("a\u{2028}b\u{85}c", "a b c"), ("a\u{7}\u{1B}[31mb\u{0}", "a[31mb"), ("\u{202E}abc\u{2066}", "abc"),
        ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"), ("\u{9B}x\u{7F}", "x"),
    ])
    func namesOfStrangers(_ name: String, _ expected: String) throws {
        #expect(try filled("Hi {node}!") { $0.node = name } == "Hi \(expected)!")
        #expect(try filled("Hi {city}!") { $0.found["city"] = name } == "Hi \(expected)!")
        #expect(try filled("Hi {relay}!") { $0.relay = name } == "Hi \(expected)!")
    }

    @Test func onePacket() throws {
        let hundred = String(repeating: "a", count: 100)
        #expect(try filled(hundred + hundred) == hundred + hundred)
        #expect(try filled(hundred + hundred + "a") == hundred + String(repeating: "a", count: 97) + "…")
        // Families of 25 bytes: seven of them are 175, an eighth would be 200, and "…" takes three.
        let family = "👩‍👩‍👧‍👦"
        let many = String(repeating: family, count: 12)
        #expect(family.utf8.count == 25)
        #expect(try filled("{node}") { $0.node = many } == String(repeating: family, count: 7) + "…")
        #expect(try filled("{node}") { $0.node = String(repeating: family, count: 8) }.utf8.count == 200)
        // One character, of 1 and 150 times 2 bytes.
        let tower = "e" + String(repeating: "\u{301}", count: 150)
        let cut = try filled("{node}") { $0.node = tower }
        #expect(cut.utf8.count == 200 && Array(cut.unicodeScalars.suffix(2)) == ["\u{301}", "…"])
        #expect(try filled("  {node}  ") { $0.node = " x " } == "x")
        #expect(try filled("{value}") { $0.value = "\n \t" } == "")
    }

    @Test func whatItNeeds() throws {
        #expect(try Template("{NODECOUNT}", "send").countsNodes && !Template("{node}", "send").countsNodes)
        #expect(try Template("{LAST_HOP}", "send").asksRelay && !Template("relay", "send").asksRelay)
    }

    @Test(
        arguments: [
            (0, "*️⃣"), (1, "1️⃣"), (7, "7️⃣"), (8, nil), (nil, nil),
        ] as [(UInt32?, String?)])
    func hopsAsAReaction(_ hops: UInt32?, _ emoji: String?) throws {
        #expect(try Acting.Reaction(words: "hops").emoji(hops: hops) == emoji)
        #expect(try Acting.Reaction(words: "👍🏽").emoji(hops: hops) == "👍🏽")
        #expect(emoji?.isOneEmoji != false)
    }
}
