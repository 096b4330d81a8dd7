import HTTPServer
import Platform
import Testing

@Suite struct ARequesterIsAnAddressInItsNetwork {
    private func requester(_ text: String) throws -> Requester { Requester(try #require(IPAddress(text))) }

    @Test(arguments: [
        // Two privacy addresses of one household.
        ("2001:db8:1:2:a1b2:c3d4:e5f6:1", "2001:db8:1:2:99::7"),
        // A link's own addresses.
        ("fe80::1", "fe80::a00:27ff:fe4e:66a1"),
        ("192.168.1.7", "192.168.1.250"),
        ("::1", "::2"),
    ])
    func neighboursShareANetwork(one: String, other: String) throws {
        #expect(try requester(one).network == requester(other).network)
        #expect(try requester(one).address != requester(other).address)
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:3::1"), ("fe80::1", "2001:db8::1"), ("192.168.1.7", "192.168.2.7"),
        ("::1", "127.0.0.1"), ("::", "0.0.0.0"),
    ])
    func othersDoNot(one: String, other: String) throws {
        #expect(try requester(one).network != requester(other).network)
    }

    @Test func anIPv4AddressIsOneOnWhicheverSocket() throws {
        #expect(try requester("::ffff:192.168.1.7") == requester("192.168.1.7"))
        #expect(try requester("::ffff:192.168.1.9").network == requester("192.168.1.7").network)
    }
}
