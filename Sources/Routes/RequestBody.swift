import HTTPServer
import JSON

extension Request {
    /// The body as JSON; nil when there is one that is neither JSON nor a form. No body counts as `{}`.
    ///
    /// Bad JSON is refused before anything else is looked at, even a missing token (Contract 7.3). Scripts often forget
    /// the content type, so a body that reads as a JSON object is taken for one, whatever it is called.
    public func parsedBody() throws(APIError) -> JSONValue? {
        guard !body.isEmpty else { return .object([:]) }
        // Compressed, it would be taken for bad JSON; and a few bytes can be made of very many.
        guard headers("Content-Encoding").allSatisfy({ $0.isEmpty || Self.isEqual($0.utf8[...], "identity") }) else {
            throw .unsupportedCoding
        }
        let type = (header("Content-Type") ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        let isJSON = Self.isEqual(type, "application/json")
        // Also what the strict mode of upstream's parser demands: an object or an array.
        if let value = try? JSONParser.parse(body) {
            switch value {
            case .object, .array: return value
            default: break
            }
        }
        if isJSON { throw .invalidJSON }
        if Self.isEqual(type, "application/x-www-form-urlencoded") { return .object(form) }
        return nil
    }

    /// Compares a media type without regard to letter case and blanks around it.
    private static func isEqual(_ type: Substring.UTF8View, _ name: String) -> Bool {
        type.filter { $0 != 0x20 && $0 != 0x09 }.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            .elementsEqual(name.utf8)
    }

    /// `key=value&key=value`; all values are texts.
    private var form: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")).prefix(JSONParser.maximumValues) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            members[PercentEncoding.decodeForm(parts[0])] = .string(
                parts.count > 1 ? PercentEncoding.decodeForm(parts[1]) : "")
        }
        return members
    }
}
