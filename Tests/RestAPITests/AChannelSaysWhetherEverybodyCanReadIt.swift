import MeshModel
import MeshProtocol
import Testing

@testable import RestAPI

@Suite struct AChannelSaysWhetherEverybodyCanReadIt {
    private static let wellKnown: [UInt8] = [
        0xD4, 0xF1, 0xBB, 0x3A, 0x20, 0x29, 0x07, 0x59, 0xF0, 0xBC, 0xFF, 0xAB, 0xCF, 0x4E, 0x69, 0x01,
    ]
    private static let secret = [UInt8](repeating: 0x5A, count: 32)

    private func isPublic(_ test: TestGateway) throws -> [String: Bool] {
        try test.get("/api/v1/conversations").rows.reduce(into: [:]) { found, row in
            found[row["id"] as? String ?? ""] = row["isPublic"] as? Bool
        }
    }

    /// key -> whether everybody has it
    @Test(arguments: [
        ([], true), ([0], true), ([1], true), ([9], true), (wellKnown, true), (Array(wellKnown.dropLast()) + [7], true),
        (secret, false), (Array(secret.prefix(16)), false), (Array(wellKnown.prefix(8)), false),
    ])
    func byItsKey(_ psk: [UInt8], _ expected: Bool) throws {
        #expect(ChannelCipher.isPublic(psk: psk) == expected)
    }

    @Test func aSecondaryChannelWithoutAKeyHasThatOfThePrimaryOne() throws {
        let test = try TestGateway()
        func channels(_ primary: [UInt8]) -> [Channel] {
            [
                Channel(index: 0, role: .primary, psk: primary),
                Channel(index: 1, role: .secondary, name: "follows", psk: []),
                Channel(index: 2, role: .secondary, name: "own", psk: Self.secret),
            ]
        }
        try test.insert(channels([1]))
        #expect(try isPublic(test) == ["channel:0": true, "channel:1": true, "channel:2": false])
        try test.insert(channels(Self.secret))
        #expect(try isPublic(test) == ["channel:0": false, "channel:1": false, "channel:2": false])
    }

    @Test func aChatIsNoChannel() throws {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, psk: [1])])
        try test.insert("hello", packetID: 1, at: TestGateway.now) { ($0.channel, $0.to) = (-1, TestGateway.own) }
        // Nor is one that the radio does not have any more: nobody knows its key.
        try test.insert("five", packetID: 2, at: TestGateway.now) { $0.channel = 5 }
        #expect(try isPublic(test) == ["channel:0": true])
    }
}
