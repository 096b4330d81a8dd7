import Configuration
import Testing

@Suite struct ApplesFourSettingsAreGoodTogether {
    private static let lines = [
        "apns-key = /etc/mesh-gateway/AuthKey_ABCDE12345.p8", "apns-key-id = ABCDE12345", "apns-team = TEAM123456",
        "apns-topic = org.example.mesh",
    ]

    private static func mistakes(_ lines: [String]) throws -> [String] {
        let directory = try ConfigurationDirectory(lines.joined(separator: "\n"))
        return Configuration.read(file: directory.file, environment: [:]).mistakes
            .map { "\($0)".replacing(directory.file, with: "FILE") }
    }

    @Test func allOrNone() throws {
        #expect(try Self.mistakes(Self.lines).isEmpty)
        #expect(try Self.mistakes([]).isEmpty)
        // It changes nothing without them.
        #expect(try Self.mistakes(["apns-text = yes"]).isEmpty)
    }

    /// Three of four is a mistake, whichever is missing.
    @Test(arguments: [
        (0, "apns-key-id is good for nothing without apns-key, the file AuthKey_....p8 of the key"),
        (1, "apns-key is good for nothing without apns-key-id, what Apple calls the key"),
        (2, "apns-key is good for nothing without apns-team, the team whose key it is"),
        (3, "apns-key is good for nothing without apns-topic, the bundle id of the app"),
    ]) func threeAreAMistake(missing: Int, said: String) throws {
        var lines = Self.lines
        lines.remove(at: missing)
        #expect(try Self.mistakes(lines) == ["FILE:1: \(said)"])
    }

    @Test func eachMissingOneIsNamed() throws {
        #expect(try Self.mistakes([Self.lines[2]]).count == 3)
        // One that is wrong in itself is not missing besides.
        let found = try Self.mistakes([Self.lines[0], "apns-key-id = ABC", Self.lines[2], Self.lines[3]])
        #expect(found.count == 1 && found[0].hasPrefix("FILE:2: apns-key-id cannot be"))
    }
}
