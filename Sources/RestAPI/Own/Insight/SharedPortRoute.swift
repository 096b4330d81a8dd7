import HTTPServer
import JSON
import Routes

// Who uses the source's radio over TCP, ours.

extension RestAPI {
    static let sharedPortEndpoints: [Endpoint] = [
        .perSource(.get, "shared-ports", .configuration, .read, RestAPI.sharedPorts)
    ]

    /// `P/shared-ports`: the ports at which the source's radio is shared, in the order of the settings, with their clients.
    func sharedPorts(_ call: Call) throws(APIError) -> Response {
        let first = try knownSources.all(of: store).preferred?.id
        let ports = shares().filter { $0.isOf(call.source.id, first: first) }
        return .list(ports, to: call.request) { json, port in
            json.object { json in
                json.member("address", port.address)
                json.member("right", port.right.rawValue)
                json.member("problem", port.problem)
                json.clients(of: port) { $0.member($1, $2) }
                json.member("sent", Int64(clamping: port.sent))
                json.member("refusedPackets", Int64(clamping: port.refusedPackets))
                json.member("refusedConnections", Int64(clamping: port.refusedConnections))
            }
        }
    }
}
