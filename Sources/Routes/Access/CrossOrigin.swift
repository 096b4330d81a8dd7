import HTTPServer

/// Which web sites' pages may use the API in a browser (Contract 2.1). Clients that are no browsers send no `Origin`.
public struct CrossOrigin: Sendable {
    private let sites: Set<String>
    private let allowsAny: Bool

    /// - Parameter origins: as browsers write them; "*" for all.
    public init(_ origins: [String]) {
        sites = Set(origins)
        allowsAny = sites.contains("*")
    }

    /// - Parameter host: where the request was sent to.
    public func allows(_ origin: String, host: String?) -> Bool {
        allowsAny || sites.contains(origin) || Self.isSame(origin, host)
    }

    /// Whether a page comes from where it asks. We do not see whether a proxy in front of us speaks TLS, so either
    /// scheme will do; nobody else can serve pages from this host.
    private static func isSame(_ origin: String, _ host: String?) -> Bool { scheme(of: origin, at: host) != nil }

    /// `http://` or `https://`, as the browser says it of a page that comes from where it asks; nil: it comes from elsewhere.
    static func scheme(of origin: String, at host: String?) -> String? {
        guard let host = host.map(Router.lowercased), !host.isEmpty else { return nil }
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
            let own = host.hasSuffix(port) ? String(host.dropLast(port.utf8.count)) : host
            return origin.dropFirst(scheme.utf8.count) == own ? scheme : nil
        }
        return nil
    }

    /// Lets a page of this origin read the answer; nil: there is none.
    public static func admit(_ origin: String?, to response: inout Response) {
        // Also without an origin: a cache must not give this answer to a page.
        var varies = "Origin"
        if let place = response.headers.firstIndex(where: { $0.name == "Vary" }) {
            varies += ", " + response.headers.remove(at: place).value
        }
        response.headers.append((name: "Vary", value: varies))
        guard let origin else { return }
        response.headers += [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"),
        ]
    }

    /// What a browser asks before it sends. It is told the same on every path, known or not.
    public static let preflight = Response(
        status: 200,
        headers: [
            ("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
            ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
            ("Access-Control-Allow-Headers", "Content-Type, X-CSRF-Token, Authorization, Idempotency-Key"),
        ])
}
