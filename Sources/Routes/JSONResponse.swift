import HTTPServer
import JSON

/// Headers that every answer of the same kind carries.
public enum Header {
    public static let json = (name: "Content-Type", value: "application/json; charset=utf-8")
    /// Texts come from strangers: no browser may guess that a body is a page.
    public static let noSniff = (name: "X-Content-Type-Options", value: "nosniff")
    /// On an answer with a secret that is shown once.
    public static let noStore = (name: "Cache-Control", value: "no-store")
    /// On every answer: no other web site's page may frame it, or load it as a picture or a script. An allowed site's page
    /// asks by CORS, and is not concerned.
    public static let forBrowsers = [
        (name: "X-Frame-Options", value: "DENY"), (name: "Cross-Origin-Resource-Policy", value: "same-origin"),
    ]
}

extension Response {
    public static func json(_ body: Body, status: Int = 200, tag: EntityTag? = nil) -> Response {
        // With room for those that every answer has.
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(8)
        headers += [Header.json, Header.noSniff]
        if let tag = tag?.isOfTheBody == true ? EntityTag(of: body) : tag {
            headers.append((name: "ETag", value: tag.text))
        }
        return Response(status: status, headers: headers, body: body)
    }

    /// What `write` prints, under an entity tag of its own bytes; 304 when the client has them already. What came of a
    /// change has no tag: it could only be taken for that of the thing at the path.
    public static func json(to request: Request, _ write: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter()
        write(&writer)
        let bytes = writer.takeChunk()
        guard request.method == "GET" || request.method == "HEAD" else { return .json(.bytes(bytes)) }
        return .json(.bytes(bytes), tag: EntityTag(of: bytes)).unlessKnown(to: request)
    }

    /// The contract's envelope for one thing.
    public static func item(to request: Request, _ write: (inout JSONWriter) -> Void) -> Response {
        .json(to: request) { json in
            json.object { json in
                json.member("success", true)
                json.key("data")
                write(&json)
            }
        }
    }

    /// The contract's envelope for a list.
    public static func list<Row>(_ rows: [Row], to request: Request, _ write: (inout JSONWriter, Row) -> Void)
        -> Response
    {
        .json(to: request) { json in
            json.object { json in
                json.member("success", true)
                json.member("count", rows.count)
                json.key("data")
                json.array { json in
                    for row in rows { write(&json, row) }
                }
            }
        }
    }

    /// A bare array, as MeshMonitor's routes outside v1 answer.
    public static func array<Row>(_ rows: [Row], to request: Request, _ write: (inout JSONWriter, Row) -> Void)
        -> Response
    {
        .json(to: request) { json in
            json.array { json in
                for row in rows { write(&json, row) }
            }
        }
    }
}
