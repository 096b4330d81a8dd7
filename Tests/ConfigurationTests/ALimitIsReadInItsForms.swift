import Configuration
import Platform
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
        let range = IPNetwork(text)
        #expect((range == nil) == (tail == nil), "\(text)")
        guard let range, let tail else { return }
        #expect(range.address.bytes.count == 16)
        #expect(range.address.bytes.suffix(tail.count).elementsEqual(tail))
        #expect(range.prefixLength == length)
    }
}

@Suite struct RetentionIsReadInItsForms {
    /// Text, hours; nil for a mistake, -1 for ever.
    @Test(
        arguments: [
            ("30d", 720), ("12h", 12), ("8w", 1344), ("1H", 1), ("forever", -1), ("Forever", -1), ("876000h", 876_000),
            ("876001h", nil), ("0d", nil), ("-1d", nil), ("+1d", nil), ("30", nil), ("d", nil), ("", nil),
            ("30 d", nil),
            ("1.5d", nil), ("30m", nil), ("99999999999999999999d", nil), ("unlimited", nil),
        ] as [(String, Int?)]) func ofATime(text: String, hours: Int?)
    {
        #expect(KeepingTime(text) == hours.map { KeepingTime(hours: $0 < 0 ? nil : $0) }, "\(text)")
    }

    /// Text, bytes; nil for a mistake, -1 without a limit.
    @Test(
        arguments: [
            ("200 MB", 200_000_000), ("200MB", 200_000_000), ("1 mb", 1_000_000), ("2 GB", 2_000_000_000),
            ("1000 GB", 1_000_000_000_000), ("unlimited", -1), ("UNLIMITED", -1), ("1001 GB", nil), ("0 MB", nil),
            ("-1 MB", nil), ("200", nil), ("MB", nil), (" MB", nil), ("200  MB", nil), ("200 KB", nil), ("1.5 GB", nil),
            ("200 MiB", nil), ("", nil), ("99999999999999999999 MB", nil), ("forever", nil),
        ] as [(String, Int64?)]) func ofASize(text: String, bytes: Int64?)
    {
        #expect(DatabaseSize(text) == bytes.map { DatabaseSize(bytes: $0 < 0 ? nil : $0) }, "\(text)")
    }

    @Test func fromAFileAndTheEnvironment() throws {
        let directory = try ConfigurationDirectory(
            "keep-telemetry = 10d\nkeep-positions = 2w\nkeep-packets = forever\nkeep-messages = 52w\n"
                + "keep-notifications = 2w")
        let configuration = try directory.load(environment: ["MESH_GATEWAY_DATABASE_SIZE": "unlimited"])
        #expect(configuration.keepTelemetry == .days(10))
        #expect(configuration.keepPositions == .days(14))
        #expect(configuration.keepPackets == .forever)
        #expect(configuration.keepMessages == .days(364))
        #expect(configuration.keepNotifications == .days(14))
        #expect(configuration.databaseSize == .unlimited)
        let builtIn = Configuration()
        #expect(builtIn.databaseSize.bytes == 200_000_000)
        #expect(builtIn.keepMessages == .forever)
        #expect(builtIn.keepNotifications == .days(7))
        #expect(throws: ConfigurationError.self) { try ConfigurationDirectory("database-size = big").load() }
    }
}
