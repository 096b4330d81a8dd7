import JSON
import Routes

/// How a request can fail, and how that looks: the shapes differ by layer (Contract 2.2, 2.3 and 2.5).
struct Failures {
    let shape: OpenAPIOperation.FailureShape
    let status: Int
    /// What it means here; nil: what it always means.
    let why: String?

    /// All failures of an operation: those of its kind, and its own.
    static func of(_ operation: OpenAPIOperation, _ endpoint: Endpoint) -> [Failures] {
        var shape = OpenAPIOperation.FailureShape.v1
        var statuses = [400, 429, 500]
        switch endpoint.access {
        case .token, .everything: statuses.append(401)
        case .session, .cookie:
            statuses.append(401)
            shape = .session
        case .open, .local: break
        }
        if endpoint.scope != nil { statuses.append(403) }
        if endpoint.isPerSource { statuses.append(404) }
        if operation.body != nil { statuses.append(415) }
        let own = operation.failures
        let common = statuses.filter { status in !own.contains { $0.status == status } }
        shape = operation.failureShape ?? shape
        return common.map { Failures(shape: shape, status: $0, why: nil) }
            + own.map { Failures(shape: shape, status: $0.status, why: $0.why) }
    }

    private var reason: (name: String, meaning: String) {
        switch status {
        case 400: ("BadRequest", "A body that is not JSON, a malformed path, or a value that is not allowed")
        case 401: ("Unauthorized", "No token, or one that is not valid")
        case 403: ("Forbidden", "The token does not allow it")
        case 404: ("NotFound", "No such source, or nothing with this id in it")
        case 409: ("Conflict", "Not possible in the present state")
        case 413: ("PayloadTooLarge", "Too long")
        case 422: ("UnprocessableContent", "The `Idempotency-Key` was used for something else")
        case 415: ("UnsupportedMediaType", "A body with a `Content-Encoding`")
        case 429: ("TooManyRequests", "Too many requests")
        case 503: ("Unavailable", "No radio is connected")
        case 504: ("GatewayTimeout", "The radio has not answered in time")
        default: ("InternalError", "The server failed")
        }
    }

    /// The name of the response among the document's components.
    var name: String {
        switch shape {
        case .v1: reason.name
        case .brief: "Action\(reason.name)"
        case .coded: "Coded\(reason.name)"
        case .session: "Session\(reason.name)"
        }
    }

    var value: OrderedValue {
        var members: [OrderedValue.Member] = [.init(key: "description", value: .text(reason.meaning))]
        let header: String? = status == 401 ? "WWW-Authenticate" : status == 429 ? "Retry-After" : nil
        if let header {
            let reference: OrderedValue = ["$ref": "#/components/headers/\(header)"]
            members.append(.init(key: "headers", value: .object([.init(key: header, value: reference)])))
        }
        members.append(.init(key: "content", value: ["application/json": ["schema": schema.value]]))
        return .object(members)
    }

    private var schema: JSONSchema {
        let names: [String] =
            switch (shape, status) {
            case (.v1, 400), (.v1, 500): ["Failure", "Refusal"]
            case (.v1, 401), (.brief, 401): ["Refusal"]
            case (.v1, 409), (.v1, 422): ["Failure", "CodedFailure"]
            case (.v1, 429): ["Limited"]
            case (.v1, _), (.brief, 404), (.brief, 415): ["Failure"]
            case (.brief, 400), (.brief, 500): ["BriefFailure", "Failure", "Refusal"]
            case (.brief, 403): ["BriefFailure", "Failure"]
            case (.brief, 429): ["BriefFailure", "Limited"]
            case (.brief, _): ["BriefFailure"]
            case (.coded, 401): ["Refusal"]
            case (.coded, 400), (.coded, 403): ["CodedFailure", "Failure", "Refusal"]
            case (.coded, 429): ["Limited"]
            case (.coded, _): ["Failure"]
            case (.session, 401), (.session, 403): ["CodedFailure"]
            case (.session, 429): ["CodedFailure", "Limited"]
            case (.session, _): ["CodedFailure", "Failure", "Refusal"]
            }
        return names.count == 1 ? .named(names[0]) : .any(of: names.map { .named($0) })
    }

    // MARK: shapes

    static var schemas: KeyValuePairs<String, JSONSchema> {
        [
            "Failure": .object(
                "A failure of an endpoint below `/api/v1`",
                [
                    "success": .constant(false), "error": .text("The status in words"),
                    "message": .text("What is wrong, for people"), "required?": .named("Required"),
                    "code?": .text("What is wrong, for programs"),
                    "deniedSourceIds?": .list(of: .uuid(), "Sources in which the token lacks a scope"),
                ]),
            "Refusal": .object(
                "A failure from before the endpoint is known",
                ["error": .text("The status in words"), "message": .text("What is wrong, for people")]),
            "BriefFailure": .object(
                "A failure without `message`",
                [
                    "success": .constant(false), "error": .text("What is wrong, for people"),
                    "code?": .text("What is wrong, for programs"),
                    "retryAfter?": .count("Seconds after which to try again"),
                ]),
            "CodedFailure": .object(
                "A failure with a code for programs",
                [
                    "success?": .constant(false), "error": .text("What is wrong, for people"),
                    "code?": .text("What is wrong, for programs"), "message?": .text("Details"),
                    "required?": .named("Required"), "missing?": .list(of: .named("Required")),
                    "eligible?": .constant(false), "retryAfter?": .count("Seconds after which to try again"),
                ]),
            "Limited": .object(
                "The answer of a rate limiter; `Retry-After` says when it lets the client in again",
                ["error": .text("Whom the limit applies to"), "retryAfter": .text("The time of the limit, in words")]),
            "Required": .object(
                "The scope that the token lacks",
                [
                    "resource": .text("`admin`: everything"), "action?": .word(["viewOnMap", "read", "write"]),
                    "sourceId?": .uuid("The source that the token may not see at all"),
                ]),
        ]
    }
}
