import MeshModel
import MeshProtocol
import Testing

@Suite struct TextsBecomeMessages {
    @Test func aChannelTextKeepsHowItCame() throws {
        let test = try TestGateway()
        try test.hear(
            .text("hello", from: bob, id: 4_000_000_000) { packet, data in
                packet.channel = 2
                packet.hopStart = 5
                packet.hopLimit = 4
                packet.relayNode = 0xEE
                packet.rxTime = noonSeconds - 7
                packet.xeddsaSigned = true
                data.replyID = 99
                data.emoji = 1
            })
        let message = try #require(try test.messages().first)
        #expect(message.id == "\(try test.sources[0].1.uuid)_\(bob.rawValue)_4000000000")
        #expect(message.from == bob && message.to == .broadcast)
        #expect(message.text == "hello")
        #expect(message.channel == 2)
        #expect(message.port == .textMessage)
        #expect(message.timestamp == noon && message.createdAt == noon)
        #expect(message.rxTime == noon - 7000)
        #expect(message.hopStart == 5 && message.hopLimit == 4 && message.relayNode == 0xEE)
        #expect(message.rxSNR == 6.25 && message.rxRSSI == -81)
        #expect(message.replyID == 99 && message.isTapback)
        #expect(message.xeddsaSigned == true)
        #expect(!message.isOwn && message.delivery == nil && !message.spoofSuspected && !message.viaStoreForward)
        #expect(try test.node(bob) != nil, "a sender without NodeInfo has a row")
    }

    @Test func aDirectTextHasNoChannel() throws {
        let test = try TestGateway()
        try test.hear(.text("psst", to: own) { packet, _ in packet.pkiEncrypted = true })
        let message = try #require(try test.messages().first)
        #expect(message.channel == -1 && message.to == own && message.pkiEncrypted)
    }

    @Test func alertsAndSensorsKeepTheirPort() throws {
        let test = try TestGateway()
        let ports: [PortNumber] = [.alert, .detectionSensor]
        for (index, port) in ports.enumerated() {
            try test.hear(.heard(port, Array("door \(index)".utf8), id: PacketID(index + 1)))
        }
        #expect(try test.messages().map(\.port) == ports)
    }

    /// A range test counts, and a text without a character says nothing. Both are in the packet log.
    @Test func whereNobodyWroteOneThereIsNoMessage() throws {
        let test = try TestGateway()
        try test.hear(.packet(.heard(.rangeTest, Array("seq 17".utf8), id: 1)), .packet(.text("", id: 2)))
        #expect(try test.messages().isEmpty)
        #expect(try test.packets(from: alice).map(\.id) == [1, 2])
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
    }

    /// bytes -> text. Bad UTF-8 and control characters are repaired; newline and tab stay; blanks are a text, and
    /// a bell alone is one as well.
    static let repaired: [([UInt8], String)] = [
        (Array("a\nb\tc".utf8), "a\nb\tc"), (Array("a\r\nb".utf8), "a\nb"),
        ([0x61, 0x00, 0x62], "a\u{FFFD}b"), ([0xFF, 0x61], "\u{FFFD}a"), ([0x07], "\u{1F514}"),
        (Array("  ".utf8), "  "), (Array("👋🏽".utf8), "👋🏽"),
    ]

    @Test func whatTheAirBreaksIsRepaired() throws {
        let test = try TestGateway()
        for (index, (bytes, _)) in Self.repaired.enumerated() {
            try test.hear(.heard(.textMessage, bytes, id: PacketID(index + 1)))
        }
        #expect(try test.messages().map(\.text) == Self.repaired.map(\.1))
    }

    @Test func aPacketThatComesTwiceIsOneMessage() throws {
        let test = try TestGateway()
        try test.hear(.packet(.text("once")), .packet(.text("once")), .packet(.text("once", from: bob)))
        #expect(try test.messages().map(\.from) == [alice, bob])
        // Ids are unique for minutes only.
        test.setTime(noon + 2 * 3_600_000)
        try test.hear(.text("another") { packet, _ in packet.rxTime = nil })
        try test.hear(.text("once") { packet, _ in packet.rxTime = nil })
        #expect(try test.messages().map(\.text) == ["once", "once", "another"])
    }

    @Test func aRadioWithoutAClockTellsNoTime() throws {
        let test = try TestGateway()
        try test.hear(.text("x") { packet, _ in packet.rxTime = 3600 })
        #expect(try test.messages().first?.rxTime == nil)
    }

    @Test func whatCannotBeReadIsKeptInTheLogOnly() throws {
        let test = try TestGateway()
        try test.hear(
            .packet(.heard(.textMessageCompressed, [1, 2, 3], id: 1)),
            .packet(.heard(.position, [0xFF, 0xFF], id: 2)),
            .packet(MeshPacket(from: bob, to: own, channel: 0x5A, id: 3, payload: .encrypted([9, 9]), rxRSSI: -90)))
        #expect(try test.messages().isEmpty)
        #expect(try test.packets().map(\.id).suffix(3) == [1, 2, 3])
        #expect(try test.packets(from: bob).first?.payload == .encrypted([9, 9]))
        #expect(try test.node(bob)?.rssi == -90)
        #expect(try test.node(bob)?.channel == nil, "a hash is no index")
    }
}
