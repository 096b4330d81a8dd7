import Configuration
import Testing

@Suite struct ALimitIsReadInItsForms {
    @Test(
        arguments: [
            ("30", RequestLimit(count: 30)), ("1", RequestLimit(count: 1)), ("1000000", RequestLimit(count: 1_000_000)),
            ("unlimited", .unlimited),
            ("Unlimited", .unlimited), ("0", .unlimited), ("-1", .unlimited), ("1000001", nil), ("-2", nil), ("", nil),
            ("1.5", nil), ("30/min", nil), (" 30", nil), ("99999999999999999999", nil), ("none", nil),
        ] as [(String, RequestLimit?)]) func ofRequests(text: String, limit: RequestLimit?)
    {
        #expect(RequestLimit(text) == limit, "\(text)")
    }

    /// Text, as browsers write it in `Origin`; nil for a mistake.
    @Test(
        arguments: [
            ("http://localhost:3001", "http://localhost:3001"),
            ("https://Mesh.Example.org/", "https://mesh.example.org"),
            ("https://mesh.example.org:443", "https://mesh.example.org"), ("http://a:80", "http://a"),
            ("http://a:443", "http://a:443"), ("http://[FD00::1]:8080", "http://[fd00::1]:8080"),
            ("http://[::1]", "http://[::1]"), ("capacitor://localhost", "capacitor://localhost"),
            ("mesh.example.org", nil), ("http://", nil), ("http://a/b", nil), ("http://a//", nil), ("null", nil),
            ("http://a:", nil), ("http://a:0", nil), ("http://a:70000", nil), ("http://u@a", nil), ("http://*.a", nil),
            ("://a", nil), ("1a://b", nil), ("http://a?b", nil), ("", nil),
        ] as [(String, String?)]) func ofAWebSite(text: String, origin: String?)
    {
        #expect(AllowedOrigin(text) == origin.map { .site($0) }, "\(text)")
    }

    @Test func ofAnyWebSite() { #expect(AllowedOrigin("*") == .any) }

    /// Text, the last bytes of its address, bits of the network; nil for a mistake.
    @Test(
        arguments: [
            ("192.0.2.7", [0xFF, 0xFF, 192, 0, 2, 7], 128), ("192.0.2.0/24", [0xFF, 0xFF, 192, 0, 2, 0], 120),
            ("0.0.0.0/0", [0xFF, 0xFF, 0, 0, 0, 0], 96), ("::1", [0, 0, 0, 0, 0, 1], 128), ("::/0", [0, 0, 0], 0),
            ("fd00::/8", [0, 0], 8), ("::ffff:10.0.0.1", [0xFF, 0xFF, 10, 0, 0, 1], 128),
            ("192.0.2.7/24", nil, 0), ("192.0.2.0/33", nil, 0), ("192.0.2.0/", nil, 0), ("192.0.2.0/+1", nil, 0),
            ("192.0.2.0/24/1", nil, 0), ("192.0.2", nil, 0), ("proxy.local", nil, 0), ("::/129", nil, 0), ("", nil, 0),
            ("fe80::1%eth0", nil, 0), ("true", nil, 0), ("2001:db8::1/32", nil, 0),
        ] as [(String, [UInt8]?, Int)]) func ofANetwork(text: String, tail: [UInt8]?, length: Int)
    {
        let range = AddressRange(text)
        #expect((range == nil) == (tail == nil), "\(text)")
        guard let range, let tail else { return }
        #expect(range.bytes.count == 16)
        #expect(range.bytes.suffix(tail.count).elementsEqual(tail))
        #expect(range.prefixLength == length)
    }
}
