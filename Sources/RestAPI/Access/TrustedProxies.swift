import HTTPServer

// Who asks when a proxy asks.
//
//   X-Forwarded-For: 192.0.2.1, 198.51.100.7, 10.0.0.2        (each proxy adds its own client at the end)
//                    ^ anybody can write this     ^ the proxy in front of the last one, trusted
//                               ^ the first from the right whom we do not trust: the client
//
// Nothing is believed of a peer that is no trusted proxy.

/// The proxies that are believed when they say for whom they ask.
struct TrustedProxies: Sendable {
    let networks: [IPNetwork]

    /// The longest list that is looked at, from the right: a client can send thousands of entries.
    private static let longest = 32

    func contain(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// Whom the limits count.
    func client(of request: Request) -> Client {
        switch request.peer {
        case .tcp(let text): Client(address(of: request, from: text))
        case .local(let user, _, _): .user(user)
        }
    }

    /// The address that a request comes from; nil for a user of this machine.
    func address(of request: Request) -> IPAddress? {
        guard case .tcp(let text) = request.peer else { return nil }
        return address(of: request, from: text)
    }

    private func address(of request: Request, from peer: String) -> IPAddress {
        // The kernel no longer knows the peer of a connection that was reset already.
        var address = IPAddress(peer) ?? IPAddress(high: 0, low: 0)
        guard !networks.isEmpty, contain(address) else { return address }
        let entries = request.headers("X-Forwarded-For").flatMap { $0.split(separator: ",") }
        for entry in entries.reversed().prefix(Self.longest) {
            // "unknown" and the like: then it is this proxy that asks, as far as we know.
            guard let before = Self.address(entry) else { break }
            address = before
            guard contain(address) else { break }
        }
        return address
    }

    /// The host that the client asked for: proxies often put their own name for us into `Host`.
    func host(of request: Request) -> String? {
        if !networks.isEmpty, case .tcp(let text) = request.peer, let peer = IPAddress(text), contain(peer),
            let forwarded = request.header("X-Forwarded-Host")
        {
            return forwarded
        }
        return request.header("Host")
    }

    /// An entry of X-Forwarded-For; some proxies add the port.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = String(entry).trimmed
        if text.first == "[", let end = text.firstIndex(of: "]") {
            return IPAddress(String(text[..<end].dropFirst()))
        }
        if let address = IPAddress(text) { return address }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        return IPAddress(String(text[..<colon]))
    }
}
