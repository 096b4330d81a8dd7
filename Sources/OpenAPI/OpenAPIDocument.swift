import JSON
import RestAPI
import Routes

// The document is made from two tables: the endpoints, which know their paths and who may ask, and the operations,
// which say what they are for. The program has it as it was made of them (RestAPI/OpenAPI/ServedDocument.swift).

/// The description of this API in OpenAPI 3.1.
struct OpenAPIDocument {
    /// The server's.
    let version: String
    /// What stands before every path for the client; empty: nothing.
    var base = ""

    var value: OrderedValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "mesh-gateway", "version": .text(version),
                "summary": "Shares a Meshtastic radio between many programs, with MeshMonitor's REST API v1",
                "description": Self.about,
            ],
            "servers": [["url": .text(base.isEmpty ? "/" : base)]],
            "tags": .list(OpenAPIOperation.Tag.allCases.map { ["name": .text($0.rawValue)] }),
            "paths": paths,
            "components": [
                "securitySchemes": [
                    "bearer": [
                        "type": "http", "scheme": "bearer",
                        "description": "`mm_v1_` and 32 hexadecimal digits; `mesh-gateway token create NAME` makes one",
                    ],
                    "cookie": [
                        "type": "apiKey", "in": "cookie", "name": .text(SessionCookies.name),
                        "description":
                            "The cookie from the answer to a request with a token; it needs the CSRF token, too",
                    ],
                    "csrfToken": [
                        "type": "apiKey", "in": "header", "name": "X-CSRF-Token",
                        "description": "From `GET /api/csrf-token`, requested with the cookie",
                    ],
                ],
                "headers": Self.headers, "responses": responses,
                "schemas": .object(
                    Schemas.all.map { .init(key: $0.name, value: $0.schema.value) }
                        + Failures.schemas.map { .init(key: $0.key, value: $0.value.value) }),
            ],
        ]
    }

    private static let about: OrderedValue = """
        Every endpoint below a source answers under three prefixes: `/api/v1/sources/{sourceId}`, \
        `/api/v1/sources/default` and `/api/v1`; the last two mean the first enabled source.

        A token has scopes; what an endpoint needs stands in its `security`, and what it needs besides by what is asked, \
        such as the channel of a text, in `x-further-scopes`. Rows that a token may not see are left out before `limit` counts: nodes and positions go by `channel_N:viewOnMap`, texts by `channel_N:read`.

        Times are milliseconds since 1970 unless it is said that they are seconds. Node numbers and packet ids are up to \
        4294967295. Keys without a value are null, not left out, unless marked as optional. `HEAD` works wherever `GET` \
        does, and an unknown query parameter is ignored. Numbers of the query are read leniently: what is none means the \
        default.

        What MeshMonitor does not have is marked with `x-mesh-gateway-only`.
        """

    private static let headers: OrderedValue = [
        "ETag": [
            "description": "Send it as `If-None-Match` to get 304 while nothing has changed",
            "schema": JSONSchema.text().value,
        ],
        "Retry-After": [
            "description": "Seconds after which to try again", "schema": JSONSchema.integer().with("minimum", 1).value,
        ],
        "WWW-Authenticate": ["description": "Which kind of token is needed", "schema": ["const": "Bearer"]],
    ]

    // MARK: paths

    private struct Place {
        let path: String
        let endpoint: Endpoint
        let operation: OpenAPIOperation
        /// What the operation's id ends in there.
        let suffix: String
    }

    /// Wherever the server answers, in the order of the tables; those of the local socket left out.
    private var places: [Place] {
        let operations = Dictionary(uniqueKeysWithValues: Operations.all.map { ($0.key, $0) })
        return Endpoints.all.flatMap { endpoint -> [Place] in
            guard let operation = operations[endpoint.key] else { return [] }
            let canonical = Place(path: endpoint.path, endpoint: endpoint, operation: operation, suffix: "")
            guard endpoint.isPerSource else { return [canonical] }
            let rest = endpoint.path.dropFirst(Endpoint.sourcePrefix.count)
            return [
                canonical,
                Place(
                    path: "/api/v1/sources/default\(rest)", endpoint: endpoint, operation: operation, suffix: "_default"
                ),
                Place(path: "/api/v1\(rest)", endpoint: endpoint, operation: operation, suffix: "_flat"),
            ]
        }
    }

    private var paths: OrderedValue {
        var paths: [OrderedValue.Member] = []
        var indices: [String: Int] = [:]
        for place in places {
            let method = place.endpoint.method.rawValue.lowercased()
            let member = OrderedValue.Member(key: method, value: Self.operation(at: place))
            if let index = indices[place.path], case .object(let members) = paths[index].value {
                paths[index].value = .object(members + [member])
            } else {
                indices[place.path] = paths.count
                paths.append(.init(key: place.path, value: .object([member])))
            }
        }
        return .object(paths)
    }

    private static func operation(at place: Place) -> OrderedValue {
        let (operation, endpoint) = (place.operation, place.endpoint)
        var members: [OrderedValue.Member] = [
            .init(key: "operationId", value: .text(operation.id + place.suffix)),
            .init(key: "tags", value: [.text(operation.tag.rawValue)]),
            .init(key: "summary", value: .text(operation.summary)),
        ]
        if !place.suffix.isEmpty {
            members.append(.init(key: "x-canonical", value: .text(operation.id)))
        } else if !operation.details.isEmpty {
            members.append(.init(key: "description", value: .text(operation.details)))
        }
        if operation.isOurs { members.append(.init(key: "x-mesh-gateway-only", value: true)) }
        let parameters = parameters(at: place)
        if !parameters.isEmpty { members.append(.init(key: "parameters", value: .list(parameters))) }
        if let body = operation.body {
            members.append(
                .init(
                    key: "requestBody",
                    value: ["required": true, "content": ["application/json": ["schema": body.value]]]))
        }
        members.append(.init(key: "responses", value: responses(of: operation, endpoint)))
        members.append(.init(key: "security", value: security(of: endpoint)))
        if !operation.furtherScopes.isEmpty {
            let further = operation.furtherScopes.map { one -> OrderedValue in
                ["scope": .text(one.scope), "when": .text(one.when)]
            }
            members.append(.init(key: "x-further-scopes", value: .list(further)))
        }
        return .object(members)
    }

    private static func security(of endpoint: Endpoint) -> OrderedValue {
        // For a scheme that is not OAuth these are roles: what a token must be allowed to.
        let bearer: OrderedValue = ["bearer": .list(endpoint.scope.map { [.text($0)] } ?? [])]
        return switch endpoint.access {
        case .open, .local: []
        case .token, .everything, .session: [bearer]
        case .cookie: [bearer, ["cookie": [], "csrfToken": []]]
        }
    }

    // MARK: parameters

    private static func parameters(at place: Place) -> [OrderedValue] {
        let inPath = place.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { segment -> OrderedValue in
            let name = String(segment.dropFirst().dropLast())
            let meaning = PathParameters.meaning(of: name, in: place.path)
            return [
                "name": .text(name), "in": "path", "required": true, "description": .text(meaning?.about ?? ""),
                "schema": (meaning?.schema ?? .text()).value,
            ]
        }
        let query = place.operation.query + (place.suffix == "_flat" ? [.sourceID] : [])
        let heads = place.operation.takesKey ? [Self.idempotencyKey] : []
        return inPath + heads
            + query.map { parameter in
                [
                    "name": .text(parameter.name), "in": "query", "required": .flag(parameter.isRequired),
                    "description": .text(parameter.about), "schema": parameter.schema.value,
                ]
            }
    }

    private static let idempotencyKey: OrderedValue = [
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": .text(
            "An id of the client's for this text, 1 to 128 printable characters of ASCII. Asked again within a day with the "
                + "same one, the answer is that of the first time, and nothing is sent twice"),
        "schema": JSONSchema.text().with("maxLength", 128).value,
    ]

    // MARK: answers

    private static func responses(of operation: OpenAPIOperation, _ endpoint: Endpoint) -> OrderedValue {
        var responses: [(status: Int, value: OrderedValue)] = operation.answers.map { ($0.status, $0.value) }
        if operation.answers.contains(where: \.isTagged) {
            responses.append((304, ["description": "Not changed since the answer that `If-None-Match` names"]))
        }
        for failure in Failures.of(operation, endpoint) {
            var reference: [OrderedValue.Member] = [
                .init(key: "$ref", value: .text("#/components/responses/\(failure.name)"))
            ]
            if let why = failure.why { reference.append(.init(key: "description", value: .text(why))) }
            responses.append((failure.status, .object(reference)))
        }
        responses.sort { $0.status < $1.status }
        return .object(responses.map { .init(key: String($0.status), value: $0.value) })
    }

    /// The failures that some operation names.
    private var responses: OrderedValue {
        var named: [OrderedValue.Member] = []
        for place in places {
            for failure in Failures.of(place.operation, place.endpoint)
            where !named.contains(where: { $0.key == failure.name }) {
                named.append(.init(key: failure.name, value: failure.value))
            }
        }
        return .object(named)
    }
}

extension Answer {
    fileprivate var value: OrderedValue {
        var members: [OrderedValue.Member] = [.init(key: "description", value: .text(about))]
        if isTagged { members.append(.init(key: "headers", value: ["ETag": ["$ref": "#/components/headers/ETag"]])) }
        if !content.isEmpty {
            let media = content.map { OrderedValue.Member(key: $0.type, value: ["schema": $0.schema.value]) }
            members.append(.init(key: "content", value: .object(media)))
        }
        return .object(members)
    }
}
