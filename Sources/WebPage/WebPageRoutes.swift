import CWebPage
import HTTPServer
import Routes

/// The page itself and what a browser fetches beside it. Everything else below `/` stays unknown: clients of the API look
/// there for what MeshMonitor has.
public enum WebPageEndpoints {
    public static let all: [Endpoint] =
        [
            .open("/", API.webPage),
            .open("/sw.js", API.webPageWorker),
            .open("/manifest.webmanifest", file("application/manifest+json") { web_page_manifest }),
            .open("/icon.svg", file("image/svg+xml", cache: day) { web_page_icon }),
            .open("/icon.png", file("image/png", cache: day) { web_page_picture }),
        ] + Annex.all.map { annex in .open(annex.path, { api in api.webPageAnnex(annex) }) }

    /// What looks the same in most versions need not be asked for with each view.
    private static let day = "public, max-age=86400"

    private static func file(
        _ type: String, cache: String = "no-cache", _ file: @escaping @Sendable () -> web_page_file
    ) -> Endpoint.Handler {
        { api in
            { (call: Call) throws(APIError) -> Response in
                try api.webPageFile(type, Array(file().content), cache, call)
            }
        }
    }
}

extension API {
    fileprivate func webPage(_ call: Call) throws(APIError) -> Response {
        try checkWebPage(call)
        return WebPage.document.response(to: call.request)
    }

    fileprivate func webPageWorker(_ call: Call) throws(APIError) -> Response {
        try checkWebPage(call)
        return WebPage.worker.response(to: call.request)
    }

    fileprivate func webPageFile(
        _ type: String, _ bytes: [UInt8], _ cache: String, _ call: Call
    ) throws(APIError) -> Response {
        try checkWebPage(call)
        let headers = [
            (name: "Content-Type", value: type), Header.noSniff, (name: "Cache-Control", value: cache),
            // A picture opened by itself is a document, too.
            (name: "Content-Security-Policy", value: "default-src 'none'; style-src 'unsafe-inline'"),
            (name: "ETag", value: EntityTag(of: bytes).text),
        ]
        return Response(headers: headers, body: .bytes(bytes)).unlessKnown(to: call.request)
    }

    fileprivate func webPageAnnex(_ annex: Annex) -> (Call) throws(APIError) -> Response {
        { (call: Call) throws(APIError) -> Response in
            try checkWebPage(call)
            return annex.document.response(to: call.request)
        }
    }

    /// Switched off, it is as if there were none.
    private func checkWebPage(_ call: Call) throws(APIError) {
        guard policy.value.servesWebPage else { throw .notFound("Cannot \(call.request.method) \(call.request.path)") }
    }
}
