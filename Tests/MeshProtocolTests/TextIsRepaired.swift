import MeshModel
import MeshProtocol
import Testing

@Suite struct TextIsRepaired {
    /// bytes; as the text of a message; as a name
    static let rows: [(String, String, String)] = [
        ("", "", ""),
        ("48 69", "Hi", "Hi"),
        ("47 72 c3 bc c3 9f 20 f0 9f 90 a2", "Grüß 🐢", "Grüß 🐢"),
        ("20 61 20 20 62 20", " a  b ", "a  b"),
        ("20 20", "  ", ""),
        ("61 0a 62 09 63", "a\nb\tc", "a b c"),
        ("61 0d 0a 62 0d 63 0d 0d 0a 0a", "a\nb\nc\n\n\n", "a b c"),
        ("00 61 00", "\u{FFFD}a\u{FFFD}", "\u{FFFD}a\u{FFFD}"),
        ("07 1b 7f", "\u{FFFD}\u{FFFD}\u{FFFD}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("c2 85 c2 9f c2 a0", "\u{FFFD}\u{FFFD}\u{A0}", "\u{FFFD}\u{FFFD}\u{A0}"),
        ("61 80 62", "a\u{FFFD}b", "a\u{FFFD}b"),
        ("c3", "\u{FFFD}", "\u{FFFD}"),
        ("f0 9f 90", "\u{FFFD}", "\u{FFFD}"),
        ("ed a0 80", "\u{FFFD}\u{FFFD}\u{FFFD}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("c0 80", "\u{FFFD}\u{FFFD}", "\u{FFFD}\u{FFFD}"),
    ]

    @Test(arguments: rows) func row(_ hex: String, _ text: String, _ name: String) {
        #expect(Array(repairedText(bytes(hex)).unicodeScalars) == Array(text.unicodeScalars))
        #expect(Array(repairedName(bytes(hex)).unicodeScalars) == Array(name.unicodeScalars))
    }

    /// Strings of the schema go through the same repair; protobuf-c ends them at a NUL.
    @Test func namesInANodeInfo() {
        let payload = bytes("12 06 20 48 c3 0a 21 20 1a 04 41 00 42 43")
        #expect(
            PacketContent(MeshData(port: .nodeInfo, payload: payload))
                == .nodeInfo(User(longName: "H\u{FFFD} !", shortName: "A")))
    }
}
