import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct OldReportsArePrunedByTheWay {
    private static let hour: Int64 = 3_600_000

    @Test func messagesAndNodesStay() throws {
        let test = try TestGateway()
        try test.hear(
            .packet(.text("old", id: 1)), .packet(.heard(.telemetry, device(("batteryLevel", 5)), id: 2)))
        // The first word after a month says only that the clock has leapt; a day later it is believed.
        let later = noon + 31 * 24 * Self.hour
        for (id, time) in [(3, later), (4, later + 12 * Self.hour), (5, later + 24 * Self.hour)] as [(PacketID, Int64)]
        {
            test.setTime(time)
            try test.hear(.text("new", from: bob, id: id) { packet, _ in packet.rxTime = nil })
            if id == 3 { #expect(try test.packets().map(\.id).contains(1)) }
        }
        let source = try test.source
        try test.idle()
        #expect(try test.store.read { try $0.telemetry(in: source) }.isEmpty)
        #expect(try test.packets().map(\.id).contains(1) == false)
        #expect(try test.messages().map(\.text) == ["old", "new", "new", "new"])
        #expect(try test.node(alice)?.batteryLevel == 5)
    }

    /// Twenty packets a second for five minutes, and a file of 1 MB.
    @Test func aFloodStaysWithinTheSizeAndTakesNoMessages() throws {
        var retention = Retention()
        retention.size = 1_000_000
        let test = try TestGateway(retention: retention)
        for index in 1...100 as ClosedRange<PacketID> { try test.hear(.text("message \(index)", id: index)) }
        for round: UInt32 in 0..<20 {
            test.setTime(noon + Int64(round) * 15_000)
            try test.hear(
                (0..<300).map { (index: UInt32) -> FromRadio in
                    let id = 1000 + round * 300 + index
                    return .packet(
                        .heard(
                            .telemetry, device(("batteryLevel", Double(id % 100)), ("voltage", 3.5)),
                            from: NodeNumber(5000 + id % 97), id: id))
                })
        }
        try test.idle()
        let usage = try test.store.read { try $0.usage() }
        #expect(usage.used < 1_000_000)
        // Moving the log begins at 2 MB; a reader that is there just then keeps it from starting again for a while.
        #expect(test.store.health.size < 1_000_000 + 2 * 4_200_000, "the file and its log")
        #expect(test.store.health.prunedRows > 1000)
        #expect(try test.messages().count == 100)
        #expect(try test.packets().last?.id == 1000 + 20 * 300 - 1)
        #expect(usage.oldestMessage == noon)
    }
}

extension TestGateway {
    /// Waits until nothing is left to delete: two looks at the same number of deleted rows, with changes in between.
    fileprivate func idle() throws {
        var before = -1
        for _ in 0..<1000 where before != store.health.prunedRows {
            before = store.health.prunedRows
            for _ in 0..<5 { try settle() }
        }
    }
}
