import JSON
import Testing

@testable import RestAPI

@Suite struct JSONIsPrintedLikeJavaScriptPrintsIt {
    private func printed(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Double -> what JSON.stringify prints, but without its exponents.
    @Test(arguments: [
        (4.0, "4"), (4.05, "4.05"), (0, "0"), (-0.0, "0"), (-4.5, "-4.5"), (0.1, "0.1"), (1e-5, "0.00001"),
        (1.25e-7, "0.000000125"), (1e16, "10000000000000000"), (1.5e20, "150000000000000000000"),
        (-1.25e22, "-12500000000000000000000"), (46.2044, "46.2044"), (4.050000190734863, "4.050000190734863"),
        (.nan, "null"), (.infinity, "null"), (100, "100"), (120.5, "120.5"),
    ])
    func doubles(_ number: Double, _ text: String) {
        #expect(printed { $0.value(number) } == text)
    }

    @Test(arguments: [(Double(Float(4.05)), "4.05"), (Double(Float(-12.75)), "-12.75"), (0.1, "0.1"), (101, "101")])
    func valuesThatWereFloats(_ number: Double, _ text: String) {
        #expect(printed { $0.float(number) } == text)
    }

    /// Decimals of all lengths, against Swift's own shortest digits.
    @Test func shortAndLongDecimals() {
        var generator = SystemRandomNumberGenerator()
        for places in 0...12 {
            for _ in 0..<500 {
                let whole = Double(Int64.random(in: -9_999_999...9_999_999, using: &generator))
                var divisor = 1.0
                for _ in 0..<places { divisor *= 10 }
                let number = whole / divisor
                #expect(printed { $0.value(number) } == plain(number.description), "\(number)")
                let narrow = Float(number)
                #expect(printed { $0.float(Double(narrow)) } == plain(narrow.description), "\(narrow)")
                let any = Double.random(in: -1000...1000, using: &generator)
                #expect(printed { $0.value(any) } == plain(any.description), "\(any)")
            }
        }
    }

    /// Without a fraction of zero, and without an exponent, which here is negative and has two digits.
    private func plain(_ description: String) -> String {
        let parts = description.split(separator: "e-")
        if parts.count == 2, let exponent = Int(parts[1]) {
            let isNegative = parts[0].hasPrefix("-")
            let digits = parts[0].filter(\.isNumber)
            let shown = digits.hasSuffix("0") && parts[0].hasSuffix(".0") ? digits.dropLast() : digits[...]
            return (isNegative ? "-" : "") + "0." + String(repeating: "0", count: exponent - 1) + shown
        }
        if description == "-0.0" { return "0" }
        return description.hasSuffix(".0") ? String(description.dropLast(2)) : description
    }

    @Test func integersKeepAllTheirDigits() {
        #expect(printed { $0.value(UInt32.max) } == "4294967295")
        #expect(printed { $0.value(Int64.min) } == "-9223372036854775808")
        #expect(printed { $0.value(1_787_300_042_511) } == "1787300042511")
    }

    /// The count of their digits is known before they are written.
    @Test func integersOfEveryLength() {
        var (power, numbers) = (UInt64(1), [UInt64.max])
        for _ in 1...20 {
            numbers += [power - 1, power, power + 1]
            power = power &* 10
        }
        for bits in 0..<64 { numbers += [1 << bits, (1 << bits) - 1] }
        for number in numbers {
            #expect(printed { $0.value(number) } == number.description)
            #expect(printed { $0.value(Int64(bitPattern: number)) } == Int64(bitPattern: number).description)
        }
    }

    /// Text -> the string literal.
    @Test(arguments: [
        ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\n\r\t\u{08}\u{0C}", #""\n\r\t\b\f""#),
        ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""), ("Grüezi 👋 \u{2028}", "\"Grüezi 👋 \u{2028}\""),
    ])
    func strings(_ text: String, _ literal: String) {
        #expect(printed { $0.value(text) } == literal)
    }

    /// At each place of a text of several machine words.
    @Test func whatMustBeEscapedIsFoundAnywhere() {
        for (character, escaped) in [
            ("\"", #"\""#), ("\\", #"\\"#), ("\u{1F}", #"\u001f"#), ("\n", #"\n"#), ("!", "!"), ("#", "#"), ("]", "]"),
            ("\u{A0}", "\u{A0}"), (" ", " "), ("é", "é"),
        ] {
            for before in 0..<20 {
                for after in [0, 1, 7, 8, 9] {
                    let (head, tail) = (String(repeating: "a", count: before), String(repeating: "~", count: after))
                    #expect(printed { $0.value(head + character + tail) } == "\"\(head)\(escaped)\(tail)\"")
                }
            }
        }
    }

    @Test func commasStandBetweenMembersAndElementsOnly() {
        let text = printed { json in
            json.object { json in
                json.member("a", 1)
                json.key("b")
                json.array { json in
                    json.object { _ in }
                    json.value(true)
                    json.value(nil as String?)
                }
                json.member("c", "x")
            }
        }
        #expect(text == #"{"a":1,"b":[{},true,null],"c":"x"}"#)
    }

    @Test func chunksPutTogetherAreTheWhole() {
        var writer = JSONWriter()
        var whole: [UInt8] = []
        writer.open(UInt8(ascii: "["))
        for number in 0..<3 {
            writer.value(number)
            whole += writer.takeChunk()
        }
        writer.close(UInt8(ascii: "]"))
        whole += writer.takeChunk()
        #expect(String(decoding: whole, as: UTF8.self) == "[0,1,2]")
    }
}
