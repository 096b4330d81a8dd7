import HTTPServer

/// What clients on the network may take, and who is believed about them.
public struct ClientPolicy: Sendable {
    /// Requests in 15 minutes of one client from outside; nil: no limit.
    public var requestLimit: Int? = 1000
    /// Messages that one client may send in a minute; nil: no limit.
    public var messageLimit: Int? = 30
    /// The web sites whose pages may use the API, as browsers write them in `Origin`; "*" for all. Those of the gateway's
    /// own address always may.
    public var allowedOrigins = ["http://localhost:8080", "http://localhost:3001"]
    /// The proxies that are believed when they say for whom they ask.
    public var trustedProxies: [IPNetwork] = []

    /// What becomes of texts while the radio is away.
    public var queueing = Queueing()

    public init() {}
}
