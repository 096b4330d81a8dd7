import MeshModel
import Store
import Testing

@testable import Rules

/// What one act leaves of the air to the others, and what of it a radio may not have.
@Suite struct RulesKeepTheAirFree {
    private static let rules = [
        "ack": "when = direct message\nreply = heard", "slow": "when = direct message\nreply = heard\ncool-down = 10m",
        "on": "when = message\nphrase = pass {what}\nsend = {what}\nto = 1",
        "clock": "when = at * * * * *\nsend = hi\nto = 0",
    ]

    static func act(
        _ name: String, _ node: NodeNumber? = anna, due: Int64 = 0, key: String = "x"
    ) throws -> Act {
        let file = RuleFile(try #require(rules[name]), name: name, path: "\(name).conf")
        let rule = try #require(file.rule, "\(file.mistakes)")
        let telling = Telling(nil, node.map(Subject.node) ?? .gateway, .init(source: home))
        let now = Moment(at: noon, uptime: due)
        return try #require(Act(rule, telling, key: "\(key) \(name) \(due) \(node?.id ?? "")", at: noon, now: now))
    }

    private static func claim(
        nodes: Set<NodeNumber> = [], channel: Int? = nil, isElsewhere: Bool = false, airtime: Int64 = 100,
        use: Double? = nil, isQuiet: Bool = false
    ) -> ActQueue.Claim {
        var claim = ActQueue.Claim()
        (claim.nodes, claim.isElsewhere, claim.airtime) = (nodes, isElsewhere, airtime)
        (claim.channelUse, claim.isQuiet) = (use, isQuiet)
        if let channel { claim.channels = [.init(source: home, channel: channel)] }
        return claim
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let what: String
        /// What left at 0, by which rule, for which node.
        var first: (rule: String, node: NodeNumber?, claim: ActQueue.Claim)?
        /// What is to leave, and when.
        let rule: String
        var node: NodeNumber? = anna
        let claim: ActQueue.Claim
        let at: Int64
        let skipped: Skipped?

        var testDescription: String { what }
    }

    private static let ofAnna = claim(nodes: [anna], channel: 0)
    private static let rows = [
        Row(what: "nothing before", rule: "ack", claim: ofAnna, at: 0, skipped: nil),
        Row(
            what: "another rule, the same node, before a minute", first: ("ack", anna, claim(nodes: [anna])),
            rule: "slow",
            claim: claim(nodes: [anna]), at: 59_999, skipped: .node),
        Row(
            what: "another rule, the same node, after a minute", first: ("ack", anna, claim(nodes: [anna])),
            rule: "slow",
            claim: claim(nodes: [anna]), at: 60_000, skipped: nil),
        Row(
            what: "the same rule and node, before its cool-down", first: ("slow", anna, claim(nodes: [anna])),
            rule: "slow", claim: claim(nodes: [anna]), at: 599_999, skipped: .coolDown),
        Row(
            what: "the same rule and node, after its cool-down", first: ("slow", anna, claim(nodes: [anna])),
            rule: "slow", claim: claim(nodes: [anna]), at: 600_000, skipped: nil),
        Row(
            what: "the default cool-down", first: ("ack", anna, claim()), rule: "ack", claim: claim(), at: 59_999,
            skipped: .coolDown),
        Row(
            what: "another node on the same channel, before half a minute", first: ("ack", anna, ofAnna), rule: "ack",
            node: bob, claim: claim(nodes: [bob], channel: 0), at: 29_999, skipped: .channel),
        Row(
            what: "another node on the same channel, after half a minute", first: ("ack", anna, ofAnna), rule: "ack",
            node: bob, claim: claim(nodes: [bob], channel: 0), at: 30_000, skipped: nil),
        Row(
            what: "another node on another channel", first: ("ack", anna, ofAnna), rule: "ack", node: bob,
            claim: claim(nodes: [bob], channel: 1), at: 0, skipped: nil),
        Row(
            what: "a time by the clock has no cool-down of its own", first: ("clock", nil, claim(channel: 0)),
            rule: "clock", node: nil, claim: claim(channel: 0), at: 59_990, skipped: nil),
        Row(
            what: "a second text passed on within ten minutes", first: ("on", anna, claim(isElsewhere: true)),
            rule: "on", node: bob, claim: claim(isElsewhere: true), at: 599_999, skipped: .elsewhere),
        Row(
            what: "a second text passed on after ten minutes", first: ("on", anna, claim(isElsewhere: true)),
            rule: "on", node: bob, claim: claim(isElsewhere: true), at: 600_000, skipped: nil),
        Row(what: "the channel is used by 30 %", rule: "ack", claim: claim(use: 30), at: 0, skipped: nil),
        Row(what: "the channel is used by more", rule: "ack", claim: claim(use: 30.1), at: 0, skipped: .channelUse),
        Row(what: "quiet hours", rule: "ack", claim: claim(isQuiet: true), at: 0, skipped: .quiet),
        Row(
            what: "the share of the hour is used up", first: ("ack", anna, claim(airtime: 72_000)), rule: "ack",
            node: bob, claim: claim(airtime: 1), at: 3_599_999, skipped: .airtime),
        Row(
            what: "an hour later it is there again", first: ("ack", anna, claim(airtime: 72_000)), rule: "ack",
            node: bob, claim: claim(airtime: 72_000), at: 3_600_000, skipped: nil),
        Row(
            what: "one that is larger than the share", rule: "ack", claim: claim(airtime: 72_001), at: 0,
            skipped: .airtime),
    ]

    @Test(arguments: rows) func eachLimit(row: Row) throws {
        var queue = ActQueue()
        if let first = row.first {
            let act = try Self.act(first.rule, first.node)
            #expect(queue.take(act, at: 0) == nil)
            queue.leaves(act, first.claim, at: 0)
        }
        let act = try Self.act(row.rule, row.node, due: row.at)
        let found = queue.take(act, at: row.at) ?? queue.obstacle(to: act, row.claim, at: row.at)
        #expect(found == row.skipped)
    }

    /// A thousand pings in a minute under a hundred numbers, on one channel.
    @Test func aFloodHasTwoAnswers() throws {
        var queue = ActQueue()
        var left: [Int64] = []
        for number in 0..<1_000 {
            let (at, node) = (Int64(number) * 60, NodeNumber(0x100 + UInt32(number % 100)))
            _ = queue.take(try Self.act("ack", node, due: at, key: "\(number)"), at: at)
            #expect(queue.waiting.count <= 20)
            for act in queue.due(at: at) {
                let claim = Self.claim(nodes: [try #require(act.node)], channel: 0)
                guard queue.obstacle(to: act, claim, at: at) == nil else {
                    queue.remove(act)
                    continue
                }
                queue.leaves(act, claim, at: at)
                left.append(at)
            }
        }
        // The 500th is of the node that was answered first, for which a minute has to pass.
        #expect(left == [0, 30_060])
    }

    /// The last one of these is counted again after a restart.
    @Test func whatWasSentBeforeAStartCounts() throws {
        var queue = ActQueue()
        queue.recall(sentAt: -1_000, airtime: 72_000)
        queue.recall("slow", of: anna, at: -1_000, passesOn: false)
        let act = try Self.act("ack", bob)
        #expect(queue.take(act, at: 0) == nil)
        #expect(queue.obstacle(to: act, Self.claim(), at: 0) == .airtime)
        #expect(queue.take(try Self.act("slow", anna), at: 0) == .coolDown)
    }

    @Test func zeroStopsAllActing() throws {
        var queue = ActQueue()
        queue.limits = ActLimits(channelUse: 30, airtime: 0)
        #expect(queue.take(try Self.act("ack"), at: 0) == .airtime)
    }

    /// Time on the air by hand: the symbols of the preamble, the header and the payload, each 2^SF / bandwidth long.
    @Test(arguments: [
        // SF 11, 250 kHz, 4/5: 8.192 ms a symbol. 51 bytes: 8 + ceil((408 - 44 + 44) / 44) * 5 = 58 symbols.
        (ModemPreset(rawValue: 0), 51, Int64(642)),
        // SF 7, 250 kHz, 4/5: 0.512 ms. 51 bytes: 8 + ceil((408 - 28 + 44) / 28) * 5 = 88.
        (ModemPreset(rawValue: 6), 51, 56),
        // SF 12, 125 kHz, 4/8: 32.768 ms. 51 bytes: 8 + ceil((408 - 48 + 44) / 40) * 8 = 96.
        (ModemPreset(rawValue: 1), 51, 3_810),
    ]) func theShareIsTimeOnTheAir(preset: ModemPreset, bytes: Int, milliseconds: Int64) throws {
        var lora = LoRaSettings()
        (lora.usePreset, lora.modemPreset) = (true, preset)
        #expect(ActAirtime.milliseconds(bytes: bytes, lora) == milliseconds)
        // So many fit into two per cent of an hour.
        var (queue, count) = (ActQueue(), 0)
        for number in 1...2_000 as ClosedRange<UInt32> {
            let act = try Self.act("ack", NodeNumber(number + 100))
            let claim = Self.claim(airtime: milliseconds)
            guard queue.take(act, at: 0) == nil, queue.obstacle(to: act, claim, at: 0) == nil else { break }
            queue.leaves(act, claim, at: 0)
            count += 1
        }
        #expect(count == Int(72_000 / milliseconds))
    }
}
