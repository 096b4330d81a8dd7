import MeshModel
import MeshProtocol
import Testing

/// Contract 3.3.
@Suite struct AHeardNodeIsBroughtUpToDate {
    @Test func everyPacketTellsHowItsSenderWasHeard() throws {
        let test = try TestGateway()
        test.setTime(noon + 5_999)
        try test.hear(
            .heard(.privateApp, [1], from: bob) { packet, _ in
                packet.hopStart = 5
                packet.hopLimit = 3
                packet.channel = 2
            })
        let node = try #require(try test.node(bob))
        #expect(node.lastHeard == noon / 1000 + 5)
        #expect(node.lastHeardRF == noon / 1000 + 5)
        #expect(node.lastHeardMQTT == nil)
        #expect(node.snr == 6.25)
        #expect(node.rssi == -81)
        #expect(node.hopsAway == 2)
        #expect(node.lastMessageHops == 2)
        #expect(node.channel == 2)
        #expect(node.viaMQTT == false)
        #expect(node.longName == nil)
        #expect(node.createdAt == noon + 5_999)
    }

    @Test func aPacketOverTheBrokerTellsNothingOfTheAir() throws {
        let test = try TestGateway()
        try test.hear(.text("direct"))
        try test.hear(
            .text("far", id: 78) { packet, _ in
                packet.viaMQTT = true
                packet.transport = .mqtt
                packet.rxRSSI = nil
                packet.rxSNR = 0
                packet.hopStart = 7
                packet.hopLimit = 1
            })
        let node = try #require(try test.node(alice))
        #expect(node.viaMQTT == true)
        #expect(node.lastHeardMQTT == noon / 1000)
        #expect(node.hopsAway == 0, "hops of LoRa packets alone")
        #expect(node.lastMessageHops == 6)
        #expect(node.rssi == -81)
        #expect(node.snr == 6.25)
    }

    /// A gateway elsewhere took it from the broker, and its neighbour gave it to us over LoRa.
    @Test func aPacketThatCrossedABrokerHasNoHopsOfItsOwn() throws {
        let test = try TestGateway()
        try test.hear(.text("direct"))
        try test.hear(
            .text("far", id: 78) { packet, _ in
                packet.viaMQTT = true
                packet.hopStart = 7
            })
        #expect(try test.node(alice)?.hopsAway == 0)
        #expect(try test.node(alice)?.lastMessageHops == 4)
    }

    @Test func theStandInForAnUnknownStrengthIsNone() throws {
        let test = try TestGateway()
        try test.hear(.text("a") { packet, _ in packet.rxRSSI = -128 })
        #expect(try test.node(alice)?.rssi == nil)
    }

    @Test func aPrivatePacketNamesNoChannel() throws {
        let test = try TestGateway()
        try test.hear(.text("a") { packet, _ in packet.channel = 3 })
        test.setTime(noon + 1000)
        try test.hear(
            .text("b", to: own, id: 78) { packet, _ in
                packet.pkiEncrypted = true
                packet.publicKey = key(1)
            })
        #expect(try test.node(alice)?.channel == 3)
        #expect(try test.node(alice)?.lastPKIPacket == noon + 1000)
    }

    @Test func anOldReceptionIsNotOneOfNow() throws {
        let test = try TestGateway()
        try test.hear(.text("live"))
        test.setTime(noon + 7 * 3_600_000)
        try test.hear(.text("out of the radio's queue", id: 78) { packet, _ in packet.rxSNR = -9 })
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
        #expect(try test.node(alice)?.snr == 6.25)
        #expect(try test.messages().count == 2)
        // A radio that has lost its clock is believed to have heard it now.
        try test.hear(.text("no clock", id: 79) { packet, _ in packet.rxTime = 86_400 })
        #expect(try test.node(alice)?.lastHeard == noon / 1000 + 7 * 3600)
    }

    @Test func aClockThatWasAheadIsForgotten() throws {
        let test = try TestGateway(at: noon + 365 * 86_400_000)
        try test.hear(.text("tomorrow") { packet, _ in packet.rxTime = nil })
        test.setTime(noon)
        try test.hear(.text("today", id: 78))
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
    }
}
