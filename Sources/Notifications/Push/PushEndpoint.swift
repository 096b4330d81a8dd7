import Store

// Where a registration may lead. An app's token must not make this computer call the router, a printer or the gateway itself: who
// registers gets as far as the whole internet can be reached anyway, and to what the setting `push-hosts` names.
//
// 1. An endpoint is looked at when it is registered, and again whenever something is sent there: settings change.
// 2. What its host's name leads to is looked at at each attempt, and curl is given the very address that was (HTTPOut/Curl.swift):
//    a name may lead somewhere else a moment later.

/// The hosts of the setting `push-hosts`.
public struct PushHosts: Hashable, Sendable {
    private struct Place: Hashable, Sendable {
        /// As ``WebAddress/host``.
        let host: String
        /// nil: those of http and https.
        let port: UInt16?
    }

    private let places: [Place]

    /// - Parameter places: an IPv6 address with or without its brackets.
    public init(_ places: [(host: String, port: UInt16?)] = []) {
        self.places = places.map { host, port in
            let isBare = host.contains(":") && !host.hasPrefix("[")
            return Place(host: (isBare ? "[\(host)]" : host).lowercased(), port: port)
        }
    }

    func name(_ address: WebAddress) -> Bool {
        let own: UInt16 = address.scheme == .https ? 443 : 80
        return places.contains { $0.host == address.host && address.port == $0.port ?? own }
    }
}

public enum PushEndpoint {
    /// Bytes of the longest one (UnifiedPush AND_3).
    static let longest = 1_000

    /// Why an endpoint is not called, in a sentence that reveals only its host; nil if it is.
    public static func refusal(_ endpoint: String, allowed hosts: PushHosts) -> String? {
        guard endpoint.utf8.count <= longest else { return "endpoint is longer than \(longest) bytes" }
        do throws(WebAddress.Refusal) {
            return refusal(try WebAddress(endpoint), hosts)
        } catch { return "endpoint: \(error.text)" }
    }

    static func refusal(_ address: WebAddress, _ hosts: PushHosts) -> String? {
        guard address.login == nil else { return "endpoint has a user and a password, which no push service asks for" }
        if hosts.name(address) { return nil }
        let named = address.port == (address.scheme == .https ? 443 : 80) ? "" : ":\(address.port)"
        let advice = "if it is meant, write in mesh-gateway.conf: push-hosts = \(address.host)\(named)"
        guard address.scheme == .https else { return "\(address.host) is to be called without TLS; \(advice)" }
        guard address.port == 443 else { return "\(address.host) is to be called at port \(address.port); \(advice)" }
        // What can be told without a look-up.
        if let place = NetworkAddress(text: address.host), !place.isPublic {
            return "\(HTTPFailure.notPublic(host: address.host))"
        }
        return nil
    }

    /// The shown part of an endpoint; the rest is a secret.
    public static func shown(_ endpoint: String) -> String? { (try? WebAddress(endpoint))?.shown }
}

/// What the settings say about registrations.
public struct PushSettings: Hashable, Sendable {
    public var hosts = PushHosts()
    /// `mailto:` or `https:`; nil: push services are not told who runs this gateway.
    public var contact: String?
    /// nil: Apple's devices are not told.
    public var apple: AppleSettings?

    public init(hosts: PushHosts = PushHosts(), contact: String? = nil, apple: AppleSettings? = nil) {
        (self.hosts, self.contact, self.apple) = (hosts, contact, apple)
    }
}
