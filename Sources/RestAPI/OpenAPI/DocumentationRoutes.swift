import HTTPServer
import Nettle
import Routes

extension RestAPI {
    static let documentationEndpoints: [Endpoint] = [
        .open("/api/v1/docs", RestAPI.documentation), .open("/api/v1/docs/openapi.json", RestAPI.openAPIAsJSON),
        .open("/api/v1/docs/openapi.yaml", RestAPI.openAPIAsYAML),
    ]

    /// `/api/v1/docs`: the document to read and to try, on a page that needs nothing from elsewhere.
    func documentation(_ call: Call) throws(APIError) -> Response {
        let page = Array(DocumentationPage.html.utf8)
        let headers = [
            (name: "Content-Type", value: "text/html; charset=utf-8"), Header.noSniff,
            (name: "Content-Security-Policy", value: DocumentationPage.policy),
            (name: "Referrer-Policy", value: "no-referrer"), (name: "ETag", value: EntityTag(of: page).text),
        ]
        return Response(headers: headers, body: .bytes(page)).unlessKnown(to: call.request)
    }

    func openAPIAsJSON(_ call: Call) throws(APIError) -> Response {
        .json(to: call.request) { $0.ordered(OpenAPIDocument(version: version, base: base(of: call.request)).value) }
    }

    func openAPIAsYAML(_ call: Call) throws(APIError) -> Response {
        let yaml = YAMLWriter(OpenAPIDocument(version: version, base: base(of: call.request)).value).bytes
        let headers = [
            (name: "Content-Type", value: "text/yaml; charset=utf-8"), Header.noSniff,
            (name: "ETag", value: EntityTag(of: yaml).text),
        ]
        return Response(headers: headers, body: .bytes(yaml)).unlessKnown(to: call.request)
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
