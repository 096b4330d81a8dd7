import Search
import Testing

/// Bytes have a function of their own, which says the same as the one for every collection: where the first occurrence begins.
@Suite struct BytesAreFoundAsEverythingElseIs {
    @Test(
        arguments: [
            ("", "", 0), ("", "a", nil), ("a", "", 0), ("a", "a", 0), ("a", "b", nil), ("ab", "abc", nil),
            ("aab", "ab", 1), ("abab", "ab", 0), ("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n", "\r\n\r\n", 21),
            ("\r\n\r", "\r\n\r\n", nil),
        ] as [(String, String, Int?)])
    func atTheSamePlace(text: String, part: String, place: Int?) {
        let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
        let found: Range<Int>? = bytes.firstRange(of: wanted)
        #expect(found == place.map { $0..<$0 + wanted.count })
    }
}
