import HTTPServer
import Routes

// Upstream asks a service in the Internet how much sun there will be. A gateway beside a radio has no forecast: the
// lists are well-formed and empty (contract 3.13).

extension RestAPI {
    static let solarEndpoints: [Endpoint] = [
        .v1(.get, "solar", nil, RestAPI.solar), .v1(.get, "solar/range", nil, RestAPI.solarRange),
    ]

    func solar(_ call: Call) throws(APIError) -> Response { .list([Int](), to: call.request) { _, _ in } }

    /// Of the times between `start` and `end`, both in seconds.
    func solarRange(_ call: Call) throws(APIError) -> Response {
        guard let start = call.request.queryValue("start").flatMap({ parseInt($0) }),
            let end = call.request.queryValue("end").flatMap({ parseInt($0) })
        else { throw .badRequest("Invalid start or end timestamp") }
        guard start < end else { throw .badRequest("Start timestamp must be before end timestamp") }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.member("count", 0)
                json.member("start", start)
                json.member("end", end)
                json.key("data")
                json.array { _ in }
            }
        }
    }
}
