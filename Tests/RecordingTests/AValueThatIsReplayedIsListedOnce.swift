import Foundation
import MeshModel
import MeshProtocol
import Recordings
import Store
import Testing

/// Real firmware 2.8.0, whose settings were changed and which was connected twice: after each handshake it repeated its
/// neighbour's battery under a new id, the second time with an earlier time than the first.
@Test func aValueThatIsReplayedIsListedOnce() throws {
    let path = RecordingFiles.folder.appendingPathComponent("28-tcp-reconnect-replayed-telemetry.capture").path
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try Store(path: folder.appendingPathComponent("mesh.db").path)
    defer { store.close() }
    try Replay(Recording(RecordedStream(contentsOfFile: path)), into: store).run()

    let bert = NodeNumber(0x571C_C627)
    let source = try #require(try store.read { try $0.sources().first }).0
    let battery = try store.read { try $0.telemetry(of: bert, in: source) }
    #expect(battery.map { $0.value["batteryLevel"] } == [94])
    // When the radio heard it, not when it said so.
    #expect(battery.map(\.at) == [1_795_591_711_000])
    #expect(try store.read { try $0.positions(of: bert, in: source) }.map(\.value.latitudeI) == [471_007_232])
    let logged = try store.read { try $0.packets(PacketQuery(in: source, from: bert)) }.map(\.packet)
    #expect(logged.count { $0.decoded?.port == .telemetry } == 1)
    #expect(logged.count { $0.decoded?.port == .position } == 1)
}
