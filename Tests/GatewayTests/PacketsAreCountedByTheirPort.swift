import Glibc
import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

@Suite struct PacketsAreCountedByTheirPort {
    private func counts(_ test: TestGateway) throws -> [PortNumber: [UInt64]] {
        let counts = test.gateway.packetCounts(of: try test.source)
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.port, [$0.received, $0.sent]) })
    }

    @Test func receivedAndSentApart() throws {
        let test = try TestGateway()
        try test.hear(.text("one", from: bob, id: 1))
        try test.hear(.text("two", from: bob, id: 2))
        try test.hear(.packet(MeshPacket(from: bob, to: alice, id: 3, payload: .encrypted([1, 2]), rxRSSI: -80)))
        _ = try test.sendAndHand("out", to: .channel(0))
        // The radio has the last byte before the link says so.
        for _ in 0..<4_500 where try counts(test)[.textMessage] != [2, 1] { usleep(20_000) }
        let counts = try counts(test)
        #expect(counts[.textMessage] == [2, 1])
        #expect(counts[.unknown] == [1, 0])
        // What a radio and its host say to each other is no packet of the mesh.
        #expect(counts[.admin] == nil)
    }

    /// A stranger who counts through all ports fills no memory.
    @Test func atMostSixtyFourPorts() throws {
        var tally = PacketTally()
        let source = try TestGateway().source
        for port in 0..<10_000 as Range<UInt32> {
            tally.count(PortNumber(rawValue: port), of: source, isSent: false)
        }
        #expect(tally[source].count == 64)
        #expect(tally[source].reduce(0) { $0 + $1.received } == 10_000)
    }
}
