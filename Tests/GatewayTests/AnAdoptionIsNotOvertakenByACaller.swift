import Glibc
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

/// The disk is slow, and between a radio's introduction and the decision whose it is somebody wants something of its outbox.
@Suite struct AnAdoptionIsNotOvertakenByACaller {
    private let phone = Sender(.share, "192.0.2.1")

    private func packet(_ id: PacketID) throws -> ClientPacket {
        let data: [UInt8] = [8, 8, 18, 1, 0x61]
        let packet = try #require(ClientPacket([0x15, 0xff, 0xff, 0xff, 0xff, 0x22, UInt8(data.count)] + data))
        return packet.sent(from: NodeNumber(0), id: id)
    }

    /// Packets that are no texts are answered at once.
    private func submit(_ id: PacketID, to gateway: Gateway, _ source: SourceID) throws -> Submission? {
        let outcome = Mutex<Submission?>(nil)
        gateway.submit(try packet(id), by: phone, right: .send, to: source) { told in outcome.withLock { $0 = told } }
        return outcome.withLock { $0 }
    }

    @Test func aClientsPacketIsTakenAndWaits() throws {
        let test = try TestGateway()
        let source = try test.source
        let goOn = test.stopWriter()
        try test.readAgain()
        guard case .queued(7, _) = try submit(7, to: test.gateway, source) else {
            return #expect(Bool(false), "it was not taken")
        }
        try test.hearUnstored(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: 0)))
        #expect(test.radio.received.isEmpty)
        goOn()
        try test.settle()
        #expect(test.radio.wait(for: 1).map(\.id) == [7])
    }

    @Test func nothingIsTakenForARadioThatLeavesMeanwhile() throws {
        let test = try TestGateway()
        let source = try test.source
        let goOn = test.stopWriter()
        try test.readAgain()
        test.radio.unplug()
        try test.waitForLoss()
        #expect(try submit(7, to: test.gateway, source) == .refused(.noInterface))
        goOn()
        try test.settle()
        // The decision came too late for it.
        #expect(try submit(8, to: test.gateway, source) == .refused(.noInterface))
        #expect(throws: SendRefusal.notConnected) { try test.send("into the void") }
        test.radio.replug()
        try test.waitUntilLive(count: 3)
        #expect(test.radio.received.isEmpty)
        guard case .queued(9, _) = try submit(9, to: test.gateway, source) else {
            return #expect(Bool(false), "it was not taken")
        }
        #expect(test.radio.wait(for: 1).map(\.id) == [9])
    }

    @Test func aTextThatIsAcceptedBehindItGoesOutOnce() throws {
        let test = try TestGateway()
        let source = try test.source
        let goOn = test.stopWriter()
        try test.readAgain()
        let text = try #require(ClientPacket([0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 5, 8, 1, 18, 1, 0x61]))
            .sent(from: NodeNumber(0), id: 7)
        let outcome = Mutex<Submission?>(nil)
        test.gateway.submit(text, by: phone, right: .send, to: source) { told in outcome.withLock { $0 = told } }
        goOn()
        try test.settle()
        guard case .queued(7, _) = outcome.withLock({ $0 }) else { return #expect(Bool(false), "it was not taken") }
        #expect(test.radio.wait(for: 1).map(\.id) == [7])
        let last = try test.sendAndHand("last")
        #expect(test.radio.received.map(\.id) == [7, last.packetID])
    }

    @Test func whatIsTakenBackMeanwhileDoesNotGoOut() throws {
        let test = try TestGateway()
        test.radio.unplug()
        try test.waitForLoss()
        let waiting = OutgoingText(parts: ["waits"], destination: .channel(0), waits: true)
        let message = try #require(try test.gateway.send(waiting, by: .cli, to: test.source).first)
        #expect(try test.gateway.cancel(messageID: message.id, in: test.source).delivery?.cause == .cancelled)
        test.radio.replug()
        try test.waitUntilLive(count: 2)
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == [next.packetID])
    }

    /// Its radio is put into the other port while a client's packet, which has no row, waits for it.
    @Test func aPacketWithoutARowGoesWithItsRadioToAnotherLink() throws {
        let test = try SeveralRadios(["a": SeveralRadios.first, "b": nil])
        let source = try test.source("a")
        // It is taken while nothing is given out: the writer holds the decision back.
        let goOn = test.stopWriter()
        try test.readAgain("a")
        for id in 1...5 as ClosedRange<PacketID> {
            guard case .queued = try submit(id, to: test.gateway, source) else {
                return #expect(Bool(false), "\(id) was not taken")
            }
        }
        test.radio("a").unplug()
        for _ in 0..<60_000 where test.gateway.status(of: source).isConnected { usleep(1_000) }
        #expect(!test.gateway.status(of: source).isConnected)
        goOn()
        try test.waitForLoss("a", times: 1)
        test.radio("b").replug(SeveralRadios.first)
        try test.waitUntilAdopted("b")
        #expect(try test.source("b") == source)
        #expect(test.radio("b").wait(for: 5).map(\.id) == [1, 2, 3, 4, 5])
        #expect(test.radio("a").received.isEmpty)
    }
}
