import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// With the setting `hold`.
@Suite struct AMessageWaitsForTheDecision {
    private func announce(_ byte: UInt8, id: PacketID) -> FromRadio {
        .packet(.heard(.nodeInfo, User(longName: "A", shortName: "al", publicKey: key(byte)).encoded(), id: id))
    }

    private func doubtful(folder: String? = nil) throws -> TestGateway {
        let test = try TestGateway(folder: folder, keyChange: .hold)
        if folder == nil { try test.hear(announce(1, id: 1), announce(2, id: 2)) }
        test.radio.keepAdminPackets()
        return test
    }

    /// Texts that reached the radio.
    private func texts(_ packets: [MeshPacket]) -> [MeshPacket] {
        packets.filter { $0.decoded?.port == .textMessage }
    }

    @Test func thatTheOtherKeyIsTheRightOne() throws {
        let test = try doubtful()
        let message = try test.send("one", to: .node(alice))
        #expect(try test.outbox().map(\.hold) == [.keyInDoubt])
        _ = try test.sendAndHand("two", to: .node(bob))
        _ = try test.gateway.decide(.accept, of: alice, by: .cli, in: test.source)
        // Behind what the radio is told about the new key.
        let packets = test.radio.wait(for: 5)
        #expect(packets.map { $0.decoded?.port } == [.textMessage, .admin, .admin, .admin, .textMessage])
        let released = try #require(packets.last)
        #expect(released.id == message.packetID && released.publicKey == key(2) && released.pkiEncrypted)
        try test.hear(.report(.none, on: message.packetID, from: alice))
        #expect(try test.delivery(of: message)?.state == .confirmed)
        #expect(try !test.outbox().contains { $0.packetID == message.packetID || $0.packet.decoded?.port == .admin })
    }

    /// How many were sent and refused is said to who decides.
    @Test func whatHasWaitedTooLongIsRefusedAtOnce() throws {
        let test = try doubtful()
        let text = OutgoingText(text: "late", destination: .node(alice), lifetime: 1_000)
        let late = try #require(try test.gateway.send(text, by: .cli, to: test.source).first)
        let message = try test.send("one", to: .node(alice))
        test.setTime(noon + 60_000)
        let outcome = try test.gateway.decide(.accept, of: alice, by: .cli, in: test.source)
        #expect(outcome.sent == 1 && outcome.refused == 1)
        #expect(try test.delivery(of: late)?.cause == .expired)
        let released = try #require(texts(test.radio.wait(for: 4)).first)
        #expect(released.id == message.packetID)
    }

    @Test func thatTheKnownOneIs() throws {
        let test = try doubtful()
        let message = try test.send("one", to: .node(alice))
        _ = try test.gateway.decide(.verify, of: alice, by: .cli, in: test.source)
        let released = try #require(texts(test.radio.wait(for: 3)).first)
        #expect(released.id == message.packetID && released.publicKey == key(1))
    }

    @Test func orUntilTheNodeIsHeardUnderItsKey() throws {
        let test = try doubtful()
        let message = try test.send("one", to: .node(alice))
        try test.hear(
            .text("it is me", to: own, id: 3) { packet, _ in (packet.pkiEncrypted, packet.publicKey) = (true, key(1)) })
        let released = try #require(texts(test.radio.wait(for: 1)).first)
        #expect(released.id == message.packetID && released.publicKey == key(1))
        try test.settle()
        #expect(try test.outbox().allSatisfy { $0.hold == nil })
    }

    @Test func overARestart() throws {
        let first = try doubtful()
        let message = try first.send("one", to: .node(alice))
        first.stop()
        let second = try doubtful(folder: first.folder)
        _ = try second.sendAndHand("two", to: .node(bob))
        _ = try second.gateway.decide(.accept, of: alice, by: .cli, in: second.source)
        let packets = second.radio.wait(for: 5)
        #expect(packets.map { $0.decoded?.port } == [.textMessage, .admin, .admin, .admin, .textMessage])
        #expect(packets.last?.id == message.packetID && packets.last?.publicKey == key(2))
        #expect(second.radio.wait(for: 6, seconds: 0.1).count == 5, "once")
    }

    @Test func sentAgainItWaitsAsWell() throws {
        let test = try TestGateway(keyChange: .hold)
        try test.hear(announce(1, id: 1))
        let message = try test.sendAndHand("one", to: .node(alice))
        try test.hear(.packet(.report(.maxRetransmit, on: message.packetID, from: own)), announce(2, id: 2))
        _ = try test.gateway.resend(messageID: message.id, in: test.source)
        #expect(try test.outbox().map(\.hold) == [.keyInDoubt])
        let strict = try TestGateway()
        try strict.hear(announce(1, id: 1))
        let other = try strict.sendAndHand("one", to: .node(alice))
        try strict.hear(.packet(.report(.maxRetransmit, on: other.packetID, from: own)), announce(2, id: 2))
        #expect(throws: ResendRefusal.refused(.keyInDoubt(alice))) {
            try strict.gateway.resend(messageID: other.id, in: strict.source)
        }
    }
}
