import Foundation
import MeshModel
@testable import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// What a bridge makes of the change log, and of a kill in between.
@Suite struct ABridgeJoinsAConversationToAChannel {
    // MARK: up

    @Test func whatIsSaidOnTheChannelIsPublishedOnce() throws {
        let valley = try BridgedValley()
        try valley.store.commit { [source = valley.source] writer in
            try writer.updateNode(BridgedValley.anna, in: source, at: 1) { $0.longName = "Anna" }
        }
        try valley.hear("Servus")
        try valley.pass(4_000)
        let text = try #require(try valley.goneUp.first)
        #expect(try valley.goneUp.count == 1)
        #expect(text.text == "Servus" && text.writer == "Anna" && text.id == "!a1b2c3d4-0000002c")
        #expect(text.topic == "club/talk")
        // What the broker does not take while it is news is of yesterday.
        #expect((1...120_000).contains(text.expiresAt - valley.now.wall))
        // Not sent back, and not again after a restart.
        valley.begin()
        try valley.pass(20_000)
        #expect(try valley.goneUp.count == 1 && valley.goneDown.isEmpty)
    }

    @Test func aTextOfOursIsPublishedToo() throws {
        let valley = try BridgedValley()
        try valley.hear("from the hut", bitfield: nil) { message in
            (message.isOwn, message.sender, message.delivery) = (true, .cli, Delivery())
        }
        try valley.pass(4_000)
        #expect(try valley.goneUp.map(\.text) == ["from the hut"])
    }

    /// Others are not asked by a broker of this house, and its owner never is.
    @Test(arguments: [("127.0.0.1", 3), ("mqtt.example.org", 1)])
    func aTextOfOthersNeedsTheirLeaveToGoFurther(_ host: String, _ count: Int) throws {
        let valley = try BridgedValley(host: host)
        try valley.hear("yes", bitfield: 1)
        try valley.hear("no", bitfield: 0)
        try valley.hear("it does not say", bitfield: nil)
        try valley.pass(4_000)
        #expect(try valley.goneUp.count == count && valley.goneUp.first?.text == "yes")
    }

    @Test func theseNeverGo() throws {
        let valley = try BridgedValley()
        let never: [(String, (inout Message) -> Void)] = [
            ("direct", { ($0.channel, $0.to) = (-1, NodeNumber(7)) }), ("another channel", { $0.channel = 1 }),
            ("reaction", { ($0.isTapback, $0.replyID) = (true, 7) }), ("alert", { $0.port = .alert }),
            ("bell", { $0.hasBell = true }), ("sensor", { $0.port = .detectionSensor }),
            ("forged", { $0.spoofSuspected = true }), ("over MQTT", { $0.viaMQTT = true }),
            ("of a bridge", { ($0.isOwn, $0.sender, $0.delivery) = (true, Sender(.mqtt, "club"), Delivery()) }),
            ("of the radio's queue", { $0.rxTime = $0.timestamp - 121_000 }),
        ]
        for (text, change) in never { try valley.hear(text, change) }
        try valley.hear("late", as: .late)
        try valley.hear("corrected", as: .corrected)
        try valley.hear("a text")
        try valley.pass(4_000)
        #expect(try valley.goneUp.map(\.text) == ["a text"])
    }

    @Test func anotherGatewaysIsNotPublishedAgain() throws {
        let valley = try BridgedValley()
        let said = try valley.hear("Servus")
        try valley.receive("Servus", from: "Anna", id: "!a1b2c3d4-0000002c")
        #expect(said.packetID == 0x2C)
        try valley.pass(20_000)
        #expect(try valley.goneUp.isEmpty && valley.goneDown.isEmpty)
    }

    /// A kill while it waits, and one behind its commit.
    @Test func aKillAsksAgainAndPublishesOnce() throws {
        let valley = try BridgedValley()
        try valley.hear("Servus")
        for _ in 0..<3 {
            try valley.pass(0)
            #expect(try valley.goneUp.isEmpty)
            valley.begin()
        }
        try valley.pass(4_000)
        #expect(try valley.goneUp.map(\.text) == ["Servus"])
        valley.begin()
        try valley.pass(4_000)
        #expect(try valley.goneUp.map(\.text) == ["Servus"])
    }

    /// Another gateway has sent down what we have not heard from the broker yet.
    @Test func nothingGoesUpWhileTheBrokerIsAway() throws {
        let valley = try BridgedValley()
        valley.upsFrom = nil
        try valley.hear("Bert: Hallo")
        try valley.pass(20_000)
        #expect(try valley.goneUp.isEmpty)
        try valley.receive("Hallo")
        valley.upsFrom = .min
        try valley.pass(20_000)
        #expect(try valley.goneUp.isEmpty && valley.report?.dropped == 0)
        // What it is away for too long from is given up, and holds nothing back.
        valley.upsFrom = nil
        for number in 0..<10 { try valley.hear("\(number)") }
        try valley.pass(121_000)
        valley.upsFrom = .min
        try valley.hear("news")
        try valley.pass(4_000)
        #expect(try valley.goneUp.map(\.text) == ["news"])
    }

