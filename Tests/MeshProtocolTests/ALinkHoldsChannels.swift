import MeshModel
import MeshProtocol
import Testing

@Suite struct ALinkHoldsChannels {
    /// settings { psk 01, name "Test1" }, settings { psk 02 }, lora { use_preset, region 3 }
    private static let code = "CgoSAQEaBVRlc3QxCgMSAQISBAgBOAM"

    /// link; whether it asks to be added
    static let links: [(String, Bool)] = [
        ("https://meshtastic.org/e/#\(code)", false), ("https://www.meshtastic.org/e#\(code)", false),
        ("http://meshtastic.org/e/#\(code)=", false), ("https://meshtastic.org/e/?add=true#\(code)", true),
        ("https://meshtastic.org/e/#\(code)?add=true", true), ("HTTPS://MESHTASTIC.ORG/E/?ADD=TRUE#\(code)", true),
        ("meshtastic://meshtastic/e#\(code)", false), ("#\(code)", false),
    ]

    @Test(arguments: links) func inEachOfItsForms(_ text: String, _ adds: Bool) throws {
        let link = try ChannelLink(parsing: text)
        #expect(link.adds == adds)
        #expect(
            link.channels == [
                Channel(index: 0, role: .primary, name: "Test1", psk: [1]),
                Channel(index: 1, role: .secondary, psk: [2]),
            ])
        #expect(link.lora?["lora.region"] == .choice("EU_868"))
        #expect(link.text == "https://meshtastic.org/e/\(adds ? "?add=true" : "")#\(Self.code)")
    }

    /// text; why it is none
    static let others: [(String, ChannelLinkError)] = [
        ("", .notALink), ("https://meshtastic.org/e/", .notALink), ("https://example.org/e/#\(code)", .notALink),
        (code, .notALink), ("https://meshtastic.org/e/#", .damaged),
        ("https://meshtastic.org/e/#\(code.dropLast(3))", .damaged),
        ("https://meshtastic.org/e/#!!!!", .damaged), ("https://meshtastic.org/e/#EgQIATgD", .noChannels),
        // psk of three bytes; a name of twelve
        ("https://meshtastic.org/e/#CgUSAwECAw", .damaged),
        ("https://meshtastic.org/e/#Cg4aDEFBQUFBQUFBQUFBQQ", .damaged),
        ("https://meshtastic.org/e/#" + String(repeating: "CgMSAQEK", count: 1000), .notALink),
        // nine channels without anything set
        ("https://meshtastic.org/e/#" + "CgAKAAoA" + "CgAKAAoA" + "CgAKAAoA", .tooMany(9)),
    ]

    @Test(arguments: others) func orNot(_ text: String, _ error: ChannelLinkError) {
        #expect(throws: error) { try ChannelLink(parsing: text) }
    }

    @Test func everythingThatCanBeSetComesBack() throws {
        let channels = (0..<8).map { index in
            Channel(
                index: index, role: index == 0 ? .primary : .secondary, name: "Kanäle \(index)",
                psk: Array(repeating: UInt8(index), count: 32), id: UInt32(index), uplinkEnabled: true,
                downlinkEnabled: index % 2 == 0, positionPrecision: UInt32(index), isMuted: true)
        }
        let text = ChannelLink(entries: channels.map { RadioChannel($0) }).text
        #expect(try ChannelLink(parsing: text).channels == channels)
    }
}
