/// A header field with entity tags of RFC 9110, 8.8.3: `"opaque"` or, weak, `W/"opaque"`.
enum IfNoneMatch {
    /// Whether an If-None-Match value names the tag: `*`, or a list with a tag of the same opaque part. A comma may
    /// stand inside the quotes, so the list is read tag by tag and not split. The first ``HeaderFields/readBytes`` count.
    static func list(_ value: String, contains tag: String) -> Bool {
        // What nearly every client sends: the tag that it was given.
        if value == tag { return true }
        var rest = value.utf8.prefix(HeaderFields.readBytes)
        if rest.filter({ $0 != 0x20 && $0 != 0x09 }).elementsEqual("*".utf8) { return true }
        var own = Substring(tag).utf8
        guard let wanted = opaque(&own) else { return false }
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard let found = opaque(&rest) else { return false }
            if found.elementsEqual(wanted) { return true }
        }
    }

    /// Takes one tag off the front; nil when none stands there.
    private static func opaque(_ text: inout Substring.UTF8View) -> Substring.UTF8View? {
        if text.starts(with: "W/".utf8) { text = text.dropFirst(2) }
        guard text.first == UInt8(ascii: "\""), let end = text.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
            return nil
        }
        let found = text.dropFirst()[..<end]
        text = text[text.index(after: end)...]
        return found
    }
}
