import MeshModel
import Testing

@testable import MeshProtocol

/// `--ch-set psk none` writes one zero byte, and other programs none at all: neither is a hidden key. All others of zeros are.
@Suite struct NoEncryptionIsAKey {
    private func channel(psk: [UInt8]) throws -> RadioChannel {
        // index 1; settings { psk, name "Hut" }; role SECONDARY
        let settings = [0x12, UInt8(psk.count)] + psk + [0x1a, 3] + Array("Hut".utf8)
        return try #require(RadioChannel([8, 1, 0x12, UInt8(settings.count)] + settings + [0x18, 2]))
    }

    @Test(arguments: [[], [0], [1], [2], Array(repeating: 7, count: 16)] as [[UInt8]])
    func aKeyIsReplaced(by wanted: [UInt8]) throws {
        let real = try channel(psk: Array(1...16))
        #expect(try real.changed(from: real, to: channel(psk: wanted)) == channel(psk: wanted))
    }

    @Test(arguments: [16, 32]) func aHiddenOneStays(_ length: Int) throws {
        let real = try channel(psk: Array(1...16))
        #expect(try real.changed(from: real, to: channel(psk: [UInt8](repeating: 0, count: length))) == real)
    }

    /// What was shown blanked, of the same length, is no change.
    @Test func aBlankedByteStays() throws {
        let (real, shown) = (try channel(psk: [1]), try channel(psk: [0]))
        #expect(real.changed(from: shown, to: shown) == real)
    }
}
