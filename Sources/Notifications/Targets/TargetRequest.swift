extension Target {
    /// The request by which it is told (deploy/TARGETS.md, "What is sent").
    ///
    /// - Parameter now: when this attempt is made, in host milliseconds.
    func request(for told: Outgoing, at now: Int64) -> HTTPRequest {
        var request = base
        kind.receiver.tell(told, by: &request, at: now)
        return request
    }

    /// The common part of all requests; alone it says that the gateway is alive.
    var base: HTTPRequest {
        var request = HTTPRequest(address: address)
        request.headers = headers.map { ($0.name, $0.value) }
        (request.authority, request.proxy, request.isLocalAllowed) = (authority, proxy, isLocalAllowed)
        if let registration {
            request.isPublicOnly = !registration.isNamedHost
            request.isLocalAllowed = registration.isNamedHost
        }
        return request
    }
}
