import MeshModel
import MeshProtocol
import Testing

@testable import RestAPI

/// What `listen` and the packet log say of a packet.
@Suite struct APacketIsSaidInPlainWords {
    @Test(arguments: [
        (Telemetry(kind: .localStats, values: [.init("uptimeSeconds", 1003)]), "uptime 1003 s"),
        (
            Telemetry(kind: .localStats, values: [.init("numOnlineNodes", 5), .init("numTotalNodes", 24)]),
            "5 nodes online, 24 nodes known"
        ),
        (
            Telemetry(kind: .device, values: [.init("batteryLevel", 87), .init("voltage", 3.94)]),
            "battery level 87 %, voltage 3.94 V"
        ),
    ])
    func telemetry(_ telemetry: Telemetry, words: String) {
        let packet = MeshPacket(
            from: TestGateway.peer, to: .broadcast, id: 1,
            payload: .decoded(MeshData(port: .telemetry, payload: telemetry.encoded())))
        #expect(packet.words { $0.id } == words)
    }
}
