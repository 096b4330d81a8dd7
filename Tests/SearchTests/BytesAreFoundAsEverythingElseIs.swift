import Search
import Testing

/// Bytes have a function of their own, which says the same as the one for every collection.
@Suite struct BytesAreFoundAsEverythingElseIs {
    @Test(arguments: [
        ("", ""), ("", "a"), ("a", ""), ("a", "a"), ("a", "b"), ("ab", "abc"), ("aab", "ab"), ("abab", "ab"),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n", "\r\n\r\n"), ("\r\n\r", "\r\n\r\n"),
    ])
    func atTheSamePlace(text: String, part: String) {
        let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
        #expect(bytes.firstRange(of: wanted) == bytes[...].firstRange(of: wanted[...]))
    }
}
