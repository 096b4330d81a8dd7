import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct WhatTheRadioCannotReadIsDecrypted {
    private let hidden = HiddenChannel()

    private func logged(_ test: TestGateway) throws -> [LoggedPacket] {
        let source = try test.source
        return try test.store.read { try $0.packets(PacketQuery(in: source)) }.reversed()
    }

    @Test func aTextBecomesAMessageOfTheEntrysChannel() throws {
        let test = try TestGateway()
        let entry = try hidden.add(to: test)
        try test.hear(try hidden.encrypted(.text("at the hut", id: 5)))
        let message = try #require(try test.messages().first)
        #expect(message.text == "at the hut" && message.from == alice && message.packetID == 5)
        #expect(message.channel == 100 + Int(entry.id) && message.decryptedWith == entry.id)
        #expect(message.rxSNR == 6.25 && message.rxRSSI == -81)
        let row = try #require(try logged(test).first)
        #expect(row.packet.decoded?.payload == Array("at the hut".utf8) && row.decryptedWith == entry.id)
        let counted = try test.store.read { try $0.channelEntry(entry.id) }
        #expect(counted?.decryptedPackets == 1 && counted?.lastDecryptedAt == noon)
    }

    @Test func otherPacketsAreAppliedToo() throws {
        let test = try TestGateway()
        let entry = try hidden.add(to: test)
        let position = Position(latitudeI: 471_000_000, longitudeI: 113_000_000)
        try test.hear([
            .packet(try hidden.encrypted(.heard(.nodeInfo, User(id: alice.id, longName: "Alice").encoded(), id: 6))),
            .packet(try hidden.encrypted(.heard(.telemetry, device(("batteryLevel", 55)), id: 7))),
            .packet(try hidden.encrypted(.heard(.position, position.encoded(), id: 8))),
        ])
        let node = try #require(try test.node(alice))
        #expect(node.longName == "Alice" && node.batteryLevel == 55 && node.latitude == 47.1)
        // The position belongs to those who may know of that channel.
        #expect(node.positionChannel == 100 + Int(entry.id) && node.channel == 100 + Int(entry.id))
    }

    /// We send on the radio's channels only.
    @Test func whereANodeIsReachedIsNotForgotten() throws {
        let test = try TestGateway()
        try hidden.add(to: test)
        try test.hear(.text("in the open", id: 1) { packet, _ in packet.channel = 2 })
        try test.hear(try hidden.encrypted(.text("in secret", id: 2)))
        #expect(try test.node(alice)?.channel == 2)
    }

    @Test func withoutAKeyItStaysEncrypted() throws {
        let test = try TestGateway()
        try hidden.add(to: test, isEnabled: false)
        try HiddenChannel(name: "Rescue", psk: Array(0x40..<0x60)).add(to: test)
        let packet = try hidden.encrypted(.text("psst", id: 5))
        try test.hear(packet)
        #expect(try test.messages().isEmpty)
        #expect(try logged(test).map(\.packet) == [packet])
        #expect(try logged(test).map(\.decryptedWith) == [nil])
    }

    @Test func theNameCountsWhenTheEntrySaysSo() throws {
        let test = try TestGateway()
        let strict = try hidden.add(to: test, enforcesName: true, as: "Climbers")
        try test.hear(try hidden.encrypted(.text("one", id: 1)))
        #expect(try test.messages().isEmpty)
        _ = try test.gateway.channelDatabase.update(strict.id) { $0.enforcesName = false }
        try test.hear(try hidden.encrypted(.text("two", id: 2)))
        #expect(try test.messages().map(\.text) == ["two"])
    }

    @Test func theFirstInOrderIsAskedFirst() throws {
        let test = try TestGateway()
        let first = try hidden.add(to: test)
        let second = try hidden.add(to: test)
        #expect(first.sortOrder < second.sortOrder)
        try test.hear(try hidden.encrypted(.text("one", id: 1)))
        try test.gateway.channelDatabase.reorder([(first.id, 9), (second.id, 3), (77, 1)])
        try test.hear(try hidden.encrypted(.text("two", id: 2)))
        _ = try test.gateway.channelDatabase.remove(second.id)
        try test.hear(try hidden.encrypted(.text("three", id: 3)))
        #expect(try test.messages().map(\.decryptedWith) == [first.id, second.id, first.id])
    }

    @Test func aKeyOutlivesARestart() throws {
        let before = try TestGateway()
        try hidden.add(to: before)
        before.stop()
        let after = try TestGateway(folder: before.folder)
        try after.hear(try hidden.encrypted(.text("still here", id: 5)))
        #expect(try after.messages().map(\.text) == ["still here"])
    }

    /// The radio learns the channel, and hears the packet once more.
    @Test func thePacketComesTwiceAndIsOneMessage() throws {
        let test = try TestGateway()
        try hidden.add(to: test)
        try test.hear(try hidden.encrypted(.text("once", id: 5)))
        try test.hear(.text("once", id: 5) { packet, _ in packet.channel = 3 })
        #expect(try test.messages().map(\.id) == ["\(try test.sources[0].1.uuid)_\(alice.rawValue)_5"])
    }

    @Test func whatOthersSayToEachOtherIsNoDirectMessage() throws {
        let test = try TestGateway()
        let entry = try hidden.add(to: test)
        try test.hear(try hidden.encrypted(.text("for bob", to: bob, id: 1)))
        try test.hear(try hidden.encrypted(.text("for us", to: own, id: 2)))
        #expect(try test.messages().map(\.channel) == [100 + Int(entry.id), -1])
    }

    /// No hash, and to us: it is encrypted with our key, whatever a channel's key would make of it.
    @Test func whatIsForUsAloneIsNotTried() throws {
        let test = try TestGateway()
        let open = HiddenChannel(name: "Anything", psk: [0])
        try open.add(to: test, enforcesName: false)
        var packet = try open.encrypted(.text("sealed", to: own, id: 5))
        packet.channel = 0
        try test.hear(packet)
        packet.to = bob
        packet.id = 6
        try test.hear(packet)
        #expect(try test.messages().map(\.packetID) == [6])
    }

    /// Who has the key can claim what he likes about our packets.
    @Test func noReportOnOurPacketsComesThisWay() throws {
        let test = try TestGateway()
        try hidden.add(to: test)
        let message = try test.sendAndHand("hello", to: .node(alice))
        try test.hear(try hidden.encrypted(.report(.none, on: message.packetID, from: alice)))
        #expect(try test.delivery(of: message)?.state != .confirmed)
        try test.hear(.report(.none, on: message.packetID, from: alice))
        #expect(try test.delivery(of: message)?.state == .confirmed)
    }

    @Test func nothingIsSent() throws {
        let test = try TestGateway()
        try hidden.add(to: test)
        try test.hear(
            try hidden.encrypted(
                .heard(.position, [], to: own, id: 5) { packet, data in
                    packet.wantAck = true
                    data.wantResponse = true
                }))
        let marker = try test.sendAndHand("mine")
        #expect(test.radio.received.map(\.id) == [marker.packetID])
    }
}
