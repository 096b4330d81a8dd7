import Testing

@testable import Rules

/// Each mistake of a rule's file is a line FILE:LINE: that says what would be right there.
@Suite struct ARuleThatCannotBeSaysWhatToWrite {
    @Test(arguments: [
        ("", ": it does not say when; write for example: when = battery below 20 %"),
        ("node = Anna", ": it does not say when; write for example: when = battery below 20 %"),
        ("when", ":1: a line is KEY = VALUE or a comment after #"),
        ("when = node quiet", ":1: \"node quiet\" is no trigger; write one of: "),
        ("when = node silnt for 6h", ":1: \"node silnt for 6h\" is no trigger; did you mean \"node silent for\"?"),
        ("when = node silent", ":1: \"node silent\" says no time; write for example: node silent for 6h"),
        ("when = node silent for 6", ":1: \"6\" is no time; write a whole number with s, m, h, d or w"),
        ("when = node silent for 1.5h", ":1: \"1.5h\" is no time"),
        ("when = node silent for 0s", ":1: \"0s\" is no time"),
        ("when = node silent for 521w", ":1: \"521w\" is no time"),
        ("when = battery below", ":1: \"battery below\" says no limit; write for example: battery below 20 %"),
        ("when = battery below ten %", ":1: \"ten\" is no number; write for example: battery below 20 %"),
        ("when = battery below nan", ":1: \"nan\" is no number"),
        ("when = battery below 20 V", ":1: \"V\" behind the number: battery is measured in %"),
        (
            "when = temprature below 0",
            ":1: \"temprature\" is no value that nodes measure; did you mean \"temperature\"?"
        ),
        ("when = problem disk-failing", ":1: problem disk-failing has a trigger of its own; write: storage failing"),
        ("when = problem No", ":1: problem \"No\" is no name of a problem"),
        ("when = mention\nagain = mention", ":2: again cannot be with \"mention\": an event has no end"),
        ("when = mention\nrepeat = 1h", ":2: repeat cannot be with \"mention\": an event has no end"),
        ("when = new node\nresolved = yes", ":2: resolved cannot be with \"new node\": an event has no end"),
        ("when = node silent for 6h\nagain = 7h", ":2: again cannot be with \"node silent\": only a measured value"),
        ("when = battery below 20 %\nagain = battery above 10 %", ":2: it begins below 20, and would not end there"),
        ("when = battery below 20 %\nagain = battery below 10 %", ":2: it begins below 20, and would not end there"),
        (
            "when = battery below 20 %\nagain = voltage above 4 V",
            ":2: it ends by the value with which it begins, battery"
        ),
        ("when = battery below 20 %\nwords = sos", ":2: words cannot be with \"battery\": it has no text"),
        ("when = storage failing\nnode = Anna", ":2: node cannot be with \"storage failing\": it is about no node"),
        ("when = storage failing\nradio = Home", ":2: radio cannot be with \"storage failing\": it is about no radio"),
        ("when = direct message\nchannel = 0", ":2: channel cannot be with \"direct message\""),
        (
            "when = message on mqtt:club\nnode = Anna",
            ":2: node cannot be with \"message on mqtt:club\": it is about no node; take the line out"
        ),
        ("when = message on mqtt:club\nhops = 0", ":2: hops cannot be with \"message on mqtt:club\""),
        ("when = message on mqtt:club\nvia = mqtt", ":2: via cannot be with \"message on mqtt:club\""),
        ("when = message on mqtt:club\nknown = 7d", ":2: known cannot be with \"message on mqtt:club\""),
        (
            "when = message on mqtt:club\nchannel = 0",
            ":2: channel cannot be with \"message on mqtt:club\": it is about no channel"
        ),
        ("when = message on mqtt:club\nradio = Home", ":2: radio cannot be with \"message on mqtt:club\""),
        (
            "when = message on mqtt:club\ntapbacks = yes",
            ":2: tapbacks cannot be with \"message on mqtt:club\": a broker brings no reactions"
        ),
        ("when = waypoint\ntapbacks = yes", ":2: tapbacks cannot be with \"waypoint\""),
        (
            "when = message\nhops = 2..0",
            ":2: hops cannot be \"2..0\"; write a number from 0 to 7 or two of them, such as 0..2"
        ),
        ("when = message\nhops = 8", ":2: hops cannot be \"8\""),
        ("when = message\nrole = boss", ":2: role \"boss\" is unknown; write one of: client, "),
        ("when = message\nvia = pigeon", ":2: via cannot be \"pigeon\"; write one of: radio, mqtt"),
        ("when = message\nenabled = false", ":2: enabled cannot be \"false\"; write one of: yes, no"),
        ("when = message\npriority = max", ":2: priority cannot be \"max\"; write one of: low, high"),
        (
            "when = message\ntitle = {nod}",
            ":2: the title has \"{nod}\"; it may have {node}, {value}, {channel}, {time}"
        ),
        ("when = message\ntitle = a } b", ":2: the title has \"}\""),
        ("when = message\ntell = My Phone", ":2: tell \"My Phone\" is no target's name"),
        ("when = problem region-unste", ":1: problem \"region-unste\" is no name of a problem; did you mean"),
        ("when = problem Region", ":1: problem \"Region\" is no name of a problem; write one as mesh-gateway status"),
        ("when = problem disk-failing", ":1: problem disk-failing has a trigger of its own; write: storage failing"),
        ("when = message\nnode = !xyz", ":2: node \"!xyz\" is no id"),
        ("when = message\nnode = ,", ":2: node names nobody"),
        ("when = message\nword = sos", ":2: unknown key \"word\"; did you mean \"words\"?"),
        ("when = message\nshout = hello", ":2: unknown key \"shout\"; the keys are when, again"),
        ("when = message\n\nwhen = mention", ":3: \"when\" is already set in line 1; leave one of them"),
        ("when = message\nwords =", ":2: words has no value"),
        ("when = \"message", ":1: the quotation mark is not closed"),
    ])
    func eachWithItsPlace(_ text: String, _ expected: String) {
        let file = RuleFile(text, name: "rule", path: "rules.d/rule.conf")
        #expect(file.rule == nil)
        #expect(file.mistakes.first?.description.hasPrefix("rules.d/rule.conf" + expected) == true, "\(file.mistakes)")
    }

