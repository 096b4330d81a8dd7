import HTTPServer
import JSON
import Nettle
import Routes

extension RestAPI {
    static let documentationEndpoints: [Endpoint] = [
        .open("/api/v1/docs", RestAPI.documentation), .open("/api/v1/docs/openapi.json", RestAPI.openAPIAsJSON),
        .open("/api/v1/docs/openapi.yaml", RestAPI.openAPIAsYAML),
    ]

    /// `/api/v1/docs`: the document to read and to try, on a page that needs nothing from elsewhere.
    func documentation(_ call: Call) throws(APIError) -> Response {
        let headers = [
            (name: "Content-Type", value: "text/html; charset=utf-8"), Header.noSniff,
            (name: "Content-Security-Policy", value: DocumentationPage.policy),
            (name: "Referrer-Policy", value: "no-referrer"),
        ]
        return kept("docs", to: call.request, headers) { Array(DocumentationPage.html.utf8) }
    }

    func openAPIAsJSON(_ call: Call) throws(APIError) -> Response {
        let base = base(of: call.request)
        return kept("openapi.json \(base)", to: call.request, [Header.json, Header.noSniff]) {
            var json = JSONWriter()
            json.ordered(OpenAPIDocument(version: version, base: base).value)
            return json.bytes
        }
    }

    func openAPIAsYAML(_ call: Call) throws(APIError) -> Response {
        let base = base(of: call.request)
        let headers = [(name: "Content-Type", value: "text/yaml; charset=utf-8"), Header.noSniff]
        return kept("openapi.yaml \(base)", to: call.request, headers) {
            YAMLWriter(OpenAPIDocument(version: version, base: base).value).bytes
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

extension DocumentationPage {
    /// What the page may do: run its own script, use its own style, and ask this server. Texts on it come from
    /// strangers, so no other script runs even if one of them got into the page as markup, and no text can become one.
    static let policy =
        "default-src 'none'; script-src '\(digest(script))'; style-src '\(digest(style))'; connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

    /// As a policy names a text: its SHA-256.
    private static func digest(_ text: String) -> String {
        "sha256-" + Base64.encoded(SHA256.digest(of: Array(text.utf8)))
    }
}
