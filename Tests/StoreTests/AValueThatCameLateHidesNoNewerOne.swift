import MeshModel
import Testing

@testable import Store

/// A value that the radio heard while the gateway was away is stored at its own time, after newer values of other nodes.
/// Whoever asks for the last hour of a whole source still gets those.
@Test func aValueThatCameLateHidesNoNewerOne() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let hour: Int64 = 3_600_000
    try store.commit { writer in
        for (place, at) in [noon, noon - 5 * hour, noon - 2 * hour, noon + 1].enumerated() {
            let packet = MeshPacket(from: bob, to: .broadcast, id: PacketID(place + 1), payload: .none)
            let report = Telemetry(kind: .device, values: [.init("batteryLevel", Double(place))])
            try writer.insertTelemetry(report, from: bob, packet: packet, in: source, at: at)
        }
    }
    try store.read { reader throws in
        for node in [nil, bob] {
            let query = TelemetryQuery(source: source, node: node, since: noon - hour)
            #expect(try reader.telemetryPoints(query, limit: 10).map(\.at) == [noon + 1, noon])
        }
    }
}
