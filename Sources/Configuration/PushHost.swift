import Search

/// A host, and one of its ports, to which registrations of apps and browsers may lead although it has no public address.
public struct PushHost: Sendable, Equatable, CustomStringConvertible {
    /// In lower case, an IPv6 address without its brackets.
    public let host: String
    /// Nil: those of http and https.
    public let port: UInt16?

    static let allowed = "HOST or HOST:PORT, such as ntfy.lan or 192.168.1.10:8443"

    public init?(_ text: String) {
        guard let (host, port) = splitHostAndPort(text[...]), port != 0, !host.isEmpty, host.utf8.count <= 253,
            text.last != ":", host.utf8.allSatisfy({ Self.bytes.contains($0) })
        else { return nil }
        (self.host, self.port) = (host.lowercased(), port)
    }

    public var description: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }

    private static let bytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:".utf8)
}

/// By what push services can reach whoever runs this gateway: an address of mail or of a page (RFC 8292, 2.1).
public struct PushContact: Sendable, Equatable, CustomStringConvertible {
    /// Begins with `mailto:` or `https://`.
    public let description: String

    static let allowed = "mailto:NAME@HOST or a URL that begins with https://"

    public init?(_ text: String) {
        guard text.utf8.count <= 200,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"\\<>,".utf8.contains($0) })
        else { return nil }
        if text.lowercased().hasPrefix("mailto:") {
            let parts = text.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
            description = "mailto:\(text.dropFirst(7))"
        } else if text.lowercased().hasPrefix("https://"), let first = text.dropFirst(8).first, first != "/" {
            description = "https://\(text.dropFirst(8))"
        } else {
            return nil
        }
    }
}
