import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// An app that would carry a broker's traffic for the radio is told that it may not, and why; it is not acknowledged and
/// ignored.
@Suite struct ABrokersTrafficIsTheGatewaysOwn {
    private func setMQTT(_ content: [UInt8]) -> [UInt8] {
        [0x9a, 2, UInt8(content.count + 2), 0x0a, UInt8(content.count)] + content
    }

    /// As the handshake has it, and with proxy_to_client_enabled (9) besides.
    private func shown(_ app: App) -> [UInt8] {
        let frame = app.frames.map(\.raw).first { $0.count > 3 && $0[0] == 0x4a && $0[2] == 0x0a }
        return frame.map { Array($0.dropFirst(4)) } ?? []
    }

    @Test func theProxyIsRefusedWithAReason() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        let before = house.tap.written.withLock { $0.count }
        app.administer(0x91, setMQTT(shown(app) + [0x48, 1]), at: house.number)
        let frames = try #require(
            app.wait { $0.contains { if case .clientNotification = $0.message { true } else { false } } })
        #expect(frames.contains { $0.routing(0x91) == .notAuthorized })
        #expect(!frames.contains { $0.routing(0x91) == RoutingError.none })
        let notifications = frames.compactMap { frame -> ClientNotification? in
            if case .clientNotification(let notification) = frame.message { notification } else { nil }
        }
        #expect(notifications.map(\.replyID) == [0x91])
        #expect(notifications[0].message.contains("MQTT"))
        let written = house.tap.written.withLock { Array($0.dropFirst(before)) }
        // The link itself may set the radio's clock in this moment; set_module_config (35) is what must not go out.
        #expect(!written.contains { ClientPacket(inToRadio: $0)?.content?.payload.starts(with: [0x9a, 2]) == true })
    }

    /// What else the section says is the client's to change.
    @Test func theRestOfTheSectionIsWritten() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        // Another root (8).
        app.administer(0x92, setMQTT(shown(app) + [0x42, 1, 0x78]), at: house.number)
        let frames = try #require(app.wait { $0.contains { $0.routing(0x92) != nil } })
        #expect(frames.contains { $0.routing(0x92) == RoutingError.none })
    }
}
