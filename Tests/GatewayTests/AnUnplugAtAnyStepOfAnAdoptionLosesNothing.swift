import Glibc
import MeshModel
import MeshProtocol
import Store
import Synchronization
import Testing

@testable import Gateway

/// A text waits for a radio, whose cable is pulled again at some step between its introduction and the moment in which the text
/// goes out. Nothing is taken for a radio that has left, and the text goes out once, when the radio stays.
@Suite struct AnUnplugAtAnyStepOfAnAdoptionLosesNothing {
    enum Step: CaseIterable {
        /// It has introduced itself, and the writer has not begun to decide.
        case introduced
        /// The decision is being made: its source's rows are read.
        case rowsAreRead
        /// The decision is on disk, and nobody has been told.
        case onDisk
        /// The gate has opened, and the text's note is on its way to the disk.
        case noting
    }

    private let phone = Sender(.share, "192.0.2.1")

    private func submit(_ id: PacketID, to test: TestGateway) throws -> Submission? {
        let packet = try #require(ClientPacket([0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 5, 8, 8, 18, 1, 0x61]))
        let outcome = Mutex<Submission?>(nil)
        test.gateway.submit(packet.sent(from: NodeNumber(0), id: id), by: phone, right: .send, to: try test.source) {
            told in outcome.withLock { $0 = told }
        }
        return outcome.withLock { $0 }
    }

    @Test(arguments: Step.allCases) func andTheTextGoesOutOnce(_ step: Step) throws {
        let test = try TestGateway()
        test.radio.unplug()
        try test.waitForLoss()
        let waiting = OutgoingText(parts: ["waits"], destination: .channel(0), waits: true)
        let text = try #require(try test.gateway.send(waiting, by: .cli, to: test.source).first)
        // The own node is heard later than before, which is a change that tells of the commit.
        test.setTime(noon + 60_000)
        let goOn = test.stopWriter()
        test.radio.replug()
        try test.waitUntilLiveUnstored(count: 2)

        let isDecided = Atomic(false)
        let listener = test.gateway.changes(of: [.node]) {
            guard !isDecided.exchange(true, ordering: .relaxed) else { return }
            switch step {
            case .introduced, .rowsAreRead: break
            case .onDisk: Self.pull(test)
            // The link's thread reads the clock for the note, and is the one that notices the loss.
            case .noting: test.meanwhile { test.radio.unplug() }
            }
        }
        switch step {
        case .introduced: Self.pull(test)
        case .rowsAreRead: test.meanwhile { Self.pull(test) }
        case .onDisk, .noting: break
        }
        goOn()
        try test.waitForLoss(count: 2)
        try test.settle()
        #expect(isDecided.load(ordering: .relaxed) && test.radio.received.isEmpty)
        #expect(try test.outbox().map(\.state) == [.waiting] && test.outbox().map(\.attempts) == [0])
        #expect(try submit(7, to: test) == .refused(.noInterface))
        #expect(throws: SendRefusal.notConnected) { try test.send("into the void") }
        withExtendedLifetime(listener) {}

        test.radio.replug()
        try test.waitUntilLive(count: 3)
        #expect(test.radio.wait(for: 1).map(\.id) == [text.packetID])
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == [text.packetID, next.packetID])
        try test.hear([])
        #expect(try test.messages().map(\.delivery?.state) == [.accepted, .accepted])
    }

    private static func pull(_ test: TestGateway) {
        test.radio.unplug()
        try? test.waitForLoss(count: 2)
    }
}
