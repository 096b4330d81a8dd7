import HTTPServer
import Routes

extension RestAPI {
    static let documentationEndpoints: [Endpoint] = [
        .open("/api/v1/docs", RestAPI.documentation), .open("/api/v1/docs/openapi.json", RestAPI.openAPIAsJSON),
        .open("/api/v1/docs/openapi.yaml", RestAPI.openAPIAsYAML),
    ]

    /// `/api/v1/docs`: the document to read and to try, on a page that needs nothing from elsewhere.
    func documentation(_ call: Call) throws(APIError) -> Response {
        DocumentationPage.document.response(to: call.request)
    }

    func openAPIAsJSON(_ call: Call) throws(APIError) -> Response {
        let base = base(of: call.request)
        return kept("openapi.json \(base)", to: call.request, [Header.json, Header.noSniff]) {
            ServedDocument(version: version, base: base).json
        }
    }

    func openAPIAsYAML(_ call: Call) throws(APIError) -> Response {
        let base = base(of: call.request)
        let headers = [(name: "Content-Type", value: "text/yaml; charset=utf-8"), Header.noSniff]
        return kept("openapi.yaml \(base)", to: call.request, headers) {
            ServedDocument(version: version, base: base).yaml
        }
    }

    /// A document that takes longer to make than to send, under a tag that stays.
    private func kept(
        _ name: String, to request: Request, _ headers: [(name: String, value: String)], make: () -> [UInt8]
    ) -> Response {
        func response(_ document: KeptDocuments.Document, _ body: Response.Body) -> Response {
            Response(headers: headers + [(name: "ETag", value: document.tag.text)], body: body)
                .unlessKnown(to: request)
        }
        if request.method == "HEAD" || request.header("If-None-Match") != nil {
            let document = documents.known(name, make: make)
            // Of a body to HEAD the server sends its length alone.
            let known = response(document, .stream(length: UInt64(document.count)) { nil })
            if request.method == "HEAD" || known.status == 304 { return known }
        }
        let (document, bytes) = documents.whole(name, make: make)
        return response(document, .bytes(bytes))
    }
}
