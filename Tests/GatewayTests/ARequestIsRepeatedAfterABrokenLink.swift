import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// Asking twice does no harm, while somebody waits for the answer.
@Suite struct ARequestIsRepeatedAfterABrokenLink {
    /// A request that the radio got and about which it said nothing; then the link breaks for so long.
    private func request(_ test: TestGateway, awayFor seconds: Int64) throws -> PacketID {
        test.radio.ignorePackets()
        let accepted = try test.gateway.request(.position, of: alice, in: test.source)
        #expect(test.radio.wait(for: 1).map(\.id) == [accepted.packetID])
        try test.hear([])
        test.radio.unplug()
        try test.waitForLoss()
        test.setTime(noon + seconds * 1000)
        test.radio.replug()
        try test.waitUntilLive(count: 2)
        return accepted.packetID
    }

    @Test func withinTwoMinutes() throws {
        let test = try TestGateway()
        let id = try request(test, awayFor: 119)
        #expect(test.radio.wait(for: 2).map(\.id) == [id, id])
    }

    @Test func notLater() throws {
        let test = try TestGateway()
        let id = try request(test, awayFor: 120)
        #expect(try test.outbox().isEmpty)
        let next = try test.sendAndHand("meanwhile")
        #expect(test.radio.received.map(\.id) == [id, next.packetID])
    }
}
