import JSON

@testable import RestAPI

/// What a test asks of printed JSON.
struct JSONText {
    let text: String

    init(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        text = String(decoding: writer.bytes, as: UTF8.self)
    }

    init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    var value: JSONValue { get throws { try JSONParser.parse(Array(text.utf8)) } }

    /// The keys of the outermost object, in their order.
    var keys: [String] {
        var keys: [String] = []
        var depth = 0
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case "\"":
                let start = text.index(after: index)
                index = start
                while text[index] != "\"" { index = text.index(index, offsetBy: text[index] == "\\" ? 2 : 1) }
                if depth == 1, text[text.index(after: index)...].first == ":" {
                    keys.append(String(text[start..<index]))
                }
            default: break
            }
            index = text.index(after: index)
        }
        return keys
    }

    /// The text of a member's value, as it was printed.
    func raw(_ key: String) -> String? {
        guard let range = text.range(of: "\"\(key)\":") else { return nil }
        let rest = text[range.upperBound...]
        if rest.first == "\"" {
            let end = rest.dropFirst().firstIndex(of: "\"")!
            return String(rest[...end])
        }
        return String(rest.prefix { $0 != "," && $0 != "}" })
    }
}

extension String {
    fileprivate func range(of part: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
