import Testing

@testable import Rules

/// Each mistake in what a rule is to do is a line FILE:LINE: that says what would be right there.
@Suite struct AnActThatCannotBeSaysWhatToWrite {
    private static let text = "when = direct message\n"

    @Test(arguments: [
        // Which keys go together.
        (
            "when = message\nreply = hi",
            ":2: reply would follow every message; say which, with phrase, words or matches"
        ),
        ("when = message on 0\nreact = 👍", ":2: react would follow every message"),
        ("when = message\nsend = hi\nto = 0", ":2: send would follow every message"),
        ("when = message on mqtt:club\nsend = hi\nto = 0", ":2: send would follow every message"),
        ("when = message\nnode = Anna\nannounce = nodeinfo", ":3: announce would follow every message"),
        (
            "when = message\nphrase = a\nmatches = b\nreact = 👍",
            ":2: phrase cannot be beside matches; leave one of them"
        ),
        ("when = direct message\nreact = 👍\nreply-by = direct", ":3: reply-by cannot be with \"direct message\""),
        ("when = mention\nreact = 👍\nreply-by = direct", ":3: reply-by is for a rule that has reply"),
        ("when = mention\nreply = a\nreply-by = channel", ":3: reply-by cannot be \"channel\"; write one of: direct"),
        ("when = new node\nsend = hi", ":2: send does not say where; write for example: to = 0"),
        ("when = new node\nto = 0", ":2: to is for a rule that acts, by reply, react, send, ask or announce"),
        ("when = mention\nreply = a\nto = 0", ":3: to is for send and announce; take the line out"),
        ("when = new node\ndelay = 10s", ":2: delay is for a rule that acts"),
        ("when = new node\nonce = node", ":2: once is for a rule that acts"),
        ("when = new node\nfeed = yes", ":2: feed is for a rule that acts"),
        ("when = at 7:00\nof = due", ":2: of is for a rule that acts"),
        ("when = new node\nannounce = nodeinfo\nto = sender", ":3: announce goes to a channel"),
        ("when = new node\nannounce = nodeinfo\nto = !a1b2c3d4", ":3: announce goes to a channel"),
        ("when = at 7:00\nask = position\nof = due", ":3: of is for ask = traceroute"),
        (
            "when = at 7:00\nask = traceroute",
            ":2: ask does not say which node at that time; write: ask = traceroute and of"
        ),
        ("when = at 7:00\nannounce = nodeinfo\nof = due", ":3: of is for ask = traceroute"),
        // Which keys fit a trigger.
        ("when = new node\nreply = hi", ":2: reply cannot be with \"new node\": it is about no message"),
        ("when = detection\nreact = 👍", ":2: react cannot be with \"detection\": it is about no message"),
        ("when = battery below 20 %\nreply = hi", ":2: reply cannot be with \"battery\": it is about no message"),
        (
            "when = message on mqtt:club\nwords = a\nreply = hi",
            ":3: reply cannot be with \"message on mqtt:club\": what came over a broker came over no radio"
        ),
        (
            "when = message on mqtt:club\nwords = a\nsend = hi\nto = sender",
            ":4: to cannot be sender with \"message on mqtt:club\": it is about no node; write for example: to = 0"
        ),
        ("when = at 7:00\nsend = hi\nto = sender", ":3: to cannot be sender with \"at\": it is about no node"),
        (
            "when = message\nwords = a\nask = traceroute",
            ":3: ask cannot be with \"message\": what somebody writes must make no other node answer across the mesh"
        ),
        ("when = direct message\nask = position", ":2: ask cannot be with \"direct message\""),
        ("when = gateway started\nask = position", ":2: ask cannot be with \"gateway started\": it is about no node"),
        (
            "when = new node\nask = traceroute\nof = due",
            ":3: of cannot be with \"new node\": it asks the node that it is about"
        ),
        ("when = at 7:00\nsend = hi\nto = 0\nonce = node", ":4: once cannot be with \"at\": it is about no node"),
        ("when = at 7:00\nsend = hi\nto = 0\nnode = Anna", ":4: node cannot be with \"at\": it is about no node"),
        ("when = at 7:00\nphrase = a", ":2: phrase cannot be with \"at\": it has no text"),
        ("when = at 7:00\nsnr = above 3", ":2: snr cannot be with \"at\": it is about no node"),
        ("when = radio lost\nnamed = yes", ":2: named cannot be with \"radio lost\": it is about no node"),
        ("when = battery below 20 %\ncool-down = 1h", ":2: cool-down cannot be with \"battery\""),
        (
            "when = leaves circle 0,0 2 km\nsend = {node} {value}\nto = 0",
            ":2: send has \"{value}\", and no text says how far away a node is; take it out"
        ),
        (
            "when = channel use above 40 %\nask = telemetry",
            ":2: ask needs another node, and \"channel use\" is about the own radio; name nodes by node = "
        ),
        ("when = air time above 5 %\nsend = hi\nto = sender", ":3: to cannot be sender: \"air time\" is about the own"),
        ("when = channel use above 40 %\nsend = hi\nto = 0\nonce = node", ":4: once = node needs another node"),
        // Values.
        ("when = mention\nreact = ok", ":2: react cannot be \"ok\"; write one emoji, such as 👍, or hops"),
        ("when = mention\nreact = 👍👍", ":2: react cannot be \"👍👍\""), ("when = mention\nreact = 1", ":2: react cannot"),
        ("when = mention\nreact = \(String(repeating: "x", count: 900))", ":2: react cannot be \"xxx"),
        (
            "when = new node\nask = reboot",
            ":2: ask cannot be \"reboot\"; write one of: traceroute, position, nodeinfo, "
        ),
        ("when = new node\nask = favourite", ":2: ask cannot be \"favourite\""),
        ("when = at 7:00\nask = traceroute\nof = all", ":3: of cannot be \"all\"; write one of: due"),
        ("when = new node\nannounce = text", ":2: announce cannot be \"text\"; write one of: nodeinfo, position"),
        ("when = new node\nannounce = nodeinfo\ndelay = 3m", ":3: delay is at most 2m"),
        ("when = new node\nannounce = nodeinfo\ndelay = soon", ":3: \"soon\" is no time"),
        ("when = new node\nannounce = nodeinfo\nonce = ever", ":3: once cannot be \"ever\"; write one of: node"),
        ("when = new node\nannounce = nodeinfo\ncool-down = 59s", ":3: cool-down of what a rule does is at least 60s"),
        ("when = new node\nannounce = nodeinfo\nfeed = always", ":3: feed cannot be \"always\"; write one of: yes, no"),
        ("when = new node\nnamed = no", ":2: named cannot be \"no\"; write one of: yes"),
        (
            "when = mention\nsnr = -10",
            ":2: snr cannot be \"-10\"; write for example: snr = above -10 or snr = below -10"
        ),
        ("when = mention\nsnr = above high", ":2: snr cannot be \"above high\""),
        ("when = new node\nsend = a\nto = !xyz", ":3: to \"!xyz\" is no id of a node; write for example: to = 0"),
        ("when = new node\nsend = a\nto = !ffffffff", ":3: to \"!ffffffff\" is no id of a node"),
        ("when = new node\nsend = a\nto = 8", ":3: to 8: a radio's channels have the numbers 0 to 7"),
        ("when = new node\nsend = a\nto = -1", ":3: to -1: a radio's channels have"),
        ("when = new node\nsend = a\nto = 0, 1", ":3: to has one value; for \"0, 1\" make a rule for each"),
        ("when = new node\nsend = a\nto = mqtt:club", ":3: to mqtt:club: rules send over radios only"),
        ("when = new node\nsend = a\nto = Mountaineers", ":3: to \"Mountaineers\" has more than the 11 bytes"),
        ("when = new node\nsend = a\nto = 0\nto = 1", ":4: \"to\" is already set in line 3"),
        ("when = mention\nreply =", ":2: reply has no value"),
        // Texts.
        ("\(text)reply = {nod}", ":2: reply has \"{nod}\"; did you mean \"{node}\"?"),
        ("\(text)reply = {NODE_NAME}", ":2: reply has \"{NODE_NAME}\"; "),
        ("\(text)reply = {weather}", ":2: reply has \"{weather}\"; it may have {node}, {short}, {id}, {hops}, {snr}, "),
        ("\(text)reply = {FEATURES}", ":2: reply has \"{FEATURES}\", which only MeshMonitor fills in"),
        ("\(text)reply = {IP}", ":2: reply has \"{IP}\", which only MeshMonitor fills in"),
        ("\(text)reply = {distance}", ":2: reply has \"{distance}\": no text says where a radio is, or how far away"),
        ("\(text)reply = at {NODE_LAT}", ":2: reply has \"{NODE_LAT}\": no text says where"),
        ("\(text)reply = {traceroute}", ":2: reply has \"{traceroute}\": no answer waits for a traceroute"),
        ("\(text)reply = a } b", ":2: reply has \"} b\": no brace is open here"),
        ("\(text)reply = {{node}}", ":2: reply has \"{{node}}\": this brace is not closed"),
        ("\(text)reply = {node {id}}", ":2: reply has \"{node {id}}\": this brace is not closed"),
        ("\(text)reply = {node", ":2: reply has \"{node\": this brace is not closed"),
        ("\(text)reply = {}", ":2: reply has \"{}\""),
        ("\(text)reply = {node}\u{301}}", ":2: reply has \"}\": no brace"),
        (
            "\(text)reply = \(String(repeating: "a", count: 1_001))",
            ":2: reply is longer than 1000 bytes; a packet has 200"
        ),
        ("when = at 7:00\nsend = {snr}\nto = 0", ":2: send has \"{snr}\", and \"at\" is about no node; take it out"),
        ("when = at 7:00\nsend = {LONG_NAME}\nto = 0", ":2: send has \"{node}\", and \"at\" is about no node"),
        ("\(text)phrase = w {city}\nreply = {day}", ":3: reply has \"{day}\"; "),
        // Phrases.
        ("\(text)phrase = w {city", ":2: phrase, at character "),
        ("\(text)phrase = {a} {a}", ":2: phrase, at character 5"),
        (
            "\(text)phrase = \((1...1_000).map { "{n\($0)}" }.joined(separator: " "))",
            ":2: phrase, at character 1001: the pattern has 6892 bytes, and may have 1000"
        ),
        (
            "\(text)phrase = \((1...9).map { "{n\($0)}" }.joined(separator: " "))",
            ":2: phrase has 9 names; at most 8 can"
        ),
        ("\(text)phrase = {City}", ":2: phrase has the name \"City\"; a name has at most 16 of a-z, 0-9 and _"),
        ("\(text)phrase = {a2345678901234567}", ":2: phrase has the name \"a2345678901234567\""),
        ("\(text)phrase = {1a}", ":2: phrase has the name \"1a\""),
        ("\(text)phrase = {x:(?<Y>a)}", ":2: phrase has the name \"Y\""),
        ("\(text)phrase = {node}", ":2: phrase has the name \"node\", which texts have already for something else"),
        (
            "\(text)\((1...17).map { "phrase = a\($0)" }.joined(separator: "\n"))",
            ":18: a rule has at most 16 phrases; make two rules of it"
        ),
        // What there is not.
        ("\(text)http = https://example.org", ":2: there is no key \"http\": no rule fetches an answer over HTTP"),
        ("\(text)mailbox = yes", ":2: there is no key \"mailbox\": no rule keeps texts"),
        ("\(text)ping = 5", ":2: there is no key \"ping\": no rule sends a series of texts; to answer one, write"),
        ("\(text)set = x", ":2: there is no key \"set\": a rule has no variables"),
        ("\(text)flow = x", ":2: there is no key \"flow\": a rule has no steps; make several rules of it"),
        ("\(text)delete = node", ":2: there is no key \"delete\": no rule deletes anything"),
        ("\(text)reboot = yes", ":2: there is no key \"reboot\": no rule restarts a radio"),
        ("\(text)favourite = yes", ":2: there is no key \"favourite\": no rule marks nodes"),
        ("\(text)tries = 3", ":2: there is no key \"tries\": no rule sends a text again until it is acknowledged"),
    ])
    func eachWithItsPlace(_ text: String, _ expected: String) {
        let file = RuleFile(text, name: "rule", path: "rules.d/rule.conf")
        #expect(file.rule == nil)
        #expect(file.mistakes.first?.description.hasPrefix("rules.d/rule.conf" + expected) == true, "\(file.mistakes)")
    }

