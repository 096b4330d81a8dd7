import MeshModel
import Testing

@testable import MQTTBridge

private let noon: Int64 = 1_790_000_000_000

private func time(_ milliseconds: Int64) -> HostTime { HostTime(wall: noon + milliseconds, steady: milliseconds) }

private func said(
    _ text: String, _ id: String, change: Int64 = 1, at milliseconds: Int64 = 0, mayGoUp: Bool = true
) -> ChannelBridge.Said {
    ChannelBridge.Said(
        change: change, id: id, writer: "Anna", text: text, at: noon + milliseconds, mayGoUp: mayGoUp,
        staysInHouse: false)
}

extension ChannelBridge {
    /// With a broker that is there.
    fileprivate var alarm: Int64? { alarm(upsFrom: .min) }
    fileprivate func dueUps(at now: HostTime) -> [Said] { dueUps(mayGo: true, at: now).filter(\.goes).map(\.text) }
}

private func told(_ words: String, _ id: String?, mayGoDown: Bool = true) -> ChannelBridge.Told {
    ChannelBridge.Told(key: id ?? words, id: id, words: words, mayGoDown: mayGoDown)
}

private func newBridge(
    up: Bool = true, down: Bool = true, textsPerHour: Int = 20, knowing past: ChannelBridge.Past = .init()
) -> ChannelBridge {
    var settings = ConversationBridge(channel: 0, of: "radio")
    (settings.goesUp, settings.goesDown, settings.textsPerHour) = (up, down, textsPerHour)
    return ChannelBridge(settings, knowing: past, at: time(0))
}

@Suite struct WhatPassesABridge {
    // MARK: up

