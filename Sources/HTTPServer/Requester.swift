import Platform

/// A client as turns, places and memory count it: an address in its network. A host gives itself as many addresses as it likes,
/// so all three are shared out among networks first, and within one among addresses.
public struct Requester: Hashable, Sendable {
    /// The first 64 bits of an IPv6 address, which is what a household or a link has; the first 24 of an IPv4 address.
    public let network: IPAddress
    public let address: IPAddress

    public init(_ address: IPAddress) {
        self.address = address
        network =
            address.isIPv4
            ? IPAddress(high: 0, low: address.low & ~0xFF) : IPAddress(high: address.high, low: 0)
    }

    /// All clients together of a proxy on a Unix socket that does not name them.
    static let unnamed = Requester(IPAddress(high: 0, low: 0))
}

/// What the room over the server knows of clients.
public struct ClientRules: Sendable {
    /// Whether this address is a proxy that we believe when it names its client. Asked once for each connection.
    public var isProxy: @Sendable (IPAddress) -> Bool
    /// The client that a proxy names in the head of its request; nil: it names none. Asked for proxies only.
    public var address: @Sendable (Request) -> IPAddress?
    /// Whether a body of more than `Limits.bodyBytesOfStrangers` is kept, by the head alone. It counts nothing: the handler
    /// looks at the same head again.
    public var keepsBody: @Sendable (Request) -> Bool
    /// Names what answers a request. The answers of one route are taken to be of one size. Asked when memory is short, and for
    /// large answers.
    public var route: @Sendable (Request) -> String

    public init(
        isProxy: @escaping @Sendable (IPAddress) -> Bool = { _ in false },
        address: @escaping @Sendable (Request) -> IPAddress? = { _ in nil },
        keepsBody: @escaping @Sendable (Request) -> Bool = { _ in true },
        route: @escaping @Sendable (Request) -> String = { $0.path }
    ) {
        self.isProxy = isProxy
        self.address = address
        self.keepsBody = keepsBody
        self.route = route
    }
}
