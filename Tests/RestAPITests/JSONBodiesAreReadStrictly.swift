import JSON
import Testing

@testable import RestAPI

@Suite struct JSONBodiesAreReadStrictly {
    private func parsed(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test(
        arguments: [
            // text -> value
            ("{}", .object([:])), (" [ ] ", .array([])), ("null", .null), ("-0.5e1", .number(-5)), ("0", .number(0)),
            (#"{"a":1,"a":2}"#, .object(["a": .number(2)])),  // the last of two keys counts
            (#""\u00e9\ud83d\ude00\/\n""#, .string("é😀/\n")),
            (#""\ud83dx""#, .string("\u{FFFD}x")),  // half a surrogate pair
            (#""\ud83d\u0041""#, .string("\u{FFFD}A")), (#""\ude00""#, .string("\u{FFFD}")),
            ("\u{FEFF}[true,false]", .array([.bool(true), .bool(false)])),
            (#"{"a":{"b":["👋"]}}"#, .object(["a": .object(["b": .array([.string("👋")])])])),
        ] as [(String, JSONValue)])
    func read(_ text: String, _ value: JSONValue) throws {
        #expect(try parsed(text) == value)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\" 1}", "[1 2]", "01", "1.", ".5", "+1", "-",
        "1e", "0x10", "tru", "nul", "True", "NaN", "Infinity", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"a\nb\"",
        "[1]]", "{} x", "// c\n{}", "\"\u{0}\"", "[,1]", "{,}", "{\"a\":}",
    ])
    func refused(_ text: String) {
        #expect(throws: JSONError.self) { try parsed(text) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            #expect(throws: JSONError.self) { try JSONParser.parse([0x22] + bytes + [0x22]) }
        }
    }

    @Test func depthAndNumberOfValuesAreLimited() throws {
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(throws: Never.self) { try parsed(deep(JSONParser.maximumDepth + 1)) }
        #expect(throws: JSONError.tooComplex) { try parsed(deep(JSONParser.maximumDepth + 2)) }
        #expect(throws: JSONError.self) { try parsed(String(repeating: "[", count: 1_000_000)) }
        let wide = { (count: Int) in "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]" }
        #expect(throws: Never.self) { try parsed(wide(JSONParser.maximumValues - 1)) }
        #expect(throws: JSONError.tooComplex) { try parsed(wide(JSONParser.maximumValues)) }
    }

    @Test func anyCutOfADocumentIsRefused() {
        let whole = Array(#"{"text":"a\u00e9👋","n":[-1.5e3,true,null]}"#.utf8)
        #expect(throws: Never.self) { try JSONParser.parse(whole) }
        for length in 0..<whole.count {
            #expect(throws: JSONError.self) { try JSONParser.parse(Array(whole[..<length])) }
        }
    }

    @Test func nullIsAsGoodAsAbsent() throws {
        let body = try parsed(#"{"a":null,"b":false}"#)
        #expect(body["a"] == nil)
        #expect(body["b"] == .bool(false))
        #expect(body["c"] == nil)
    }

    @Test func integersAreExactOrNone() {
        #expect(JSONValue.number(4_294_967_295).integer == 4_294_967_295)
        for number in [0.5, 1e300, .infinity, -.infinity, .nan] { #expect(JSONValue.number(number).integer == nil) }
    }
}