    @Test func aLimitIsChangedWithoutAnyLoss() throws {
        let valley = try BridgedValley()
        try valley.hear("Servus")
        try valley.receive("Hallo")
        try valley.pass(0)
        try valley.join { $0.textsPerHour = 5 }
        valley.load()
        try valley.pass(20_000)
        #expect(try valley.goneUp.map(\.text) == ["Servus"] && valley.report?.dropped == 1, "there is no radio")
    }

    /// The log was longer than it is kept, or the clock was set.
    @Test func whatWasMissedIsKnownFromTheRows() throws {
        let valley = try BridgedValley()
        try valley.receive("Hallo")
        try valley.hear("Bert: Servus")
        try valley.store.commit { try $0.forgetChanges() }
        try valley.hear("Bert: Hallo")
        try valley.receive("Servus")
        try valley.pass(20_000)
        #expect(try valley.goneUp.isEmpty && valley.report?.dropped == 0)
    }

    @Test func whatIsOlderThanTwoMinutesIsGivenUp() throws {
        let valley = try BridgedValley()
        try valley.hear("Servus")
        valley.sleep(121_000)
        valley.begin()
        try valley.pass(4_000)
        #expect(try valley.goneUp.isEmpty)
        try valley.hear("later")
        try valley.pass(4_000)
        #expect(try valley.goneUp.map(\.text) == ["later"])
    }

    @Test func onlyDownIsNotUp() throws {
        let valley = try BridgedValley()
        try valley.join { $0.goesUp = false }
        valley.load()
        try valley.hear("Servus")
        try valley.pass(4_000)
        #expect(try valley.goneUp.isEmpty)
    }

    // MARK: down

    @Test func whatIsSaidInTheConversationIsSentOnce() throws {
        let valley = try BridgedValley(hasRadio: true)
        try valley.receive("Hallo")
        try valley.write("Servus")
        try valley.pass(25_000)
        // Whoever hears it on the channel first would publish it.
        #expect(try valley.goneDown.map(\.text) == ["Bert: Hallo"], "the broker does not have it yet")
        try valley.takeWaiting()
        try valley.pass(25_000)
        let sent = try valley.goneDown
        #expect(sent.map(\.text) == ["Bert: Hallo", "Hut: Servus"] && sent.allSatisfy(\.isOwn))
        let radio = try #require(valley.radio)
        for message in sent {
            let packet = try #require(radio.waitForPacket(timeout: 90) { $0.id == message.packetID })
            #expect(packet.to == .broadcast && packet.decoded?.payload == Array(message.text.utf8))
        }
        // It is no text of the channel that goes up, and after a restart nothing is sent again.
        valley.begin()
        try valley.pass(20_000)
        #expect(try valley.goneDown.count == 2 && valley.goneUp.isEmpty)
        #expect(valley.report?.dropped == 0)
    }

    /// So that one which the conversation has forgotten by then, and which comes again, is not sent again.
    @Test func aTextIsSentUnderItsOwnKey() throws {
        let valley = try BridgedValley(hasRadio: true)
        try valley.receive("Hallo", id: "b-1")
        try valley.pass(20_000)
        #expect(try valley.goneDown.count == 1)
        let (club, now) = (valley.club, valley.now.wall)
        #expect(try valley.store.commit { try $0.acceptedSend("b-1", by: -club.rawValue, at: now) } != nil)
    }

    @Test func whatTheRadioCannotSendIsCounted() throws {
        let valley = try BridgedValley()
        for number in 1...3 { try valley.receive("\(number)") }
        try valley.pass(40_000)
        #expect(valley.report?.dropped == 3 && valley.report?.lastReason == "the radio was away")
        #expect(try valley.goneDown.isEmpty)
    }

    /// What waits ends with the process, and what lay at the broker is of yesterday.
    @Test func nothingOfBeforeGoesDown() throws {
        let valley = try BridgedValley()
        try valley.receive("while it waits")
        try valley.pass(0)
        valley.begin()
        let row = try #require(try valley.receive("of yesterday"))
        valley.bridges?.neverSend([(valley.club, row)])
        try valley.pass(20_000)
        #expect(valley.report?.dropped == 0, "it was not even tried")
        try valley.receive("of today")
        try valley.pass(20_000)
        #expect(valley.report?.dropped == 1)
    }

