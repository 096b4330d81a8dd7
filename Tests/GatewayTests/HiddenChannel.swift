import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// A channel of the mesh that the radio does not have.
struct HiddenChannel {
    var name = "Hikers"
    var psk = [UInt8](0x10..<0x20)

    /// The packet as the radio hands it over: it cannot read it.
    func encrypted(_ packet: MeshPacket) throws -> MeshPacket {
        let cipher = try #require(ChannelCipher(name: name, psk: psk))
        var encrypted = packet
        encrypted.channel = UInt32(cipher.hash)
        encrypted.payload = .encrypted(cipher.encrypt(try #require(packet.decoded), from: packet.from, id: packet.id))
        return encrypted
    }

    /// Its key becomes known to the gateway.
    @discardableResult
    func add(to test: TestGateway, isEnabled: Bool = true, enforcesName: Bool = true, as name: String? = nil) throws
        -> ChannelEntry
    {
        try test.gateway.channelDatabase.add(
            name: name ?? self.name, psk: psk, description: nil, isEnabled: isEnabled, enforcesName: enforcesName)
    }
}

extension TestGateway {
    /// Waits for the end of what is being decrypted from the log.
    func waitForRedecryption() throws -> Redecryption.Progress {
        // Each slice is handed over when the one before is on disk.
        for _ in 0..<1000 {
            try settle()
            if let progress = gateway.channelDatabase.redecryption.progress, !progress.isRunning { return progress }
        }
        return try #require(nil as Redecryption.Progress?, "it does not end")
    }
}
