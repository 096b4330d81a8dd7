import MeshModel
import MeshProtocol
import RadioLink
import Synchronization
import Testing

@testable import Gateway

/// Those who share the radio have as much room as a radio of their own would give them.
@Suite struct AClientHasTheRoomOfARadio {
    private let phone = Sender(.share, "192.0.2.1")

    private func packet(_ port: UInt8, _ id: PacketID) throws -> ClientPacket {
        let data = [8, port, 18, 1, 0x61]
        let packet = try #require(ClientPacket([0x15, 0xff, 0xff, 0xff, 0xff, 0x22, UInt8(data.count)] + data))
        return id == 0 ? packet : packet.sent(from: NodeNumber(0), id: id)
    }

    private func submit(_ packets: [ClientPacket], by sender: Sender, to test: TestGateway) throws -> [Submission] {
        let outcomes = Mutex<[Submission]>([])
        for packet in packets {
            test.gateway.submit(packet, by: sender, right: .send, to: try test.source) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
        }
        try test.settle()
        return outcomes.withLock { $0 }
    }

    /// One leaves at once, sixteen wait.
    @Test func theEighteenthTextIsRefused() throws {
        let test = try TestGateway(pace: .radio)
        // What is refused is told at once, what is taken when it is on disk.
        let goOn = test.stopWriter()
        let source = try test.source
        let outcomes = Mutex<[Submission]>([])
        for id in 1...20 as ClosedRange<PacketID> {
            test.gateway.submit(try packet(1, id), by: phone, right: .send, to: source) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
        }
        #expect(outcomes.withLock { $0 } == [Submission](repeating: .refused(.rateLimitExceeded), count: 4))
        goOn()
        try test.settle()
        #expect(outcomes.withLock { $0.count { if case .queued = $0 { true } else { false } } } == 16)
        #expect(try test.messages().count == 16 && test.messages().allSatisfy { $0.sender == phone })
        // One has gone, which makes room for one.
        _ = test.radio.wait(for: 1)
        #expect(try submit([packet(1, 40)], by: phone, to: test) == [.queued(40, free: 1)])
        #expect(try submit([packet(1, 41)], by: phone, to: test) == [.refused(.rateLimitExceeded)])
        // Another client has its own.
        #expect(try submit([packet(1, 42)], by: Sender(.share, "192.0.2.2"), to: test) == [.queued(42, free: 15)])
    }

    @Test func anIDIsTakenOnce() throws {
        let test = try TestGateway(pace: .radio)
        let first = try submit([packet(8, 7), packet(8, 7)], by: phone, to: test)
        guard case .queued(7, _) = first[0], case .repeated = first[1] else { return #expect(Bool(false), "\(first)") }
        // Whoever comes with it: nodes would drop it.
        let other = try submit([packet(1, 7)], by: Sender(.share, "192.0.2.2"), to: test)
        guard case .repeated = other[0] else { return #expect(Bool(false), "\(other)") }
        // Who leaves the id to the radio gets one.
        let free = try submit([packet(8, 0)], by: phone, to: test)
        guard case .queued(let id, _) = free[0] else { return #expect(Bool(false), "\(free)") }
        #expect(id != 0)
    }

    /// A text waits for the radio; whoever asks for something else is told at once that there is none.
    @Test func whileTheRadioIsAway() throws {
        let test = try TestGateway()
        test.radio.unplug()
        try test.waitForLoss()
        #expect(
            try submit([packet(8, 7), packet(64, 8)], by: phone, to: test) == [
                .refused(.noInterface), .refused(.noInterface),
            ])
        guard case .queued(9, _)? = try submit([packet(1, 9)], by: phone, to: test).first else {
            return #expect(Bool(false))
        }
        test.radio.replug()
        try test.waitUntilLive(count: 2)
        #expect(test.radio.wait(for: 1).first?.id == 9)
    }

    /// A radio has eight channels, and nobody has the number 0.
    @Test func whereNobodyIsNothingGoes() throws {
        let test = try TestGateway()
        let channel = try #require(ClientPacket([0x15, 255, 255, 255, 255, 0x18, 100, 0x22, 5, 8, 1, 18, 1, 0x61]))
        let nobody = try #require(ClientPacket([0x22, 5, 8, 1, 18, 1, 0x61]))
        #expect(
            try submit([channel, nobody], by: phone, to: test) == [.refused(.noChannel), .refused(.badRequest)])
        #expect(try test.messages().isEmpty)
    }

    /// Nothing that nobody can check goes out.
    @Test func whatIsNotDecodedIsRefused() throws {
        let test = try TestGateway()
        let encrypted = try #require(ClientPacket([0x15, 1, 0, 0, 0, 0x2a, 1, 6]))
        let admin = try #require(ClientPacket([0x15, 1, 0, 0, 0, 0x22, 4, 8, 6, 18, 0]))
        // 234 bytes: one more than the air takes.
        let long = try #require(
            ClientPacket(
                [0x15, 255, 255, 255, 255, 0x22, 0xef, 1, 8, 1, 18, 0xea, 1] + [UInt8](repeating: 0x61, count: 234)))
        #expect(
            try submit([encrypted, admin, long], by: phone, to: test) == [
                .refused(.badRequest), .refused(.notAuthorized), .refused(.tooLarge),
            ])
        #expect(test.radio.received.isEmpty)
    }
}
