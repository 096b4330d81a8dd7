import Platform
import Testing

@Suite struct AnAddressIsOneHoweverItIsWritten {
    @Test func ofEitherFamily() throws {
        #expect(IPAddress("192.0.2.7") == IPAddress("::ffff:192.0.2.7"))
        #expect(IPAddress("192.0.2.7") == IPAddress("::FFFF:c000:0207"))
        #expect(IPAddress("192.0.2.7") != IPAddress("::192.0.2.7"))
        #expect(try #require(IPAddress("192.0.2.7")).isIPv4)
        #expect(IPAddress("2001:db8:0:0:0:0:0:1") == IPAddress(high: 0x2001_0DB8_0000_0000, low: 1))
        #expect(try !#require(IPAddress("2001:db8::1")).isIPv4)
        #expect(IPAddress(bytes: Array(0x10...0x1F)) == IPAddress("1011:1213:1415:1617:1819:1a1b:1c1d:1e1f"))
    }

    @Test(arguments: ["", "192.0.2", "192.0.2.256", "localhost", "::1%lo", "[::1]", " ::1", "1.2.3.4:5", "unknown"])
    func othersAreNone(text: String) {
        #expect(IPAddress(text) == nil)
    }

    /// Address, private?
    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("10.1.2.3", true), ("172.16.0.1", true),
        ("172.31.255.255", true), ("172.32.0.1", false), ("172.15.0.1", false), ("192.168.1.1", true),
        ("192.169.1.1", false), ("8.8.8.8", false), ("fd00::1", true), ("fc12:3::1", true), ("fe80::1", false),
        ("fd::1", false), ("2001:db8::1", false), ("::ffff:10.1.2.3", true), ("::ffff:8.8.8.8", false), ("::", false),
    ]) func someAreOfAPrivateNetwork(address: String, isPrivate: Bool) throws {
        #expect(try #require(IPAddress(address)).isPrivate == isPrivate)
    }

    /// Network, bits, address, inside?
    @Test(arguments: [
        ("192.0.2.0", 120, "192.0.2.255", true), ("192.0.2.0", 120, "192.0.3.0", false),
        ("192.0.2.0", 120, "2001:db8::1", false), ("0.0.0.0", 96, "8.8.8.8", true), ("0.0.0.0", 96, "::1", false),
        ("::", 0, "8.8.8.8", true), ("2001:db8::", 32, "2001:db8:ffff::1", true),
        ("2001:db8::", 32, "2001:db9::", false), ("2001:db8::", 64, "2001:db8::ffff", true),
        ("2001:db8::", 64, "2001:db8:0:1::", false), ("::1", 128, "::1", true), ("::1", 128, "::2", false),
    ]) func networksHoldTheirAddresses(network: String, bits: Int, address: String, isInside: Bool) throws {
        let network = IPNetwork(try #require(IPAddress(network)), prefixLength: bits)
        #expect(network.contains(try #require(IPAddress(address))) == isInside)
    }
}
