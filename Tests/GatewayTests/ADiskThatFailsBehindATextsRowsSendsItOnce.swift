import Glibc
import MeshModel
import MeshProtocol
import Store
import Synchronization
import Testing

@testable import Gateway
@testable import Store

/// A text's rows are on disk, and from then on the disk takes nothing more: not what the queue, the radio and the link have to
/// say of it. It goes out once, and when the disk is well it is told as it was.
@Suite struct ADiskThatFailsBehindATextsRowsSendsItOnce {
    /// Behind the change that is under way the file may not grow any more (SQLITE_FULL), until it is told to.
    private final class FullDisk: Sendable {
        private let isFull = Atomic(true)
        private let test: TestGateway

        init(_ test: TestGateway) { self.test = test }

        func begin() {
            test.store.enqueue(
                .immediate,
                { [self] writer in
                    let isFull = isFull.load(ordering: .acquiring)
                    let pages = isFull ? try writer.connection.integer("PRAGMA page_count") ?? 0 : 1_000_000
                    try writer.connection.execute("PRAGMA max_page_count = \(pages)")
                    // More than the pages that are there hold.
                    let text = String(repeating: "x", count: isFull ? 100_000 : 1)
                    try writer.insert(Happening(.notice, at: noon, text: text))
                })
        }

        func waitUntilItFails() throws {
            for _ in 0..<60_000 where test.store.health.failingSince == nil { usleep(1_000) }
            try #require(test.store.health.failingSince != nil, "it takes everything")
        }

        func end() throws {
            isFull.store(false, ordering: .releasing)
            try test.settle()
            #expect(test.store.health.failingSince == nil)
        }
    }

    private func accepted(_ id: PacketID) -> FromRadio {
        .queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: id))
    }

    private func replug(_ test: TestGateway) throws {
        test.radio.replug()
        try test.waitUntilLiveUnstored(count: 2)
        try test.hearUnstored()
    }

    private func expect(_ sent: Message, isFollowedIn test: TestGateway) throws {
        let next = try test.sendAndHand("next")
        try test.hear(accepted(next.packetID))
        #expect(test.radio.received.map(\.id) == [sent.packetID, next.packetID])
        #expect(try test.outbox().map(\.attempts) == [1, 1])
        #expect(try test.messages().map(\.delivery?.state) == [.accepted, .accepted])
    }

    /// It leaves at once, the radio has it, and the link breaks.
    @Test func whatTheRadioHasIsNotSentAgain() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let disk = FullDisk(test)
        test.meanwhile { disk.begin() }
        let sent = try test.send("once")
        try disk.waitUntilItFails()
        #expect(test.radio.wait(for: 1).map(\.id) == [sent.packetID])
        try test.hearUnstored(accepted(sent.packetID))
        test.radio.unplug()
        try test.waitForLoss()
        try replug(test)
        #expect(test.radio.received.count == 1)
        try disk.end()
        #expect(try test.delivery(of: sent)?.state == .accepted)
        try expect(sent, isFollowedIn: test)
    }

    /// The link breaks before it is in the queue: the note that it leaves now is wrong, and cannot be put right yet.
    @Test func whatTheRadioHasNotWaitsForTheDisk() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let disk = FullDisk(test)
        test.meanwhile {
            disk.begin()
            test.radio.unplug()
            try? test.waitForLoss()
        }
        let sent = try test.send("once")
        try disk.waitUntilItFails()
        try replug(test)
        #expect(test.radio.received.isEmpty)
        try disk.end()
        #expect(test.radio.wait(for: 1).map(\.id) == [sent.packetID])
        try test.hear(accepted(sent.packetID))
        try expect(sent, isFollowedIn: test)
    }
}
