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
