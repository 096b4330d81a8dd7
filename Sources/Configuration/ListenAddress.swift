/// Where the API is served.
public enum ListenAddress: Sendable, Equatable {
    /// A TCP port. An empty host: all addresses, IPv4 and IPv6; port 0: the kernel chooses.
    case tcp(host: String, port: UInt16)
    /// A Unix socket, for a proxy on this machine.
    case unix(path: String)
    /// Whatever sockets systemd hands over.
    case systemd

    public static let defaultPort: UInt16 = 8080

    public init(host: String, port: UInt16) { self = .tcp(host: host, port: port) }

    static let allowed =
        "HOST:PORT, [IPv6]:PORT, *:PORT or PORT, 0 to 65535, unix:/PATH of at most 107 bytes, or systemd"

    /// "HOST:PORT", "[IPv6]:PORT", "*:PORT", ":PORT", "PORT", "unix:/PATH" or "systemd"; nil for anything else.
    public init?(_ text: String) {
        if text == "systemd" {
            self = .systemd
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            // A service has no folder of its own that a path could begin at.
            guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count <= 107 else { return nil }
            self = .unix(path: path)
        } else if let port = UInt16(text) {
            self.init(host: "", port: port)
        } else if let (host, port) = splitHostAndPort(text[...]), let port {
            self.init(host: host == "*" ? "" : host, port: port)
        } else {
            return nil
        }
    }

    /// The fixed TCP port; nil without one.
    public var port: UInt16? {
        if case .tcp(_, let port) = self, port != 0 { port } else { nil }
    }

    /// Two TCP ports are compared by the kernel, which knows more of addresses.
    func isSameSocket(as other: ListenAddress) -> Bool {
        if case .tcp = self { false } else { self == other }
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
