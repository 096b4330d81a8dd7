import JSON

/// What a message over a broker says, and who says it. Anybody may have written any of it.
struct HeardText: Hashable, Sendable {
    /// Never empty. Has no control characters other than newline and tab.
    let text: String
    let topic: String
    let writer: String
    /// nil: the message has none.
    let id: String?
    /// That of a sealed text; nil: it came in clear.
    private(set) var nonce: [UInt8]?
    /// When it was written, as it says itself, in host milliseconds; nil: it does not.
    let at: Int64?

    /// Bytes of a text that are kept.
    static let longest = 16 << 10
    /// The same of a topic, which may have 65,535.
    private static let longestTopic = 1 << 10
    /// Characters of a writer's name that are kept, in at most four times as many bytes.
    private static let longestWriter = 64
    /// Bytes. A family of four has 25.
    private static let longestCharacter = 64
    private static let longestID = 128

    /// - Returns: nil: the message says nothing.
    init?(_ message: IncomingMessage) {
        let told = message.payload.first { $0 > 0x20 } == UInt8(ascii: "{") ? JSONValue(message.payload) : nil
        let said: String
        if let text = told?["text"]?.string {
            said = text
        } else if let text = String(validating: message.payload, as: UTF8.self) {
            said = text
        } else {
            said = "[\(message.payload.count) bytes]"
        }
        // `from` and `id` count only in an object that has a text.
        let other = told?["text"]?.string == nil ? nil : told
        func property(_ name: String) -> String? { message.properties.first { $0.name == name }?.value }
        text = Self.cut(Self.shown(said), to: Self.longest)
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        topic = Self.cut(Self.shown(message.topic), to: Self.longestTopic)
        let name = Self.shown(property("from") ?? other?["from"]?.string ?? "").prefix(Self.longestWriter)
        writer = name.contains { !$0.isWhitespace } ? Self.cut(String(name), to: 4 * Self.longestWriter) : topic
        at = other?["at"]?.integer
        id = (property("id") ?? other?["id"]?.string).flatMap { Self.isID($0) ? $0 : nil }
    }

    /// What a sealed text says. Properties of the message do not count: the broker may have written them.
    ///
    /// - Parameter content: of the sealed text.
    init?(_ content: [UInt8], of sealed: SealedText, on topic: String) {
        self.init(IncomingMessage(topic, content))
        nonce = sealed.nonce
    }

    private static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Leaves out C0, DEL and C1, but keeps newline and tab.
    private static func shown(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 && scalar != "\n" && scalar != "\t" || (0x7F...0x9F).contains(scalar.value)
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: text.unicodeScalars.lazy.filter { !isControl($0) })
        return String(shown)
    }

    /// Ends between two characters, but for one that is longer than people write.
    private static func cut(_ text: String, to bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        let cut = text[..<end]
        guard end.samePosition(in: text) == nil else { return cut + "…" }
        let whole = cut.dropLast()
        return (cut.utf8.count - whole.utf8.count <= longestCharacter ? whole : cut) + "…"
    }
}
