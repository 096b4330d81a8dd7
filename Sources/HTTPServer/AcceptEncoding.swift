extension Request {
    /// Whether the client can read a body that is packed with gzip (RFC 9110, 12.5.3): it names gzip, or with `*` whatever
    /// it does not name, and gives it a weight above 0. A client that says nothing gets the body as it is. The first
    /// ``HeaderFields/readBytes`` count.
    public var acceptsGzip: Bool {
        var wildcard = false
        for element in fields.elements("Accept-Encoding") {
            let parts = element.split(separator: ";").map(Self.token)
            let isWanted = !parts.dropFirst().contains(where: Self.isNoWeight)
            switch parts.first {
            case "gzip", "x-gzip": return isWanted
            case "*": wildcard = isWanted
            default: break
            }
        }
        return wildcard
    }

    /// In small letters, without the blanks that may stand around it and around its "=".
    private static func token(_ text: Substring) -> String {
        String(decoding: text.utf8.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }

    /// "q=0", "q=0.0", "q=0.000".
    private static func isNoWeight(_ parameter: String) -> Bool {
        parameter.hasPrefix("q=") && parameter.dropFirst(2).allSatisfy { $0 == "0" || $0 == "." }
    }
}
