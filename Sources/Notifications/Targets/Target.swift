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
    /// nil for one of a file.
    var registration: Registration?
    /// How much it gets.
    var allowance: Allowance

    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// What it is as a registration of an app or a browser.
    struct Registration: Hashable, Sendable {
        let id: Int64
        /// By whose rights it is told.
        let token: Int64
        /// Why it is not called at all, in a sentence; nil if it is.
        var obstacle: String?
        /// It lies where `push-hosts` allows more than public addresses.
        var isNamedHost = false
    }

    init(_ name: String, _ kind: Kind, _ address: WebAddress) {
        (self.name, self.kind, self.address) = (name, kind, address)
        allowance = type(of: kind.receiver).allowance
    }

    /// It gets no notifications, and is called while all is well.
    public var isAlive: Bool { !type(of: kind.receiver).isTold }

    var needsTime: Bool { type(of: kind.receiver).needsTime }

    /// For the log and for people.
    var shown: String { registration.map { "registration \($0.id) (\(address.host))" } ?? "target \(name)" }
}
