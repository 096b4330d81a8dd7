import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct OldReportsArePrunedByTheWay {
    @Test func messagesAndNodesStay() throws {
        let test = try TestGateway()
        try test.hear(
            .packet(.text("old", id: 1)), .packet(.heard(.telemetry, device(("batteryLevel", 5)), id: 2)))
        test.setTime(noon + Retention.reportAge + 2 * 3_600_000)
        try test.hear(.text("new", from: bob, id: 3) { packet, _ in packet.rxTime = nil })
        let source = try test.source
        #expect(try test.store.read { try $0.telemetry(in: source) }.isEmpty)
        #expect(try test.packets().map(\.id).contains(1) == false)
        #expect(try test.messages().map(\.text) == ["old", "new"])
        #expect(try test.node(alice)?.batteryLevel == 5)
    }
}
