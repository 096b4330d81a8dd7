import Testing

@testable import RestAPI

@Suite struct ThereIsNoSolarForecast {
    @Test func theListsAreEmpty() throws {
        let test = try TestGateway()
        #expect(try test.get("/api/v1/solar?limit=5").text == #"{"success":true,"count":0,"data":[]}"#)
        #expect(
            try test.get("/api/v1/solar/range?start=1787300000&end=1787386400").text
                == #"{"success":true,"count":0,"start":1787300000,"end":1787386400,"data":[]}"#)
    }

    /// What is asked for -> the days that the answer names.
    @Test(arguments: [
        ("", 7), ("?lookback_days=30", 30), ("?lookback_days=0", 1), ("?lookback_days=365", 90),
        ("?lookback_days=x", 7),
    ])
    func noNodeIsKnownToRunOnSunshine(_ query: String, _ days: Int) throws {
        let test = try TestGateway()
        #expect(
            try test.get("/api/analysis/solar-nodes" + query).text == #"{"lookback_days":\#(days),"#
                + #""total_nodes_analyzed":0,"solar_nodes_count":0,"solar_nodes":[],"solar_production":[],"#
                + #""avg_charging_hours_per_day":null,"avg_discharge_hours_per_day":null}"#)
        #expect(
            try test.get("/api/analysis/solar-forecast" + query).text == #"{"lookback_days":\#(days),"#
                + #""historical_days_analyzed":0,"avg_historical_daily_wh":0,"low_output_warning":false,"#
                + #""forecast_days":[],"nodes_at_risk_count":0,"nodes_at_risk":[],"solar_simulations":[]}"#)
    }

    @Test(arguments: [
        ("", "Invalid start or end timestamp"), ("?start=1", "Invalid start or end timestamp"),
        ("?start=x&end=5", "Invalid start or end timestamp"), ("?start=1&end=", "Invalid start or end timestamp"),
        ("?start=5&end=1", "Start timestamp must be before end timestamp"),
        ("?start=5&end=5", "Start timestamp must be before end timestamp"),
    ])
    func aRangeMustBeOne(_ query: String, _ message: String) throws {
        let answer = try TestGateway().get("/api/v1/solar/range" + query)
        #expect(answer.status == 400)
        #expect(answer.text == #"{"success":false,"error":"Bad Request","message":"\#(message)"}"#)
    }
}
