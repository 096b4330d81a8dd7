import MeshModel
import MeshProtocol
import Platform
import Synchronization
import Testing

@testable import Gateway

/// Bots send without `want_ack`: then no word ever comes, and what the radio has taken is final.
@Suite struct ATextThatNobodyAsksAboutIsNotFailed {
    private let bot = Sender(.share, "192.0.2.1")
    private let id: PacketID = 0x4711

    private func submit(_ test: TestGateway, wantsAck: Bool = false) throws {
        let packet = try #require(
            ClientPacket(
                [0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 5, 8, 1, 18, 1, 0x61] + (wantsAck ? [0x50, 1] : [])
                    + [0x35, 0x11, 0x47, 0, 0]))
        test.gateway.submit(packet, by: bot, right: .send, to: try test.source) { _ in }
        try test.settle()
        _ = test.radio.wait(for: 1)
        try test.waitUntilHanded(id)
        try test.settle()
    }

    private func message(_ test: TestGateway) throws -> Message {
        let source = try test.source
        return try #require(try test.store.read { try $0.message(packetID: id, from: nil, in: source) })
    }

    private func waitInVain(_ test: TestGateway) throws {
        _ = test.gateway.radios.all[0].expire(at: MonotonicClock.nanoseconds() + 400_000_000_000)
        try test.settle()
    }

    private func accept(_ test: TestGateway) throws {
        try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: id)))
    }

    @Test func whatTheRadioHasTakenIsFinal() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        try submit(test)
        #expect(try message(test).delivery?.wantsAck == false)
        #expect(try message(test).delivery?.publicName == "pending")
        try accept(test)
        try waitInVain(test)
        let delivery = try #require(try message(test).delivery)
        #expect(delivery.state == .accepted && delivery.error == nil && delivery.cause == nil)
        #expect(delivery.publicName == "delivered")
        #expect(try test.outbox().isEmpty)
        let source = try test.source
        #expect(try test.store.read { try $0.messages(.init(source: source)) }.map(\.delivery?.wantsAck) == [false])
    }

    /// Whoever asked and was told nothing is told so.
    @Test func withAnAcknowledgementItFails() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        try submit(test, wantsAck: true)
        try accept(test)
        try waitInVain(test)
        #expect(try message(test).delivery?.publicName == "failed")
        #expect(try message(test).delivery?.wantsAck == true)
    }

    @Test func whatTheRadioNeverTookFails() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        try submit(test)
        for _ in 0..<2 { try waitInVain(test) }
        let delivery = try #require(try message(test).delivery)
        #expect(delivery.state == .failed && delivery.cause != nil)
        // Both are known at once.
        #expect(delivery.wantsAck == false)
    }

    @Test func aRefusalIsARefusal() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        try submit(test)
        try accept(test)
        try test.hear(.packet(.report(.dutyCycleLimit, on: id, from: own)))
        #expect(try message(test).delivery?.error == .dutyCycleLimit)
    }
}
