import MeshModel
import Testing

@testable import Store

/// A conversation over a broker and a radio with three channels: the first has no name, the third no key.
private struct Valley {
    let folder = Folder()
    let store: Store
    let radio: SourceID
    let club: SourceID
    static let channels = [
        Channel(index: 0, role: .primary, psk: [1]), Channel(index: 1, role: .secondary, name: "Hikers", psk: [2]),
        Channel(index: 2, role: .secondary, name: "Rescue"),
    ]

    init() throws {
        (store, radio) = try Store.withSource(folder)
        club = try store.commit {
            try $0.insert(
                BrokerConversation("club", broker: "house", filters: ["club/#"]),
                uuid: "11111111-2222-4333-8444-555555555555", at: 1_000)
        }
        try change(Self.channels)
    }

    func change(_ channels: [Channel]) throws {
        let radio = radio
        try store.commit { try $0.updateChannels(channels, in: radio, at: 2_000) }
    }

    @discardableResult
    func join(_ channel: Int, _ change: (inout ConversationBridge) -> Void = { _ in }) throws -> Bool {
        let (radio, club) = (radio, club)
        var bridge = ConversationBridge(channel: channel, of: try store.read { try $0.source(radio)?.uuid ?? "" })
        change(&bridge)
        return try store.commit { [bridge] in try $0.setBridge((bridge, radio: radio), of: club) }
    }

    var conversation: BrokerConversation {
        get throws { try store.read { try $0.brokerConversation("club")!.conversation } }
    }
    var channel: BridgedChannel? { get throws { try store.read { try $0.bridgedChannel(of: club) } } }
}

@Test func aBridgeIsFoundAsItWasSet() throws {
    let valley = try Valley()
    #expect(try valley.conversation.bridge == nil && valley.conversation.channels.isEmpty && valley.channel == nil)
    #expect(
        try valley.join(1) { bridge in
            (bridge.goesUp, bridge.textsPerHour) = (false, 7)
        })
    let found = try #require(try valley.store.read { try $0.brokerConversation("club") })
    let bridge = try #require(found.conversation.bridge)
    #expect(found.radio == valley.radio && bridge.channel == 1 && !bridge.goesUp && bridge.goesDown)
    #expect(bridge.textsPerHour == 7 && bridge.stop == nil && found.conversation.channels == [1])
    // What else the conversation is made of is changed without it.
    try valley.store.commit { writer in
        var conversation = found.conversation
        (conversation.title, conversation.bridge) = ("Club", nil)
        try writer.update(found.source, to: conversation)
    }
    #expect(try valley.conversation.bridge == bridge)
    // A channel that the radio does not use is none.
    #expect(try !valley.join(5) && valley.conversation.bridge == bridge)
}

@Test func theChannelsRightsCountForEver() throws {
    let valley = try Valley()
    for channel in [0, 2] {
        try valley.join(channel)
        _ = try valley.store.commit { [club = valley.club] in try $0.setBridge(nil, of: club) }
    }
    #expect(try valley.conversation.bridge == nil && valley.conversation.channels == [0, 2])
    #expect(try valley.store.read { try $0.channels(ofConversation: valley.club) } == [0, 2])
    #expect(try valley.store.read { try $0.channels(ofConversation: valley.radio) } == [])
    // It goes with the conversation.
    try valley.join(1)
    try valley.store.commit { [club = valley.club] in try $0.removeBrokerConversation(club) }
    #expect(try valley.store.read { try $0.connection.integer("SELECT count(*) FROM broker_bridges") } == 0)
}

@Test func anotherNameOrKeyIsAnotherChannel() throws {
    var changes: [(bridged: Int, channel: Channel, expected: BridgedChannel)] = []
    var hikers = Valley.channels[1]
    hikers.uplinkEnabled = true
    changes.append((1, hikers, .same))
    hikers.name = "Hiker"
    changes.append((1, hikers, .another))
    hikers = Valley.channels[1]
    hikers.psk = [3]
    changes.append((1, hikers, .another))
    hikers = Valley.channels[1]
    hikers.usesAEAD = true
    changes.append((1, hikers, .another))
    hikers = Valley.channels[1]
    hikers.role = .disabled
    changes.append((1, hikers, .unused))
    var primary = Valley.channels[0]
    primary.psk = [9]
    changes.append((1, primary, .same))
    // A channel without a key has that of the primary one.
    changes.append((2, primary, .another))
    for (bridged, channel, expected) in changes {
        let valley = try Valley()
        try valley.join(bridged)
        #expect(try valley.channel == .same)
        try valley.change([channel])
        #expect(try valley.channel == expected, "\(bridged): \(channel)")
    }
}

