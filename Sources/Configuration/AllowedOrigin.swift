import Search

/// A web site whose pages may use the API in a browser.
public enum AllowedOrigin: Sendable, Equatable, CustomStringConvertible {
    case any
    /// As browsers write it in `Origin`: scheme and host in lower case, the port only where it is not the scheme's own.
    case site(String)

    /// "*", "SCHEME://HOST" or "SCHEME://HOST:PORT", a slash at the end allowed; nil for anything else.
    public init?(_ text: String) {
        if text == "*" {
            self = .any
            return
        }
        let text = text.lowercased()
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound]
        var rest = text[mark.upperBound...]
        if rest.last == "/" { rest.removeLast() }
        // A port ends in a digit, so what is left of "host:" is no host.
        guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isSchemeByte),
            rest.last != ":", let (host, port) = splitHostAndPort(rest), !host.isEmpty, port != 0,
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !host.contains(where: { "@?#*\\\"<>,".contains($0) })
        else { return nil }
        let authority = host.contains(":") ? "[\(host)]" : host
        let isOwnPort = port == nil || (scheme == "http" && port == 80) || (scheme == "https" && port == 443)
        self = .site("\(scheme)://\(authority)" + (isOwnPort ? "" : ":\(port ?? 0)"))
    }

    public var description: String {
        switch self {
        case .any: "*"
        case .site(let origin): origin
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    /// RFC 3986, 3.1.
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }
}
