import JSON
import Testing

/// Times in JSON have one form, that of JavaScript's `toISOString`.
@Suite struct OnlyAJavaScriptTimeIsOne {
    private static let times: [(String, Int64)] = [
        ("1970-01-01T00:00:00.000Z", 0), ("2026-08-22T09:21:35.120Z", 1_787_390_495_120),
        ("2028-02-29T23:59:59.999Z", 1_835_481_599_999),
    ]

    @Test(arguments: times) func aTime(_ text: String, _ milliseconds: Int64) {
        #expect(ISO8601.text(milliseconds) == text)
        #expect(ISO8601.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "2026-08-22T09:21:35Z", "2026-08-22 09:21:35.120Z", "2026-08-22t09:21:35.120Z", "2026/08/22T09:21:35.120Z",
        "2026-08-22T09.21.35.120Z", "2026-08-22T09:21:35,120Z", "2026-08-22T09:21:35.120z", "2026x08x22x09x21x35x120Z",
        "2026-08-22T09:21:35.+20Z", "+026-08-22T09:21:35.120Z", "2026-13-22T09:21:35.120Z", "2026-02-29T09:21:35.120Z",
        "2026-08-22T24:00:00.000Z", "2026-08-22T09:21:60.000Z", "", "2026-08-22T09:21:35.120é",
    ])
    func anotherForm(_ text: String) { #expect(ISO8601.milliseconds(text) == nil) }
}