    @Test func aTextOfTheChannelWaitsAndGoes() {
        var bridge = newBridge()
        bridge.heard(said("one", "!1", change: 7), wait: 2_000, at: time(0))
        #expect(bridge.alarm == 2_000 && bridge.oldestChange == 7)
        #expect(bridge.dueUps(at: time(1_999)).isEmpty)
        // It stays until somebody says that it is stored.
        for _ in 0..<2 { #expect(bridge.dueUps(at: time(2_000)).map(\.text) == ["one"]) }
        bridge.settleUps(1)
        #expect(bridge.alarm == nil && bridge.oldestChange == nil)
    }

    @Test func noneOvertakesAnother() {
        var bridge = newBridge()
        bridge.heard(said("one", "!1", change: 1), wait: 3_000, at: time(0))
        bridge.heard(said("two", "!2", change: 2), wait: 0, at: time(100))
        #expect(bridge.dueUps(at: time(2_999)).isEmpty)
        #expect(bridge.dueUps(at: time(3_000)).map(\.text) == ["one", "two"])
    }

    @Test func whoseIDHasComeDoesNotGo() {
        var bridge = newBridge()
        bridge.heard(said("one", "!1"), wait: 2_000, at: time(0))
        bridge.told(told("Anna: one", "!1"), wait: 2_000, at: time(1_000))
        #expect(bridge.alarm == nil, "neither up nor down: it was said on this channel")
        // The broker was faster than the mesh.
        bridge.told(told("Anna: two", "!2"), wait: 5_000, at: time(1_000))
        bridge.heard(said("two", "!2"), wait: 0, at: time(2_000))
        #expect(bridge.alarm == nil)
    }

    @Test func whatMayNotIsHeardAllTheSame() {
        var bridge = newBridge()
        bridge.heard(said("one", "!1", mayGoUp: false), wait: 0, at: time(0))
        #expect(bridge.alarm == nil)
        bridge.told(told("Anna: one", "!1"), wait: 2_000, at: time(100))
        #expect(bridge.alarm == nil)
        var down = newBridge(up: false)
        down.heard(said("two", "!2"), wait: 0, at: time(0))
        #expect(down.alarm == nil)
    }

    /// A kill, a full disk, or a clock that was set by a day in between.
    @Test(
        arguments: [
            (-86_400_000, false), (-120_001, false), (-120_000, true), (120_000, true), (120_001, false),
        ] as [(Int64, Bool)])
    func nothingOlderThanTwoMinutesGoes(_ age: Int64, _ goes: Bool) {
        var bridge = newBridge()
        bridge.heard(said("one", "!1", at: age), wait: 0, at: time(0))
        #expect(bridge.dueUps(at: time(0)).isEmpty != goes)
    }

    @Test func whatHasGrownOldMeanwhileDoesNotGo() {
        var bridge = newBridge()
        bridge.heard(said("one", "!1", at: -20_000), wait: 0, at: time(0))
        #expect(bridge.dueUps(at: time(100_000)).count == 1 && bridge.dueUps(at: time(100_001)).isEmpty)
        // Also while the broker is away: what is given up holds nothing back.
        #expect(bridge.alarm(upsFrom: nil) == 100_001 && bridge.dueUps(mayGo: false, at: time(100_000)).isEmpty)
        #expect(bridge.dueUps(mayGo: false, at: time(100_001)).map(\.goes) == [false])
        bridge.settings.goesUp = false
        #expect(bridge.dueUps(at: time(0)).isEmpty)
    }

    /// What lay at the broker comes first, and may be what was heard.
    @Test func nothingGoesUpBeforeTheBrokerIsHeard() {
        var bridge = newBridge()
        bridge.heard(said("Bert: one", "!1"), wait: 1_000, at: time(0))
        #expect(bridge.dueUps(mayGo: false, at: time(5_000)).isEmpty)
        #expect(bridge.alarm(upsFrom: 15_000) == 15_000 && bridge.alarm(upsFrom: 500) == 1_000)
        bridge.told(told("Bert: one", "b-1"), wait: 2_000, at: time(6_000))
        #expect(bridge.alarm == nil && bridge.dueUps(at: time(20_000)).isEmpty)
    }

    /// So that what was heard before a restart is neither published nor said again.
    @Test func whatWasHeardBeforeIsKnown() {
        var past = ChannelBridge.Past()
        past.heard.append((id: "!1", words: "Bert: one", age: 30_000))
        past.heard.append((id: "!2", words: "two", age: 30_000))
        var bridge = newBridge(knowing: past)
        bridge.told(told("Bert: one", "b-1"), wait: 2_000, at: time(0))
        bridge.told(told("Anna: two", "!2"), wait: 2_000, at: time(0))
        #expect(bridge.alarm == nil)
        // The log is read again, and its text goes all the same.
        bridge.heard(said("two", "!3"), wait: 0, at: time(0))
        bridge.heard(said("three", "!3"), wait: 0, at: time(0))
        #expect(bridge.dueUps(at: time(0)).map(\.text) == ["two"])
    }

    /// A text of ours is remembered when it is written and goes when the broker has it.
    @Test func anOwnTextGoesWhenTheBrokerHasIt() {
        var bridge = newBridge()
        bridge.told(told("Hut: one", "h-1", mayGoDown: false), wait: 2_000, at: time(0))
        #expect(bridge.alarm == nil)
        bridge.told(told("Hut: one", "h-1"), wait: 2_000, at: time(5_000))
        #expect(bridge.takeDown(at: time(7_000))?.key == "h-1")
    }

    // MARK: down

    @Test func aTextOfTheConversationWaitsAndIsSent() {
        var bridge = newBridge()
        bridge.told(told("Bert: one", "b-1"), wait: 2_000, at: time(0))
        bridge.told(told("Bert: two", "b-2"), wait: 3_000, at: time(500))
        #expect(bridge.takeDown(at: time(1_999)) == nil && bridge.alarm == 2_000)
        #expect(bridge.takeDown(at: time(2_000))?.words == "Bert: one")
        // The second one begins to wait when the first is sent.
        #expect(bridge.takeDown(at: time(4_999)) == nil && bridge.alarm == 5_000)
        #expect(bridge.takeDown(at: time(5_000))?.key == "b-2")
        #expect(bridge.alarm == nil && bridge.dropped == 0)
    }

    @Test func whatAnotherGatewaySendsIsNotSent() {
        var bridge = newBridge()
        bridge.told(told("Bert: one", "b-1"), wait: 2_000, at: time(0))
        bridge.told(told("Bert: two", "b-2"), wait: 2_000, at: time(0))
        bridge.heard(said("Bert: one", "!1"), wait: 0, at: time(1_500))
        #expect(bridge.alarm == 3_500, "the next one waits from now on, and nothing goes up")
        #expect(bridge.takeDown(at: time(3_500))?.words == "Bert: two")
        // Another one has heard neither of us.
        bridge.heard(said("Bert: two", "!2"), wait: 0, at: time(4_000))
        #expect(bridge.alarm == nil && bridge.dropped == 0)
    }

    /// The broker's message comes when another gateway has sent it already.
    @Test func whatIsOnTheChannelAlreadyIsNotSent() {
        var bridge = newBridge()
        bridge.heard(said("Bert: one", "!1"), wait: 3_000, at: time(0))
        bridge.told(told("Bert: one", "b-1"), wait: 2_000, at: time(1_000))
        #expect(bridge.alarm == nil)
        // Each is one: the same words once more are another text.
        bridge.told(told("Bert: one", "b-2"), wait: 2_000, at: time(1_000))
        #expect(bridge.takeDown(at: time(3_000))?.key == "b-2")
    }

    @Test func nothingGoesInCirclesForTenMinutes() {
        var past = ChannelBridge.Past()
        past.told.append((text: told("Bert: before", "b-0"), age: 60_000))
        var bridge = newBridge(knowing: past)
        bridge.heard(said("Bert: before", "!0"), wait: 0, at: time(0))
        #expect(bridge.alarm == nil)
        // Also what went up, which a gateway that has not heard it sends back.
        bridge.told(told("Anna: hello", "!1", mayGoDown: false), wait: 2_000, at: time(0))
        bridge.heard(said("Anna: hello", "!2"), wait: 0, at: time(599_000))
        #expect(bridge.alarm == nil)
        bridge.heard(said("Anna: hello", "!3", at: 1_200_000), wait: 0, at: time(1_200_000))
        #expect(bridge.dueUps(at: time(1_200_000)).count == 1, "later it is what somebody says")
    }

    @Test func atMostSoManyInASlidingHour() {
        var bridge = newBridge(textsPerHour: 3, knowing: ChannelBridge.Past(sent: [3_599_000, -5_000]))
        func send(_ number: Int64, at milliseconds: Int64) -> Bool {
            bridge.told(told("Bert: \(number)", "b-\(number)"), wait: 2_000, at: time(milliseconds))
            return bridge.takeDown(at: time(milliseconds + 2_000)) != nil
        }
        // One of an hour ago has just left the hour, and one counts from a clock that was set back.
        #expect(send(1, at: 0) && send(2, at: 10_000))
        #expect(!send(3, at: 20_000) && !send(4, at: 30_000))
        #expect(bridge.dropped == 2 && bridge.lastReason == "the limit of 3 an hour was reached")
        #expect(send(5, at: 3_600_000))
        #expect(bridge.dropped == 2)
    }

    @Test func whatIsOverItIsNotSentLater() {
        var bridge = newBridge(textsPerHour: 1)
        for number in 1...1_000 { bridge.told(told("Bert: \(number)", "b-\(number)"), wait: 2_000, at: time(0)) }
        #expect(bridge.takeDown(at: time(2_000))?.words == "Bert: 1")
        #expect(bridge.takeDown(at: time(4_000)) == nil && bridge.alarm == nil && bridge.dropped == 999)
    }

    @Test func whatCannotBeSentDoesNotCount() {
        var bridge = newBridge(textsPerHour: 1)
        bridge.told(told("Bert: 1", "b-1"), wait: 2_000, at: time(0))
        #expect(bridge.takeDown(at: time(2_000)) != nil)
        bridge.failed(because: "the radio is away")
        #expect(bridge.dropped == 1 && bridge.lastReason == "the radio is away")
        bridge.told(told("Bert: 2", "b-2"), wait: 2_000, at: time(10_000))
        #expect(bridge.takeDown(at: time(12_000)) != nil)
    }

    @Test func aFloodIsBounded() {
        var bridge = newBridge()
        for number in 0..<5_000 {
            bridge.told(told("Bert: \(number)", nil), wait: 10_000, at: time(0))
            bridge.heard(said("\(number)", "!\(number)"), wait: 3_000, at: time(0))
        }
        #expect(bridge.dueUps(at: time(3_000)).count == 4_096)
        #expect(bridge.dropped == 5_000 - 4_096 && bridge.lastReason == "too many texts wait")
    }

    @Test(
        arguments: [
            (0, nil, false), (9_999, nil, false), (10_000, nil, true), (0, 0, true), (0, -120_000, true),
            (0, -120_001, false), (0, 86_400_000, false), (0, .min, false), (0, .max, false),
            (20_000, -86_400_000, true),
        ] as [(Int64, Int64?, Bool)])
    func nothingOfYesterdayGoesDown(_ connectedFor: Int64, _ written: Int64?, _ isNews: Bool) {
        // What is written at no time that there is.
        let writtenAt = written.map { $0 == .min || $0 == .max ? $0 : noon + $0 }
        #expect(ChannelBridge.isNews(connectedFor: connectedFor, writtenAt: writtenAt, at: noon) == isNews)
    }
}

/// All gateways have to say the same.
@Test(arguments: [
    ("Servus", "Anna", "Anna: Servus"), ("two\nlines \n", "Anna", "Anna: two\nlines"),
    ("x", "  Anna\nof the hut\t", "Anna of the hut: x"), ("x", "", "?: x"), ("x", "\u{202E}\u{2066}", "?: x"),
    ("x", "\u{202E}annA\u{200F}", "annA: x"), ("Anna: x", "Anna", "Anna: Anna: x"),
    ("x", "An exceedingly long name of somebody", "An exceedingly long name: x"),
    ("x", "Ännchen von Tharau, Größe", "Ännchen von Tharau, Gr: x"),
    ("x", "👨‍👩‍👧‍👦", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}: x"),
    (String(repeating: "ä", count: 200), "Anna", "Anna: " + String(repeating: "ä", count: 95) + "…"),
    (String(repeating: "y", count: 194), "Anna", "Anna: " + String(repeating: "y", count: 194)),
    (String(repeating: "y", count: 195), "Anna", "Anna: " + String(repeating: "y", count: 191) + "…"),
])
func whatIsSaidOnAChannelIsOnePacket(_ text: String, _ writer: String, _ expected: String) {
    let words = BridgedWords.of(text, by: writer)
    #expect(words == expected && words.utf8.count <= 200)
}

@Test func nobodysNameIsTooLongForAPacket() {
    for name in [String(repeating: "n", count: 10_000), "a" + String(repeating: "\u{301}", count: 5_000)] {
        #expect(BridgedWords.of(String(repeating: "text ", count: 4_000), by: name).utf8.count <= 200)
    }
}
