import Routes
import Testing

@testable import RestAPI

@Suite struct QueryNumbersAreReadLikeParseInt {
    /// text -> number, nil for NaN
    @Test(
        arguments: [
            ("5", 5), ("-1", -1), ("+7", 7), (" \t42abc", 42), ("3.9", 3), ("007", 7), ("", nil), ("abc", nil),
            ("-", nil),
            ("--1", nil), ("0x10", 0), ("٣", nil), ("99999999999999999999", .max), ("-99999999999999999999", .min),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ] as [(String, Int64?)])
    func numbers(_ text: String, _ number: Int64?) {
        #expect(parseInt(text) == number)
    }

    @Test func withoutABaseTheyMayBeHexadecimal() {
        let texts = ["0x1", "0XfFg", " 0x7", "12", "0x", "x1", "0x10000000000000000"]
        #expect(texts.map { parseIntOfEitherBase($0) } == [1, 255, 7, 12, nil, nil, nil])
    }

    @Test func blanksAreThoseOfJavaScript() {
        #expect("\u{FEFF} a b\u{A0}\u{3000}\r\n".trimmed == "a b")
        #expect("\u{200B}".trimmed == "\u{200B}")
        #expect(" \n".trimmed == "")
        #expect(" a ".trimmedEnd == " a")
    }
}
