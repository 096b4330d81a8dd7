import HTTPServer
import Platform

// Who asks when a proxy asks.
//
//   X-Forwarded-For: 192.0.2.1, 198.51.100.7, 10.0.0.2        (each proxy adds its own client at the end)
//                    ^ anybody can write this     ^ the proxy in front of the last one, trusted
//                               ^ the first from the right that we do not trust: the client
//
// Nothing is believed of a peer that is no trusted proxy. X-Forwarded-Proto is not looked at: no answer names a scheme.

/// The proxies that are believed when they name their client.
public struct TrustedProxies: Sendable {
    public let networks: [IPNetwork]

    /// The longest list that is looked at, from the right: a client can send thousands of entries.
    private static let longest = 32

    public func contain(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The address that the limits count.
    public func client(of request: Request) -> Client {
        switch request.peer {
        case .tcp, .unix: address(of: request).map(Client.init) ?? .unixSocket
        case .local(let user, _, _): .user(user)
        }
    }

    /// The address that a request comes from; nil for a user of this machine, and for what came over a Unix socket and
    /// names none.
    public func address(of request: Request) -> IPAddress? {
        switch request.peer {
        case .tcp(let text):
            // The kernel no longer knows the peer of a connection that was reset already.
            let peer = IPAddress(text) ?? IPAddress(high: 0, low: 0)
            return contain(peer) ? forwarded(request) ?? peer : peer
        case .unix: return forwarded(request)
        case .local: return nil
        }
    }

    /// What a believed peer says; nil when that is nothing.
    private func forwarded(_ request: Request) -> IPAddress? {
        var address: IPAddress?
        let entries = request.headers("X-Forwarded-For").flatMap { $0.split(separator: ",") }
        for entry in entries.reversed().prefix(Self.longest) {
            // "unknown" and the like: then it is this proxy that asks, as far as we know.
            guard let before = Self.address(entry) else { break }
            address = before
            guard contain(before) else { break }
        }
        return address
    }

    /// The host that the client asked for: proxies often put their own name for us into `Host`.
    public func host(of request: Request) -> String? {
        isBelieved(request.peer) ? request.header("X-Forwarded-Host") ?? request.header("Host") : request.header("Host")
    }

    /// A client of a Unix socket was let in by the socket's mode.
    private func isBelieved(_ peer: Peer) -> Bool {
        switch peer {
        case .tcp(let text): IPAddress(text).map(contain) ?? false
        case .unix: true
        case .local: false
        }
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