    @Test func allOfThemAtOnce() {
        let file = RuleFile("when = mention\nhops = 9\nvia = x\nfoo = 1", name: "rule", path: "r")
        #expect(file.mistakes.map(\.line) == [2, 3, 4])
    }

    @Test(arguments: ["Battery", "a b", "", "käfer", String(repeating: "a", count: 65)])
    func aNameThatCannotBe(_ name: String) {
        let file = RuleFile("when = mention", name: name, path: "rules.d/\(name).conf")
        #expect(file.rule == nil && file.mistakes.first?.text.hasPrefix("a rule is called after its file") == true)
    }

    @Test(arguments: [
        "node silent for 6h", "battery below 20%", "battery below 20 %", "channel use above 25 %", "air time above 8",
        "temperature below -5.5 °C", "co2 above 1000 ppm", "radio lost", "radio lost for 2m", "storage failing",
        "problem",
        "problem region-unset", "key changed", "direct message", "message", "message on 0 Hikers",
        "message on mqtt:club", "mention",
        "new node", "node introduced",
        "waypoint", "detection", "name changed", "rebooted", "gateway started", "node back after 2d",
        "radio  back   after 90s",
    ])
    func whatCanBe(_ when: String) {
        #expect(RuleFile("when = \(when)", name: "rule", path: "").mistakes == [])
    }

    @Test func theShippedOnesAreRight() {
        for example in ExampleRule.all + ExampleSet.all.flatMap(\.rules) {
            for text in [example.text(), example.text(targets: ["phone"])] {
                #expect(RuleFile(text, name: example.name, path: "").mistakes == [], "\(example.name)")
            }
        }
    }
}
