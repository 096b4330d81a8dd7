import MeshModel
import MeshProtocol
import Testing

/// What the mesh, servers and brokers repeat, and what only looks like it. One row a case.
@Suite struct AMessageIsOneRowHoweverItComesAgain {
    enum Step: Sendable {
        case hears(MeshPacket)
        /// Milliseconds.
        case waits(Int64)
        case reconnects
        case restarts
        /// A person sends a text.
        case sends(String)
        /// What was sent last comes in, under this id.
        case hearsEcho(@Sendable (PacketID) -> MeshPacket)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        /// Texts, oldest first, with what is special about their rows.
        let rows: [String]

        init(_ name: String, _ steps: [Step], rows: [String]) {
            (testDescription, self.steps, self.rows) = (name, steps, rows)
        }
    }

    private static let minute: Int64 = 60_000
    private static let week: Int64 = 7 * 24 * 60 * minute

    private static func text(
        _ text: String, from: NodeNumber = alice, _ change: (inout MeshPacket) -> Void = { _ in }
    ) -> Step {
        .hears(.text(text, from: from) { packet, _ in change(&packet) })
    }

    private static func replay(_ text: String, isBroadcast: Bool = true, from: NodeNumber = alice) -> Step {
        .hears(.heard(.storeForward, storeForwardText(text, isBroadcast: isBroadcast), from: from, to: own))
    }

    private static func echo(_ text: String, viaMQTT: Bool = false, rssi: Int32? = nil) -> Step {
        .hearsEcho { id in
            .text(text, from: own, id: id) { packet, _ in
                (packet.viaMQTT, packet.rxRSSI, packet.hopLimit) = (viaMQTT, rssi, 2)
            }
        }
    }

    static let cases = [
        // The radio and the gateway
        Case("again after a reconnect", [text("hello"), .reconnects, text("hello")], rows: ["hello"]),
        Case("again after a restart", [text("hello"), .restarts, text("hello")], rows: ["hello"]),
        Case("of another sender", [text("hello"), text("hello", from: bob)], rows: ["hello", "hello"]),
        // Store and forward
        Case("a server repeats what we have", [text("hello"), .waits(minute), replay("hello")], rows: ["hello"]),
        Case(
            "a server repeats it to us alone", [text("hello"), .waits(minute), replay("hello", isBroadcast: false)],
            rows: ["hello"]),
        Case(
            "a server repeats it weeks later", [text("hello"), .waits(3 * week), replay("hello"), replay("hello")],
            rows: ["hello"]),
        Case("a server repeats what we have not", [replay("hello"), replay("hello")], rows: ["hello (server's)"]),
        Case("the sender after the server", [replay("hello"), text("hello")], rows: ["hello (server's)"]),
        Case(
            "a server repeats the first of two", [text("one"), .waits(week), text("two"), .waits(week), replay("one")],
            rows: ["one", "two -2"]),
        // Brokers
        Case(
            "a broker hands on what was received",
            [text("hello"), text("hello") { ($0.viaMQTT, $0.hopLimit, $0.rxRSSI) = (true, 1, nil) }], rows: ["hello"]),
        Case(
            "a broker had kept it for days", [text("hello"), .waits(week - 1), text("hello") { $0.viaMQTT = true }],
            rows: ["hello"]),
        Case(
            "a broker echoes us", [.sends("hi"), echo("hi", viaMQTT: true)], rows: ["hi (own)"]),
        Case(
            "a broker's echo on the air", [.sends("hi"), .waits(minute), echo("hi", viaMQTT: true, rssi: -80)],
            rows: ["hi (own)"]),
        Case(
            "our echo weeks later, after a restart",
            [.sends("hi"), .waits(3 * week), .restarts, echo("hi", viaMQTT: true)],
            rows: ["hi (own)"]),
        Case(
            "our id with other words", [.sends("hi"), echo("ho", rssi: -80)], rows: ["hi (own)"]),
        Case(
            "a server repeats us",
            [
                .sends("hi"), .waits(week),
                .hearsEcho { id in
                    .heard(.storeForward, storeForwardText("hi", isBroadcast: true), from: own, to: own, id: id)
                },
            ], rows: ["hi (own)"]),
        Case(
            "an echo of what we never said",
            [text("send money", from: own) { ($0.viaMQTT, $0.rxRSSI) = (true, nil) }], rows: ["send money (spoofed)"]),
        // Ids that are used again
        Case("other words a minute later", [text("one"), .waits(minute), text("two")], rows: ["one"]),
        Case(
            "a forged one came first", [text("forged"), text("real") { $0.xeddsaSigned = true }],
            rows: ["forged", "real -2"]),
        Case("a forged one came last", [text("real") { $0.xeddsaSigned = true }, text("forged")], rows: ["real"]),
        Case("other words weeks later", [text("one"), .waits(3 * week), text("two")], rows: ["one", "two -2"]),
        Case(
            "the same words weeks later", [text("ok"), .waits(3 * week), text("ok"), text("ok")],
            rows: ["ok", "ok -2"]),
        Case(
            "three times", [text("1"), .waits(week), text("2"), .waits(week), text("3")], rows: ["1", "2 -2", "3 -3"]),
    ]