    /// At most twenty in an hour, also over a restart.
    @Test func anHourIsCountedOverRestarts() throws {
        let valley = try BridgedValley(hasRadio: true)
        try valley.join { $0.textsPerHour = 2 }
        valley.load()
        try valley.receive("1")
        try valley.pass(15_000)
        valley.begin()
        try valley.receive("2")
        try valley.receive("3")
        try valley.pass(25_000)
        #expect(try valley.goneDown.map(\.text) == ["Bert: 1", "Bert: 2"] && valley.report?.dropped == 1)
        #expect(valley.report?.lastReason == "the limit of 2 an hour was reached")
    }

    @Test func ofAThousandAtOnceTheMeshIsToldTwenty() throws {
        let valley = try BridgedValley(hasRadio: true)
        for number in 1...1_000 { try valley.receive("\(number)") }
        // One after the other, each with a wait of its own.
        try valley.pass(250_000, steps: 1_000)
        let sent = try valley.goneDown.map(\.text)
        #expect(sent.count == 20 && Set(sent).count == 20)
        #expect(valley.report?.dropped == 980)
        #expect(valley.report?.lastReason == "the limit of 20 an hour was reached")
        valley.begin()
        try valley.receive("1001")
        try valley.pass(25_000)
        #expect(try valley.goneDown.count == 20)
    }

    /// What is said from then on passes, once; what waited may be given up as of another day.
    @Test(arguments: [86_400_000, -86_400_000] as [Int64]) func aClockIsSetByADay(_ change: Int64) throws {
        let valley = try BridgedValley(hasRadio: true)
        try valley.hear("before")
        try valley.receive("before")
        try valley.pass(0)
        valley.setClock(by: change)
        try valley.pass(20_000)
        try valley.hear("after")
        try valley.receive("after")
        for _ in 0..<2 {
            try valley.pass(20_000)
            let (up, down) = try (valley.goneUp.map(\.text), valley.goneDown.map(\.text))
            #expect(up.count { $0 == "after" } == 1 && down.count { $0 == "Bert: after" } == 1)
            #expect(up.count { $0 == "before" } <= 1 && down.count { $0 == "Bert: before" } <= 1)
            // As after a restart.
            valley.begin()
        }
    }

    @Test func whatAnotherGatewayHasSentIsNotSent() throws {
        let valley = try BridgedValley()
        try valley.receive("Hallo")
        try valley.pass(0)
        try valley.hear("Bert: Hallo")
        try valley.pass(20_000)
        #expect(valley.report?.dropped == 0, "it was not even tried")
        #expect(try valley.goneUp.isEmpty)
    }

    // MARK: another channel

    @Test(arguments: [
        [Channel(index: 0, role: .primary, name: "Hills", psk: [1])],
        [Channel(index: 0, role: .primary, name: "Valley", psk: [2])],
        [Channel(index: 0, role: .disabled)],
        // It has moved.
        [
            Channel(index: 0, role: .primary, name: "Hills", psk: [2]),
            Channel(index: 1, role: .secondary, name: "Valley", psk: [1]),
        ],
    ])
    func whatWasMeantForAnotherChannelDoesNotPass(_ channels: [Channel]) throws {
        let valley = try BridgedValley()
        try valley.hear("for the valley")
        try valley.receive("for the valley")
        try valley.pass(0)
        try valley.change(channels)
        try valley.hear("for the hills")
        try valley.pass(20_000)
        let reason = "channel 0 has another name or another key"
        #expect(try valley.bridge?.stop == reason && valley.goneUp.isEmpty && valley.report == nil)
        // Nor does it begin again by itself.
        try valley.change([Channel(index: 0, role: .primary, name: "Valley", psk: [1])])
        valley.load()
        try valley.hear("for whom?")
        try valley.pass(20_000)
        #expect(try valley.goneUp.isEmpty)
        try valley.join()
        valley.load()
        try valley.hear("for the valley again")
        try valley.pass(4_000)
        #expect(try valley.bridge?.stop == nil && valley.goneUp.map(\.text) == ["for the valley again"])
    }

    /// Moved, exchanged or given another key while nobody looked.
    @Test func itIsLookedAtFromTheStart() throws {
        let valley = try BridgedValley()
        try valley.change([Channel(index: 0, role: .primary, name: "Hills", psk: [1])])
        valley.begin()
        try valley.hear("for the hills")
        try valley.receive("for the valley")
        try valley.pass(20_000)
        #expect(try valley.bridge?.stop != nil && valley.goneUp.isEmpty && valley.report == nil)
    }

    @Test func aBridgeThatEndsPassesNothing() throws {
        let valley = try BridgedValley()
        try valley.hear("Servus")
        try valley.receive("Hallo")
        try valley.pass(0)
        _ = try valley.store.commit { [club = valley.club] in try $0.setBridge(nil, of: club) }
        valley.load()
        try valley.pass(20_000)
        #expect(try valley.goneUp.isEmpty && valley.report == nil)
        #expect(try valley.store.read { try $0.cursor("bridges house") } == nil)
    }
}
