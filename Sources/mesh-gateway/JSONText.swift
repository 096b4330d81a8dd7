import JSON

/// JSON put together of texts.
enum JSONText {
    /// - Parameter members: names, and values that are JSON already.
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    static func array(_ texts: [String]) -> String { "[" + texts.map(quoted).joined(separator: ",") + "]" }

    static func quoted(_ text: String) -> String {
        var json = JSONWriter(capacity: text.utf8.count + 2)
        json.value(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
