import HTTPServer
import JSON
import Routes

// Upstream asks a service in the Internet how much sun there will be. A gateway beside a radio has no forecast: the
// lists are well-formed and empty (Contract 3.13).

extension RestAPI {
    static let solarEndpoints: [Endpoint] = [
        .v1(.get, "solar", nil, RestAPI.solar), .v1(.get, "solar/range", nil, RestAPI.solarRange),
        .session(.get, "/api/analysis/solar-nodes", nil, RestAPI.solarNodes),
        .session(.get, "/api/analysis/solar-forecast", nil, RestAPI.solarForecast),
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

    // MARK: outside v1

    /// `/api/analysis/solar-nodes`: which nodes seem to run on sunshine. Nobody looks for them here: none was analysed.
    func solarNodes(_ call: Call) throws(APIError) -> Response {
        .json(to: call.request) { json in
            json.object { json in
                json.member("lookback_days", call.request.lookbackDays)
                json.member("total_nodes_analyzed", 0)
                json.member("solar_nodes_count", 0)
                json.emptyList("solar_nodes")
                json.emptyList("solar_production")
                json.null("avg_charging_hours_per_day")
                json.null("avg_discharge_hours_per_day")
            }
        }
    }

    /// `/api/analysis/solar-forecast`: for how long their batteries will last.
    func solarForecast(_ call: Call) throws(APIError) -> Response {
        .json(to: call.request) { json in
            json.object { json in
                json.member("lookback_days", call.request.lookbackDays)
                json.member("historical_days_analyzed", 0)
                json.member("avg_historical_daily_wh", 0)
                json.member("low_output_warning", false)
                json.emptyList("forecast_days")
                json.member("nodes_at_risk_count", 0)
                json.emptyList("nodes_at_risk")
                json.emptyList("solar_simulations")
            }
        }
    }
}

extension Request {
    /// As asked for, 1 to 90; 7 unless it is a number.
    fileprivate var lookbackDays: Int64 {
        min(max(queryValue("lookback_days").flatMap { parseInt($0) } ?? 7, 1), 90)
    }
}

extension JSONWriter {
    fileprivate mutating func emptyList(_ name: StaticString) {
        key(name)
        array { _ in }
    }
}
