import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// What the radio keeps to itself is in nothing that a client is told, whatever its right: not in handshakes, not in answers to
/// getters of whatever there is, not behind a change, and not in what another client does.
@Suite struct NoClientIsToldASecret {
    @Test func ofAnyRight() throws {
        let house = try SharedHouse([.read, .send, .admin])
        let apps = try (0..<3).map { try house.connected($0) }
        // The secrets are in the radio's own handshake.
        let secrets = SimulatedRadio.pins.map { varint($0) } + [house.simulated.privateKey]
        for secret in secrets {
            #expect(house.tap.handshake.withLock { $0.contains { $0.contains(secret) } })
        }
        // Channels, owner, all sections and some more, canned messages, metadata, ringtone, connections, pins, the screen.
        var getters: [[UInt8]] = [
            [0x18, 1], [0x50, 1], [0x60, 1], [0x70, 1], [0x80, 1, 1], [0x98, 1, 1], [0xe0, 2, 1],
        ]
        getters += (0...9 as ClosedRange<UInt8>).map { [0x08, $0] }
        getters += (0...12 as ClosedRange<UInt8>).map { [0x28, $0] }
        getters += (0...20 as ClosedRange<UInt8>).map { [0x38, $0] }
        for (place, app) in apps.enumerated() {
            for (number, getter) in getters.enumerated() {
                let id = PacketID(0x1000 * (place + 1) + number)
                app.administer(id, getter, at: house.number)
                _ = try #require(app.wait { $0.contains { $0.packet?.decoded?.requestID == id } }, "\(getter)")
            }
        }
        // Another PIN and another password: who has set them knows them, and nobody is told.
        let (pin, password) = (varint(424_242), Array("frisch-gesetzt".utf8))
        let bluetooth: [UInt8] = [0x3a, UInt8(pin.count + 5), 8, 1, 0x10, 1, 0x18] + pin
        let mqtt: [UInt8] = [0x0a, UInt8(password.count + 2), 0x22, UInt8(password.count)] + password
        let generation = try #require(house.gateway.handshake(of: house.source)).generation
        // begin_edit_settings, set_config, set_module_config, commit_edit_settings
        let orders: [[UInt8]] = [
            [0x80, 4, 1], [0x92, 2, UInt8(bluetooth.count)] + bluetooth, [0x9a, 2, UInt8(mqtt.count)] + mqtt,
            [0x88, 4, 1],
        ]
        for (number, order) in orders.enumerated() {
            let id = PacketID(0x9001 + number)
            apps[2].administer(id, order, at: house.number)
            _ = try #require(apps[2].wait { $0.contains { $0.routing(id) == RoutingError.none } }, "\(order)")
        }
        #expect(house.tap.written.withLock { $0.contains { $0.contains(password) } })
        #expect(eventually { house.gateway.handshake(of: house.source).map { $0.generation > generation } == true })
        for (place, app) in apps.enumerated() {
            app.send(.wantConfig(99))
            _ = try #require(app.wait { $0.contains { $0.message == .configComplete(99) } })
            for (number, getter) in ([[0x28, 6], [0x38, 0], [0xe0, 2, 1]] as [[UInt8]]).enumerated() {
                let id = PacketID(0xA000 + 0x100 * place + number)
                app.administer(id, getter, at: house.number)
                _ = try #require(app.wait { $0.contains { $0.packet?.decoded?.requestID == id } }, "\(getter)")
            }
            try app.settle()
            #expect(!app.bytes.contains(password) && !app.bytes.contains([0x18] + pin))
        }
        house.expectNoSecrets()
    }
}
