import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

@Suite struct WhatWaitsOutlivesTheLink {
    private func accepted(_ message: Message) -> FromRadio {
        .queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: message.packetID))
    }

    private func reconnect(_ test: TestGateway, after seconds: Int64) throws {
        test.radio.unplug()
        try test.waitForLoss()
        test.setTime(noon + seconds * 1000)
        test.radio.replug()
        try test.waitUntilLive(count: 2)
    }

    @Test func whatTheRadioNeverAnsweredIsGivenAgainInOrder() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let texts = try (1...4).map { try test.send("text \($0)") }
        let ids = texts.map(\.packetID)
        #expect(test.radio.wait(for: 2).map(\.id) == Array(ids[..<2]))
        try test.hear(accepted(texts[0]))
        #expect(test.radio.wait(for: 3).map(\.id) == Array(ids[..<3]))
        try reconnect(test, after: 60)
        // 1 is known to have arrived; 2 and 3 are not; 4 was never given. Two at a time.
        #expect(test.radio.wait(for: 5).map(\.id) == Array(ids[..<3] + ids[1...2]))
        try test.hear(accepted(texts[1]), accepted(texts[2]))
        #expect(test.radio.wait(for: 6).map(\.id) == Array(ids[..<3] + ids[1...]))
        #expect(try test.messages().count == 4)
    }

    @Test func notAfterTwoMinutes() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let texts = try (1...3).map { try test.send("text \($0)") }
        #expect(test.radio.wait(for: 2).count == 2)
        try test.settle()
        try reconnect(test, after: 121)
        // Only the one that was never given.
        #expect(test.radio.wait(for: 3).map(\.id) == texts.map(\.packetID))
        for text in texts[..<2] {
            #expect(try test.delivery(of: text)?.state == .failed)
            #expect(try test.delivery(of: text)?.cause == .uncertain)
        }
    }

    @Test func aRestartKeepsWhatWaits() throws {
        let first = try TestGateway()
        first.radio.ignorePackets()
        let texts = try (1...3).map { try first.send("text \($0)") }
        #expect(first.radio.wait(for: 2).count == 2)
        first.stop()
        let second = try TestGateway(folder: first.folder)
        #expect(second.radio.wait(for: 3).map(\.id) == texts.map(\.packetID))
        #expect(second.radio.received.map(\.decoded?.payload) == ["text 1", "text 2", "text 3"].map { Array($0.utf8) })
        try second.hear([])
        #expect(try second.outbox().map(\.state) == [.accepted, .accepted, .accepted])
        #expect(try second.messages().map(\.delivery?.state) == [.accepted, .accepted, .accepted])
    }

    /// Its texts wait for a radio that is away, not for one that happens to be there.
    @Test func anotherRadioIsNotGivenThem() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let texts = try (1...3).map { try test.send("text \($0)") }
        #expect(test.radio.wait(for: 2).count == 2)
        test.radio.unplug()
        try test.waitForLoss()
        test.radio.replug {
            $0.number = bob
            $0.deviceID = [UInt8](repeating: 9, count: 16)
        }
        try test.waitUntilLive(count: 2)
        let other = try test.sendAndHand("from bob")
        #expect(other.from == bob)
        #expect(test.radio.received.map(\.id).suffix(1) == [other.packetID])
        #expect(test.radio.received.count == 3)

        test.radio.unplug()
        test.radio.replug {
            $0.number = own
            $0.deviceID = [UInt8](1...16)
        }
        try test.waitUntilLive(count: 3)
        #expect(test.radio.wait(for: 5).map(\.id).suffix(2) == texts.map(\.packetID).prefix(2))
    }

    @Test func theyCarryTheNumberThatTheRadioNowHas() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        for index in 1...3 { try test.send("text \(index)") }
        #expect(test.radio.wait(for: 2).count == 2)
        test.radio.unplug()
        try test.waitForLoss()
        test.radio.replug { $0.number = carol }
        try test.waitUntilLive(count: 2)
        #expect(test.radio.wait(for: 4).suffix(2).map(\.from) == [carol, carol])
    }
}
