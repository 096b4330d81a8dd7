import HTTPServer

/// A link that opens the page and brings a token, for phones that scan it. The token stands behind `#`: what stands there is
/// never sent, and gets into no log.
public struct SignInLink: Sendable, Equatable {
    /// Ends with a slash.
    private let page: String

    /// - Parameter page: a URL. Returns nil for another scheme than http or https, and for one with a `#`.
    public init?(page: String) {
        guard page.hasPrefix("http://") || page.hasPrefix("https://"), !page.contains("#") else { return nil }
        self.page = page.hasSuffix("/") ? page : page + "/"
    }

    public func text(for token: String) -> String { "\(page)#token=\(token)" }
}

extension API {
    /// The link to the page: at `public-url` where that is set, else at the address of this request.
    ///
    /// - Returns: nil when neither says it.
    public func signInLink(for request: Request) -> SignInLink? {
        if let url = policy.value.publicURL { return SignInLink(page: url) }
        guard let host = proxies.host(of: request), Self.isAddress(host) else { return nil }
        return SignInLink(page: scheme(of: request, at: host) + host + base(of: request))
    }

    /// The browser's word comes first: it sees whether a proxy in front of us speaks TLS.
    private func scheme(of request: Request, at host: String) -> String {
        if let scheme = request.header("Origin").flatMap({ CrossOrigin.scheme(of: $0, at: host) }) { return scheme }
        guard case .tcp = request.peer, listeners().contains(where: { $0.hasPrefix("https://") }) else {
            return "http://"
        }
        return "https://"
    }

    /// A name or an address, with a port or without: anything else could lead the link elsewhere.
    private static func isAddress(_ host: String) -> Bool {
        (1...255).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._:[]".utf8.contains(byte)
                }
            }
    }
}
