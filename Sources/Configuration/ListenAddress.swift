/// Where the API is served.
public struct ListenAddress: Sendable, Equatable {
    /// Empty: all addresses, IPv4 and IPv6.
    public var host: String
    /// 0: the kernel chooses.
    public var port: UInt16

    public static let defaultPort: UInt16 = 8080

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// "HOST:PORT", "[IPv6]:PORT", "*:PORT", ":PORT" or "PORT"; nil for anything else.
    public init?(_ text: String) {
        if let port = UInt16(text) {
            self.init(host: "", port: port)
        } else if let (host, port) = splitHostAndPort(text[...]), let port {
            self.init(host: host == "*" ? "" : host, port: port)
        } else {
            return nil
        }
    }
}

/// Host and port of "HOST", "HOST:PORT", "[IPv6]" or "[IPv6]:PORT". An IPv6 address needs its brackets, because
/// "::1:8080" is an address too. Nil when it is neither.
func splitHostAndPort(_ text: Substring) -> (host: String, port: UInt16?)? {
    let host: Substring
    let rest: Substring
    if text.first == "[" {
        guard let end = text.firstIndex(of: "]"), text[..<end].contains(":") else { return nil }
        host = text[..<end].dropFirst()
        rest = text[end...].dropFirst()
    } else {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        host = text[..<colon]
        rest = text[colon...]
    }
    guard !host.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "[" || $0 == "]" }) else { return nil }
    if rest.isEmpty { return (String(host), nil) }
    guard rest.first == ":", rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
        let port = UInt16(rest.dropFirst())
    else { return nil }
    return (String(host), port)
}
