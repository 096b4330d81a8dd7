import Testing

@testable import Store

private let text = "meshgw-key:1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

/// The key of a conversation: how it is written, and that nothing else shows it.
@Suite struct AKeyIsOneLine {
    @Test func itIsReadAsItIsWritten() throws {
        let key = try #require(ConversationKey(text))
        #expect(key.bytes == Array(0..<32) && key.text == text && key.id == "630dcd29")
        let (one, other) = (ConversationKey.random(), ConversationKey.random())
        #expect(one != other && one.id != other.id)
        #expect(ConversationKey(one.text) == one && one.text.utf8.count == 56)
    }

    @Test(arguments: [
        "", "meshgw-key:1:", String(text.dropFirst()), String(text.dropLast()), text + "A", text + "=", text + "\n",
        " " + text, text.replacing(":1:", with: ":2:"), text.replacing("meshgw", with: "MESHGW"),
        // 31 bytes, 33, and 32 of which the last character says more.
        "meshgw-key:1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg",
        "meshgw-key:1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", String(text.dropLast()) + "9",
        // The other alphabet of base64, hexadecimal digits, and a letter that only looks like one.
        text.replacing("AAEC", with: "+/+/"), "meshgw-key:1:" + String(repeating: "00", count: 32),
        text.replacing("AAEC", with: "\u{410}AEC"),
    ])
    func whatIsWrittenInAnotherWayIsNone(other: String) { #expect(ConversationKey(other) == nil) }

    @Test func noPrintShowsIt() throws {
        let key = try #require(ConversationKey(text))
        let seal = TextSeal(key: key, nonce: [7])
        for printed in ["\(key)", String(reflecting: key), "\([key])", "\(seal)", "\(Optional(seal) as Any)"] {
            #expect(!printed.contains("AAEC") && !printed.contains("29, 30, 31"), "\(printed)")
            #expect(printed.contains("630dcd29"), "\(printed)")
        }
    }
}
