import MeshModel
import Testing

@testable import Store

/// Detection sensors (port 10) and alarms (11) are messages; nobody waits to be answered. Range tests (66) of earlier versions
/// are neither.
@Test func whatNobodyWroteIsNotUnread() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    defer { store.close() }
    let ports: [PortNumber] = [.textMessage, .detectionSensor, .alert, .rangeTest]
    for (index, port) in ports.enumerated() {
        for channel in [0, -1] {
            var message = Message.received("x \(index)", channel: channel, id: PacketID(index * 2 + channel + 10))
            message.port = port
            let received = message
            #expect(try store.commit { try $0.insertMessage(received, in: source) })
        }
    }
    let counts = try store.read { try $0.unread(by: 0, channels: 0...7, direct: true, in: source) }
    #expect(counts.channels == [0: 1])
    #expect(counts.direct.values.reduce(0, +) == 1)
}
