import MeshModel
import MeshProtocol
import Store
import Testing

@Suite struct SecretsOfTheRadioAreNotStored {
    @Test func anAnswerWithThePrivateKeyIsBlanked() throws {
        let test = try TestGateway()
        let secret = [UInt8](repeating: 0x5A, count: 32)
        // AdminMessage.get_config_response 6 { security 8 { public_key 1, private_key 2 } }
        let security = [0x0A, 32] + [UInt8](repeating: 7, count: 32) + [0x12, 32] + secret
        let config: [UInt8] = [0x42, UInt8(security.count)] + security
        let answer: [UInt8] = [0x32, UInt8(config.count)] + config
        try test.hear(
            .heard(.admin, answer, from: own, to: own) { packet, data in
                packet.rxRSSI = nil
                data.requestID = 5
            })
        let stored = try #require(try test.packets(from: own).last { $0.decoded?.port == .admin }?.decoded?.payload)
        #expect(stored.contains(7), "the public part stays")
        #expect(!stored.contains(0x5A))
        let source = try test.source
        #expect(try test.store.read { try $0.messages(MessageQuery(source: source)) }.isEmpty)
    }
}
