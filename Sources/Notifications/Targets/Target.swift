import Folders

/// Where notifications go beside the feed: the contents of one file of targets.d, with the secrets that it names.
public struct Target: FileContent, Hashable, Sendable {
    /// The name of its file, without `.conf`.
    public let name: String
    public let kind: Kind
    public let address: WebAddress
    /// A PEM file.
    var authority: String?
    var proxy: WebAddress?
    var headers: [Header] = []
    /// Milliseconds after which a waiting notification is given up.
    public var retryFor: Int64 = 86_400_000
    /// The name of the target that gets what this one does not accept.
    public var fallback: String?
    var isLocalAllowed = false
    /// How much it gets.
    var allowance: Allowance

    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    init(_ name: String, _ kind: Kind, _ address: WebAddress) {
        (self.name, self.kind, self.address) = (name, kind, address)
        allowance = type(of: kind.receiver).allowance
    }

    /// It gets no notifications, and is called while all is well.
    public var isAlive: Bool { !type(of: kind.receiver).isTold }

    var needsTime: Bool { type(of: kind.receiver).needsTime }
}
