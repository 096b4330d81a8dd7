import MeshModel
import MeshProtocol
import Testing

/// Store and forward (SerialReference 4.10): original sender and id, another port.
@Suite struct AServerRepeatsTexts {
    private func replay(_ text: String, isBroadcast: Bool, id: PacketID) -> MeshPacket {
        .heard(.storeForward, storeForwardText(text, isBroadcast: isBroadcast), to: own, id: id) { packet, _ in
            packet.rxTime = noonSeconds - 1800
            packet.channel = 1
        }
    }

    @Test func theyAreTextsOfTheirSender() throws {
        let test = try TestGateway()
        try test.hear(
            .packet(replay("to all", isBroadcast: true, id: 1)), .packet(replay("to us", isBroadcast: false, id: 2)))
        let messages = try test.messages()
        #expect(messages.map(\.text) == ["to all", "to us"])
        #expect(messages.map(\.from) == [alice, alice])
        #expect(messages.map(\.to) == [.broadcast, own])
        #expect(messages.map(\.channel) == [1, -1])
        #expect(messages.allSatisfy { $0.port == .textMessage && $0.viaStoreForward })
        #expect(messages.first?.rxTime == noon - 1_800_000)
    }

    @Test func whatWasHeardLiveIsNotRepeated() throws {
        let test = try TestGateway()
        try test.hear(.text("to all", id: 1))
        try test.hear(replay("to all", isBroadcast: true, id: 1))
        try test.hear(replay("later", isBroadcast: true, id: 2))
        try test.hear(.text("later", id: 2))
        #expect(try test.messages().map(\.text) == ["to all", "later"])
        #expect(try test.messages().map(\.viaStoreForward) == [false, true])
    }

    /// Firmware 2.8.1 repeats under a new id each time, and names the first one.
    @Test func howOftenAServerRepeatsATextItIsOneMessage() throws {
        let test = try TestGateway()
        let again = { (text: String, original: UInt8, id: PacketID) in
            MeshPacket.heard(
                .storeForward, storeForwardText(text, isBroadcast: true, original: original), to: own, id: id)
        }
        try test.hear(.text("heard live", id: 5))
        try test.hear(.packet(again("heard live", 5, 1001)), .packet(again("heard live", 5, 1002)))
        try test.hear(.packet(again("missed", 6, 1003)), .packet(again("missed", 6, 1004)))
        // And a server on this radio's own line, whose repetitions have the first id themselves.
        try test.hear(replay("missed", isBroadcast: true, id: 6))
        try test.hear(.text("missed", id: 6))
        let messages = try test.messages()
        #expect(messages.map(\.text) == ["heard live", "missed"])
        #expect(messages.map(\.packetID) == [5, 6])
        #expect(messages.map(\.viaStoreForward) == [false, true])
    }

    @Test func ourOwnTextIsNobodysForgery() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("ours")
        var payload = storeForwardText("ours", isBroadcast: true) + [0x30]
        var rest = sent.packetID
        while rest > 127 {
            payload.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        payload.append(UInt8(rest))
        try test.hear(.heard(.storeForward, payload, from: own, to: own, id: 1001))
        try test.hear(.heard(.storeForward, payload, from: own, to: own, id: 1002))
        let messages = try test.messages()
        #expect(messages.map(\.text) == ["ours"])
        #expect(messages.allSatisfy { $0.isOwn && !$0.spoofSuspected })
    }

    @Test func theirSenderWasNotHeardNow() throws {
        let test = try TestGateway()
        try test.hear(replay("x", isBroadcast: true, id: 1))
        #expect(try test.node(alice)?.lastHeard == nil)
        #expect(try test.node(alice)?.rssi == nil)
    }

    @Test func aHeartbeatNamesTheServer() throws {
        let test = try TestGateway()
        try test.hear(.heard(.storeForward, [0x08, 2], from: bob))
        #expect(try test.node(bob)?.isStoreForwardServer == true)
        #expect(try test.messages().isEmpty)
    }
}
