import Routes
import Testing

@testable import RestAPI

@Suite struct TokensHaveOneForm {
    @Test func newTokensAreRandom() {
        let tokens = Set((0..<100).map { _ in APIToken.random().text })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { APIToken($0) != nil && $0.count == 38 })
    }

    @Test(arguments: [
        "", "mm_v1_", "mm_v1_0123456789abcdef0123456789abcde", "mm_v1_0123456789abcdef0123456789abcdef0",
        "mm_v1_0123456789ABCDEF0123456789abcdef", "mm_v2_0123456789abcdef0123456789abcdef",
        "mm_v1_0123456789abcdef0123456789abcdeg", " mm_v1_0123456789abcdef0123456789abcdef",
        "mm_v1_0123456789abcdef0123456789abcde\u{663}",
        "mm_v1_g123456789abcdef0123456789abcdef",
        // Beside the digits and letters in ASCII.
        "mm_v1_0123456789abcdef0123456789abcde/", "mm_v1_0123456789abcdef0123456789abcde:",
        "mm_v1_0123456789abcdef0123456789abcde`",
    ])
    func othersAreNone(_ text: String) {
        #expect(APIToken(text) == nil)
    }

    @Test func everyDigitCounts() {
        #expect(APIToken("mm_v1_0123456789abcdeffedcba9876543210")?.text == "mm_v1_0123456789abcdeffedcba9876543210")
    }

    @Test func theHashIsSHA256OfTheWholeText() throws {
        let token = try #require(APIToken("mm_v1_00000000000000000000000000000000"))
        #expect(token.prefix == "mm_v1_000000")
        let digits = token.hash.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(digits == "0f2f3ccdfa98332bfeb1093f809459f88f1496482a33d15b663daeff4dca086c")
    }
}
