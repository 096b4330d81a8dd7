import Search
import Testing

/// `weather {city}` is what somebody says from the first to the last word.
@Suite struct APhraseFillsItsNames {
    @Test(arguments: [
        ("weather {city}", "Weather  New York ", ["city": "New York"]), ("weather {city}", "weather", nil),
        ("weather {city}", "the weather Bern", nil),
        ("w {city} {day}", "W Bern today", ["city": "Bern", "day": "today"]),
        ("w {a} {b}", "w x y z", ["a": "x", "b": "y z"]), ("zip {z:[0-9]{5}}", "ZIP 12345", ["z": "12345"]),
        ("zip {z:[0-9]{5}}", "zip 1234", nil), ("zip {z:[0-9]{5}}", "zip 123456", nil),
        ("{n:\\d+} + {m:\\d+}", "12 + 30", ["n": "12", "m": "30"]), ("ping", " PING\n", [:]), ("a.b", "axb", nil),
        ("say {x:a|b}!", "say b!", ["x": "b"]),
    ])
    func orDoesNot(_ phrase: String, _ text: String, _ groups: [String: String]?) throws {
        #expect(try Pattern(phrase: phrase).match(in: PatternText(text))?.groups == groups)
    }

    @Test(arguments: ["", "  ", "weather {city", "{a} {a}", "{a b}", "{z:[0-9}", "{z:(}", "{z:a)b}", "{}"])
    func orCannotBe(_ phrase: String) {
        #expect(throws: PatternMistake.self) { try Pattern(phrase: phrase) }
    }
}
