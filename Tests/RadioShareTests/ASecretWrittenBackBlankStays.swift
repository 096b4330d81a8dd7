import MeshModel
import RadioSimulator
import Testing

@testable import Gateway
@testable import MeshProtocol
@testable import RadioShare

/// A client reads a section, in which the secret is blank or `sekrit`, changes something else, and writes the section with
/// whatever it makes of the secret. The radio is given the change, and keeps its secret.
@Suite struct ASecretWrittenBackBlankStays {
    struct Secret: CustomTestStringConvertible {
        let name: String
        /// Field numbers in FromRadio, in Config or ModuleConfig (nil: in neither), in the section, in AdminMessage.
        let frame: UInt32
        let section: UInt32?
        let field: UInt32
        let order: UInt32
        /// Another field of the section, with a value that it has not.
        let change: [UInt8]
        let value: @Sendable (SimulatedRadio) -> [UInt8]

        var testDescription: String { name }
    }

    static let secrets = [
        Secret(name: "network.wifi_psk", frame: 5, section: 4, field: 4, order: 34, change: [0x08, 1]) { _ in
            Array(SimulatedRadio.passwords[0].utf8)
        },
        Secret(name: "mqtt.password", frame: 9, section: 1, field: 4, order: 35, change: [0x42, 1, 0x78]) { _ in
            Array(SimulatedRadio.passwords[1].utf8)
        },
        Secret(name: "bluetooth.fixed_pin", frame: 5, section: 7, field: 3, order: 34, change: [0x10, 2]) { _ in
            varint(SimulatedRadio.pins[0])
        },
        Secret(name: "security.private_key", frame: 5, section: 8, field: 2, order: 34, change: [0x30, 1]) {
            $0.privateKey
        },
        Secret(name: "pin_code of the screen", frame: 17, section: nil, field: 6, order: 46, change: [0x10, 99]) { _ in
            varint(SimulatedRadio.pins[1])
        },
    ]

    @Test(arguments: secrets, ["left out", "zero", "as it was shown"])
    func whatever(_ secret: Secret, isWritten spelling: String) throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        let shown = try section(of: secret, shownTo: app)
        let changed = try #require(WireField.all(in: secret.change[...])?.first?.number)
        var wanted: [UInt8] = []
        for field in try #require(WireField.all(in: shown[...])) {
            if field.number == changed || field.number == secret.field && spelling != "as it was shown" { continue }
            wanted += field.whole
        }
        // Of no length, or the number 0.
        if spelling == "zero" {
            wanted += [UInt8(secret.field << 3) | (secret.name.contains("pin") ? 0 : 2), 0]
        }
        wanted += secret.change
        var (content, order): ([UInt8], [UInt8]) = (wanted, [])
        if let tag = secret.section {
            content = []
            WireBytes.append(tag, wanted, to: &content)
        }
        WireBytes.append(secret.order, content, to: &order)
        app.administer(0xd1, order, at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xd1) == RoutingError.none } })
        let written = house.tap.written.withLock { $0 }.compactMap { ClientPacket(inToRadio: $0)?.content?.payload }
        let last = try #require(written.last { $0.starts(with: order.prefix(2)) })
        #expect(last.contains(secret.change), "the change")
        #expect(last.contains(secret.value(house.simulated)), "the secret")
        house.expectNoSecrets()
    }

    /// As the handshake has it.
    private func section(of secret: Secret, shownTo app: App) throws -> [UInt8] {
        for frame in app.frames {
            guard let outer = WireField.all(in: frame.raw[...])?.first, outer.number == secret.frame else { continue }
            guard let tag = secret.section else { return Array(outer.content) }
            guard let inner = WireField.all(in: outer.content)?.first, inner.number == tag else { continue }
            return Array(inner.content)
        }
        return try #require(nil as [UInt8]?, "there is no \(secret.name)")
    }
}