    @Test(arguments: [
        "when = message\nmatches = ^(test|ping)\nreact = hops", "when = direct message\nreply = pong",
        "when = mention\nreply = {node}\nreact = 👍\nreply-by = direct",
        "when = message\nwords = a\nreply = {LONG_NAME}",
        "when = message\nphrase = weather {city}\nphrase = w {city}\nreply = {city}: {date} {time}",
        "when = message\nreply = {z}\nphrase = zip {z:[0-9]{5}}",
        "when = node introduced\nonce = node\ndelay = 30s\nsend = hi {node}\nto = sender",
        "when = new node\nsend = a\nto = Hikers", "when = new node\nsend = a\nto = !a1b2c3d4",
        "when = battery below 20 %\nnode = favourites\nask = telemetry\ncool-down = 10m",
        "when = at 0 */6 * * *\nannounce = nodeinfo", "when = at 0 */6 * * *\nannounce = position\nto = Hikers",
        "when = at */30 * * * *\nask = traceroute\nof = due\nnode = favourites\nhops = 1..3\nrole = router\nknown = 7d",
        "when = at */30 * * * *\nof = due\nnamed = yes\nsnr = above -10 dB\nradio = Home\nask = traceroute",
        "when = at 7:00\nsend = {nodes} {direct} {uptime} {version} {radio} {TOTALNODES}\nto = 0\ncool-down = 1h",
        "when = gateway started\nsend = back\nto = 0\nradio = Home\nfeed = yes",
        "when = message on mqtt:club\nwords = a\nsend = a\nto = 0", "when = storage failing\nsend = {value}\nto = 0",
        "when = message\nphrase = a\ntell = phone\nreply = b\nfeed = no", "when = message\nphrase = help me",
        "when = new node\nsnr = below 3.5\nnamed = yes", "when = waypoint\nask = position",
    ])
    func whatCanBe(_ text: String) {
        #expect(RuleFile(text, name: "rule", path: "").mistakes == [])
    }

    @Test func allOfThemAtOnce() {
        let text = "when = mention\nreply = {x}\nask = position\nof = all\nphrase = {a} {a}\nhttp = 1\nto = 9"
        let file = RuleFile(text, name: "rule", path: "r")
        #expect(Set(file.mistakes.compactMap(\.line)) == [2, 3, 4, 5, 6, 7], "\(file.mistakes)")
    }
}
