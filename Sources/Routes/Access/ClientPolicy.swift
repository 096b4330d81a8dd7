import HTTPServer
import Platform
import Synchronization

/// What clients on the network may take, and who is believed about them.
public struct ClientPolicy: Sendable {
    /// Requests in 15 minutes of one client from outside; nil: no limit.
    public var requestLimit: Int? = 1000
    /// Messages that one client may send in a minute; nil: no limit.
    public var messageLimit: Int? = 30
    /// The web sites whose pages may use the API, as browsers write them in `Origin`; "*" for all. Those of the gateway's
    /// own address always may.
    public var allowedOrigins = ["http://localhost:8080", "http://localhost:3001"]
    /// The proxies that are believed when they name their client.
    public var trustedProxies: [IPNetwork] = []

    /// Where the API begins for clients on the network, such as "/mesh"; empty: at the root. The local socket knows none.
    public var basePath = ""

    /// Where people reach the page from outside, as a URL with a slash at its end; nil: nobody has said it.
    public var publicURL: String?

    /// What becomes of texts while the radio is away.
    public var queueing = Queueing()

    /// Whether there is a page for people at `/`.
    public var servesWebPage = true

    public init() {}
}

/// What of the policy is looked up for each request; another one may take its place between two of them.
public final class PolicyInForce: Sendable {
    public struct Value: Sendable {
        public let crossOrigin: CrossOrigin
        public let proxies: TrustedProxies
        public let queueing: Queueing
        public let basePath: String
        public let publicURL: String?
        public let servesWebPage: Bool

        public init(_ policy: ClientPolicy) {
            crossOrigin = CrossOrigin(policy.allowedOrigins)
            proxies = TrustedProxies(networks: policy.trustedProxies)
            queueing = policy.queueing
            basePath = policy.basePath
            publicURL = policy.publicURL
            servesWebPage = policy.servesWebPage
        }
    }

    private let state: Mutex<Value>

    public init(_ policy: ClientPolicy) { state = Mutex(Value(policy)) }

    public var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
