import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// Whoever asks for a setting gets it, with any right, once, and without the secrets in it.
@Suite struct GettersAreAnswered {
    /// The order, and the field of the answer: SerialReference 4.14.
    static let getters: [(name: String, order: [UInt8], answer: [UInt8])] = [
        ("channel 0", [0x08, 1], [0x12]), ("channel 7", [0x08, 8], [0x12]), ("owner", [0x18, 1], [0x22]),
        ("device", [0x28, 0], [0x32]), ("lora", [0x28, 5], [0x32]), ("security", [0x28, 7], [0x32]),
        ("session key", [0x28, 8], [0x32]), ("mqtt", [0x38, 0], [0x42]), ("canned messages", [0x50, 1], [0x5a]),
        ("metadata", [0x60, 1], [0x6a]), ("ringtone", [0x70, 1], [0x7a]), ("connection", [0x80, 1, 1], [0x8a, 1]),
        ("user interface", [0xe0, 2, 1], [0xea, 2]),
    ]

    @Test(arguments: [ClientRight.read, .admin]) func once(right: ClientRight) throws {
        let house = try SharedHouse([right])
        let app = try house.connected()
        for (place, getter) in Self.getters.enumerated() {
            let id = PacketID(0x200 + place)
            app.administer(id, getter.order, at: house.number)
            _ = try #require(app.wait { $0.contains { $0.packet?.decoded?.requestID == id } }, "\(getter.name)")
        }
        try app.settle()
        for (place, getter) in Self.getters.enumerated() {
            let id = PacketID(0x200 + place)
            let answers = app.frames.filter { $0.packet?.decoded?.requestID == id }
            #expect(answers.count == 1 && app.frames.count { $0.status?.packetID == id } == 1, "\(getter.name)")
            let payload = answers[0].admin(id)
            #expect(payload?.starts(with: getter.answer) == true, "\(getter.name): \(payload ?? [])")
        }
        // Eight bytes that an app may keep and send back; what decodes a packet here leaves them out.
        let session = try #require(app.frames.first { $0.admin(0x206) != nil })
        #expect(session.raw.contains([0x32, 2, 0x4a, 0, 0xaa, 6, 8]))
        // config.security.is_managed, config.device.is_managed, moduleConfig.mqtt.proxy_to_client_enabled
        let isShown = { (id: PacketID, field: [UInt8]) in
            app.frames.contains { $0.admin(id)?.contains(field) == true }
        }
        #expect(isShown(0x205, [0x20, 1]) == (right == .read) && isShown(0x203, [0x48, 1]) == (right == .read))
        house.expectNoSecrets()
    }

    /// The official command line waits for these two for ever, whatever else it is told.
    @Test func textsAreDataAlsoWhileTheRadioIsAway() throws {
        let house = try SharedHouse([.read])
        let app = try house.connected()
        house.simulated.unplug()
        #expect(eventually { !house.gateway.status(of: house.source).isConnected })
        app.administer(1, [0x50, 1], at: house.number)
        app.administer(2, [0x70, 1], at: house.number)
        app.administer(3, [0x28, 5], at: house.number)
        for id in 1...3 as ClosedRange<PacketID> { _ = try #require(app.wait { $0.contains { $0.admin(id) != nil } }) }
    }
}
