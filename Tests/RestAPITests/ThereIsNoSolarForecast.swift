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
