import HTTPServer

// Below which path a request finds the API, and what documents and cookies call it.
//
//     GET /mesh/api/v1/nodes  --stripped-->  /api/v1/nodes  --router-->  …
//
// A proxy that passes its own path on unchanged needs this: links in answers are then the same on both sides of it.

extension API {
    /// What stands before every path that the client of this request is told; empty: nothing.
    public func base(of request: Request) -> String {
        if case .local = request.peer { return "" }
        return policy.value.basePath
    }

    /// The path of the request below its base, cut at its slashes.
    public func segments(of request: Request) throws(APIError) -> [String] {
        guard let segments = request.pathSegments else {
            throw .badRequest("The path contains a malformed percent escape")
        }
        let base = base(of: request).split(separator: "/")
        guard !base.isEmpty else { return segments }
        let isBelow =
            segments.count >= base.count
            && zip(segments, base).allSatisfy { Router.lowercased($0) == Router.lowercased(String($1)) }
        guard isBelow else { throw .notFound("Cannot \(request.method) \(request.path)") }
        return Array(segments.dropFirst(base.count))
    }
}
