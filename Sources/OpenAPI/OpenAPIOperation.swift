import Routes

/// What one endpoint is for, what it takes and what it answers, for people and for programs that generate clients.
///
/// Who may ask, and the refusals that follow from it, are not written here: the endpoint knows.
struct OpenAPIOperation: Sendable {
    /// As ``Endpoint/key``: `GET /api/v1/sources/{sourceId}/nodes`.
    let key: String
    /// Unique; what generators call their function.
    let id: String
    let tag: Tag
    let summary: String
    let details: String
    let query: [Parameter]
    let body: JSONSchema?
    let answers: [Answer]
    /// Failures beyond those that every endpoint of its kind has, by status.
    let failures: [(status: Int, why: String)]
    /// How its failures look, if unlike its neighbours'.
    let failureShape: FailureShape?
    /// MeshMonitor does not have it.
    private(set) var isOurs = false

    /// Asked again with the same `Idempotency-Key`, it is done once.
    private(set) var takesKey = false

    var once: OpenAPIOperation {
        var operation = self
        operation.takesKey = true
        return operation
    }

    /// What a token must be allowed to besides the route's scope, by what is asked; `N` is a channel's slot.
    private(set) var furtherScopes: [(scope: String, when: String)] = []

    /// - Parameter scopes: each with when it is needed.
    func needing(_ scopes: KeyValuePairs<String, String>) -> OpenAPIOperation {
        var operation = self
        operation.furtherScopes = scopes.map { (scope: $0.key, when: $0.value) }
        return operation
    }

    var ours: OpenAPIOperation {
        var operation = self
        operation.isOurs = true
        return operation
    }

    enum Tag: String, CaseIterable, Sendable {
        case sources = "Sources"
        case nodes = "Nodes"
        case messages = "Messages"
        case conversations = "Conversations"
        case channels = "Channels"
        case telemetry = "Telemetry"
        case traceroutes = "Traceroutes"
        case network = "Network"
        case waypoints = "Waypoints"
        case packets = "Packets"
        case actions = "Actions"
        case notifications = "Notifications"
        case channelDatabase = "Channel database"
        case server = "Server"
        case radio = "Radio"
    }

    /// Failures have several shapes (Contract 2.3).
    enum FailureShape: Sendable { case v1, brief, coded, session }

    /// - Parameters:
    ///   - key: The method and the canonical path, in which `P` stands for a source's.
    ///   - answers: What success looks like.
    init(
        _ key: String, id: String, _ tag: Tag, _ summary: String, details: String = "", query: [Parameter] = [],
        body: JSONSchema? = nil, answers: [Answer], failures: KeyValuePairs<Int, String> = [:],
        failureShape: FailureShape? = nil
    ) {
        self.key = key.split(separator: " ").map { $0.hasPrefix("P/") ? Endpoint.sourcePrefix + $0.dropFirst() : $0 }
            .joined(separator: " ")
        self.id = id
        self.tag = tag
        self.summary = summary
        self.details = details
        self.query = query
        self.body = body
        self.answers = answers
        self.failures = failures.map { (status: $0.key, why: $0.value) }
        self.failureShape = failureShape
    }
}

/// A parameter of the query.
struct Parameter: Sendable {
    let name: String
    let schema: JSONSchema
    let about: String
    let isRequired: Bool

    init(_ name: String, _ schema: JSONSchema, _ about: String, isRequired: Bool = false) {
        self.name = name
        self.schema = schema
        self.about = about
        self.isRequired = isRequired
    }

    /// Text and 0 mean the default, a negative number the most there is.
    static func limit(_ standard: Int64, cap: Int64) -> Parameter {
        Parameter(
            "limit", .integer().with("default", .integer(standard)),
            "Rows at most; the maximum is \(cap), and a negative number means that")
    }

    static let offset = Parameter("offset", .integer().with("default", 0), "Rows to skip")
    static let since = Parameter(
        "since", .integer(), "Only what is as new as this; milliseconds or seconds since 1970, recognised by size")
    static let requiredSourceID = Parameter("sourceId", .text(), "The source's id, or `default`", isRequired: true)
    static let sourceID = Parameter("sourceId", .text(), "The source's id; default: the first enabled one")
}

/// A success.
struct Answer: Sendable {
    let status: Int
    let about: String
    /// By media type; empty: no body.
    let content: [(type: String, schema: JSONSchema)]
    /// Has an `ETag`, so that `If-None-Match` is answered with 304.
    let isTagged: Bool

    init(
        _ status: Int = 200, _ about: String = "Success", _ schema: JSONSchema? = nil,
        type: String = "application/json",
        isTagged: Bool = true
    ) {
        self.status = status
        self.about = about
        content = schema.map { [(type: type, schema: $0)] } ?? []
        self.isTagged = isTagged && status == 200
    }

    static func ok(_ schema: JSONSchema) -> Answer { Answer(200, "Success", schema) }
    /// Of what differs each time.
    static func fresh(_ schema: JSONSchema) -> Answer { Answer(200, "Success", schema, isTagged: false) }
    static func rows(_ name: String) -> Answer { .ok(.rows(name)) }
    static func item(_ name: String) -> Answer { .ok(.item(.named(name))) }
}

extension Endpoint {
    /// What no two endpoints share.
    var key: String { "\(method.rawValue) \(path)" }
}
