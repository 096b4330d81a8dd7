import MeshModel
import Testing

@testable import Rules

@Suite struct AnAnswerLeavesFirstOrNotAtAll {
    private func act(_ text: String, _ name: String, node: NodeNumber?, due: Int64 = 0, isText: Bool = false) throws
        -> Act
    {
        let file = RuleFile(text, name: name, path: "\(name).conf")
        let rule = try #require(file.rule, "\(file.mistakes)")
        var telling = Telling(nil, node.map(Subject.node) ?? .gateway, .init(source: home))
        if isText {
            telling.message = Message(
                id: "1_\(name)_7", from: anna, to: ownNode, text: "ping", channel: -1, packetID: 7, timestamp: noon,
                createdAt: noon, updatedAt: noon)
        }
        return try #require(Act(rule, telling, key: name, at: noon, now: Moment(at: noon, uptime: due)))
    }

    @Test func answersGoBeforeTextsAndTheseBeforeRequests() throws {
        var queue = ActQueue()
        let trace = try act("when = at * * * * *\nask = traceroute\nof = due", "trace", node: nil)
        let text = try act("when = at * * * * *\nsend = hi\nto = 0", "text", node: nil)
        let first = try act("when = direct message\nreply = one", "first", node: anna, isText: true)
        let second = try act("when = direct message\nreply = two", "second", node: bob, isText: true)
        for act in [trace, text, first, second] { #expect(queue.take(act, at: 0) == nil) }
        #expect(queue.due(at: 0).map(\.rule.name) == ["first", "second", "text", "trace"])
    }

    @Test func whatIsAMinuteLateIsDropped() throws {
        var queue = ActQueue()
        let act = try act("when = direct message\nreply = one", "first", node: anna, isText: true)
        #expect(queue.take(act, at: 0) == nil)
        #expect(queue.deadline(at: 0) == 60_000)
        #expect(queue.obstacle(to: act, .init(), at: 59_999) == nil)
        #expect(queue.obstacle(to: act, .init(), at: 60_000) == .late)
        var other = ActQueue()
        #expect(other.take(act, at: 60_000) == .late)
    }

    /// What leaves later has its minute from then on.
    @Test func aDelayIsWaitedFor() throws {
        var queue = ActQueue()
        let act = try act("when = direct message\nreply = one\ndelay = 30s", "first", node: anna, isText: true)
        #expect(queue.take(act, at: 0) == nil)
        #expect(queue.due(at: 29_999).isEmpty && queue.deadline(at: 0) == 30_000)
        #expect(queue.due(at: 30_000).count == 1 && queue.deadline(at: 30_000) == 90_000)
    }

    @Test func twentyWait() throws {
        var queue = ActQueue()
        for number in 0..<21 as Range<UInt32> {
            let act = try act(
                "when = direct message\nreply = one", "rule-\(number)", node: NodeNumber(number + 100), isText: true)
            #expect(queue.take(act, at: 0) == (number < 20 ? nil : .busy))
        }
    }

    /// A stranger under a hundred numbers: what waits is bounded, and each number has one act.
    @Test func oneWaitsForANode() throws {
        var queue = ActQueue()
        #expect(queue.take(try act("when = direct message\nreply = one", "a", node: anna, isText: true), at: 0) == nil)
        let again = try act("when = direct message\nreply = one", "a", node: anna, due: 1, isText: true)
        #expect(queue.take(again, at: 1) == .coolDown)
        let other = try act("when = direct message\nreply = two", "b", node: anna, isText: true)
        #expect(queue.take(other, at: 0) == .node)
    }

    @Test func aReloadDropsWhatHasChanged() throws {
        var queue = ActQueue()
        let kept = try act("when = direct message\nreply = one", "kept", node: anna, isText: true)
        let changed = try act("when = direct message\nreply = one", "changed", node: bob, isText: true)
        for act in [kept, changed] { #expect(queue.take(act, at: 0) == nil) }
        let next = try act("when = direct message\nreply = two", "changed", node: bob, isText: true)
        #expect(queue.keep([kept.rule, next.rule]).map(\.rule.name) == ["changed"])
        #expect(queue.waiting.map(\.rule.name) == ["kept"])
        #expect(queue.keep([]).map(\.rule.name) == ["kept"])
    }
}