    @Test(arguments: cases) func messages(_ one: Case) throws {
        // Kept to the end: a gateway that goes takes its folder along.
        var gateways = [try TestGateway()]
        var (now, lives, sent) = (noon, 1, PacketID(0))
        for step in one.steps {
            let test = gateways[gateways.count - 1]
            switch step {
            case .hears(let packet): try test.hear(packet)
            case .waits(let time):
                now += time
                test.setTime(now)
            case .reconnects:
                test.radio.unplug()
                try test.waitForLoss()
                test.radio.replug()
                lives += 1
                try test.waitUntilLive(count: lives)
            case .restarts:
                test.stop()
                gateways.append(try TestGateway(at: now, folder: test.folder))
                lives = 1
            case .sends(let text): sent = try test.sendAndHand(text).packetID
            case .hearsEcho(let packet): try test.hear(packet(sent))
            }
        }
        let messages = try gateways[gateways.count - 1].messages()
        #expect(messages.map(Self.summary) == one.rows)
    }

    /// The text, what is special, and what stands behind the sender in the id.
    private static func summary(_ message: Message) -> String {
        var text = message.text
        if message.isOwn { text += " (own)" }
        if message.viaStoreForward { text += " (server's)" }
        if message.spoofSuspected { text += " (spoofed)" }
        let count = message.id.split(separator: "_")[1].split(separator: "-").dropFirst()
        return text + count.map { " -\($0)" }.joined()
    }
}

/// Telemetry and positions: by node and packet id.
@Suite struct AReportIsOneRowHoweverItComesAgain {
    private let position = Position(latitudeI: 465_000_000, longitudeI: 75_000_000, time: noonSeconds)

    private func expectOneOfEach(_ test: TestGateway) throws {
        let source = try test.source
        try test.store.read { reader throws in
            #expect(try reader.telemetry(of: alice, in: source).count == 1)
            #expect(try reader.positions(of: alice, in: source).count == 1)
        }
    }

    private func report(_ change: (inout MeshPacket) -> Void = { _ in }) -> [FromRadio] {
        [
            .packet(.heard(.telemetry, device(("batteryLevel", 80)), id: 1) { packet, _ in change(&packet) }),
            .packet(.heard(.position, position.encoded(), id: 2) { packet, _ in change(&packet) }),
        ]
    }

    @Test func withinHours() throws {
        let test = try TestGateway()
        try test.hear(report())
        try test.hear(report())
        test.setTime(noon + 5 * 3_600_000)
        try test.hear(report { ($0.viaMQTT, $0.rxRSSI, $0.hopLimit) = (true, nil, 0) })
        try expectOneOfEach(test)
    }

    /// Firmware 2.8 hands on what it remembers under the old ids.
    @Test func weeksLaterFromTheRadiosMemory() throws {
        let first = try TestGateway()
        try first.hear(report())
        first.stop()
        let second = try TestGateway(at: noon + 21 * 86_400_000, folder: first.folder)
        try second.hear(
            .packet(.replay(.telemetry, device(("batteryLevel", 80)), id: 1)),
            .packet(.replay(.position, position.encoded(), id: 2)))
        try expectOneOfEach(second)
        #expect(try second.node(alice)?.lastHeard == noon / 1000)
    }

    /// The radio numbers packets anew after each start: weeks later the same number is another packet.
    @Test func weeksLaterFromTheAirItIsAnother() throws {
        let test = try TestGateway()
        try test.hear(report())
        test.setTime(noon + 21 * 86_400_000)
        try test.hear(report { $0.rxTime = nil })
        let source = try test.source
        #expect(try test.store.read { try $0.telemetry(of: alice, in: source) }.count == 2)
    }
}