/// A nameless channel is called after the modem preset.
@Test func anotherPresetIsAnotherNameOfANamelessChannel() throws {
    for (channel, expected) in [(0, BridgedChannel.another), (1, .same)] {
        let valley = try Valley()
        func use(_ preset: UInt32) throws {
            try valley.store.commit { [radio = valley.radio] writer in
                try writer.update(radio) {
                    $0.lora = LoRaSettings(
                        usePreset: true, modemPreset: ModemPreset(rawValue: preset), region: 3, hopLimit: 3,
                        txEnabled: true)
                }
            }
        }
        try use(0)
        try valley.join(channel)
        try use(4)
        #expect(try valley.channel == expected)
    }
}

@Test func aStoppedOneIsSetAgain() throws {
    let valley = try Valley()
    try valley.join(1)
    try valley.store.commit { [club = valley.club] in try $0.stopBridge(of: club, because: "it has another name") }
    #expect(try valley.conversation.bridge?.stop == "it has another name")
    try valley.join(1)
    #expect(try valley.conversation.bridge?.stop == nil)
}

@Test func whatWentUpIsAnOwnTextOnce() throws {
    let valley = try Valley()
    let (store, club) = (valley.store, valley.club)
    let about = BrokerText(topic: "club/talk", writer: "Anna", id: "!a1b2c3d4-00000007")
    func goUp() throws -> Bool {
        try store.commit {
            try $0.insertBridged("Servus", about, in: club, at: 3_000, expiresAt: 123_000, staysInHouse: true)
        }
    }
    #expect(try goUp())
    #expect(try !goUp())
    let row = try #require(try store.read { try $0.messages(.init(source: club)) }.first)
    #expect(row.isOwn && row.sender == .bridge && row.delivery?.state == .queued)
    #expect(try store.read { try $0.unread(.channel(0), by: 1, in: club) } == 0)
    // Others read its writer's name, not the gateway's.
    let waiting = try store.read { try $0.waitingTexts(for: "house", after: 0, limit: 9) }
    #expect(waiting.map(\.writer) == ["Anna"] && waiting.map(\.id) == ["!a1b2c3d4-00000007"])
    #expect(waiting.map(\.staysInHouse) == [true])
    // Another gateway was faster.
    let others = BrokerText(topic: "club/talk", writer: "Bert", id: "!a1b2c3d4-00000008")
    _ = try store.commit { try $0.insertReceived("Griaß di", others, in: club, at: 3_100) }
    let isNew = try store.commit {
        try $0.insertBridged("Griaß di", others, in: club, at: 3_200, expiresAt: 4_000, staysInHouse: false)
    }
    #expect(!isNew)
    #expect(
        try store.read { try $0.bridgedTexts(since: 0, in: club, limit: 9) } == [
            BridgedText(id: about.id, writer: "Anna", text: "Servus", at: 3_000),
            BridgedText(id: others.id, writer: "Bert", text: "Griaß di", at: 3_100),
        ])
}

@Test func whatWentDownIsCountedByItsSender() throws {
    let valley = try Valley()
    let radio = valley.radio
    try valley.store.commit { writer in
        let club = Sender(.mqtt, "club")
        for (number, sender) in [club, Sender(.mqtt, "news"), .cli, club].enumerated() {
            var message = Message.own("\(number)", id: PacketID(number + 1), at: noon + Int64(number))
            (message.sender, message.channel) = (sender, 1)
            try writer.insertMessage(message, in: radio)
        }
    }
    let times = try valley.store.read {
        try $0.timesSent(by: Sender(.mqtt, "club"), on: 1, since: noon, in: radio, limit: 60)
    }
    #expect(times == [noon, noon + 3])
}

@Test func aSenderSaysWhetherItMayGoToABroker() throws {
    let valley = try Valley()
    let radio = valley.radio
    try valley.store.commit { writer in
        for (number, bitfield) in ([nil, 0, 1, 3] as [UInt32?]).enumerated() {
            var data = MeshData(port: .textMessage, payload: Array("x".utf8))
            data.bitfield = bitfield
            let packet = MeshPacket(from: alice, to: .broadcast, id: PacketID(number + 1), payload: .decoded(data))
            try writer.logPacket(packet, direction: .rx, in: radio, at: noon)
        }
    }
    let allowed = try valley.store.read { reader in
        try (1...5).map { try reader.isOKToMQTT(PacketID($0), from: alice, in: radio) }
    }
    #expect(allowed == [false, false, true, true, false])
}
