import Search

/// Where people reach the web page from outside, for links behind notifications: such as https://mesh.example.org/
public struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    /// Ends with a slash.
    public let description: String

    static let allowed = "a URL such as https://mesh.example.org/"

    /// Nil for anything else than http or https, a host and perhaps a path of plain characters.
    public init?(_ text: String) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        let rest = text[mark.upperBound...]
        let host = rest.prefix { $0 != "/" }
        guard scheme == "http" || scheme == "https", !host.isEmpty, text.utf8.count <= 200,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains(where: { "@?#\\\"<>,".contains($0) })
        else { return nil }
        description = "\(scheme)://\(rest)" + (rest.hasSuffix("/") ? "" : "/")
    }
}
