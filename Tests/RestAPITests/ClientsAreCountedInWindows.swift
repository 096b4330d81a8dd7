import Testing

@testable import RestAPI

@Suite struct ClientsAreCountedInWindows {
    @Test func theLimitHoldsUntilTheWindowEnds() {
        let limit = RateLimit(.messages)
        for count in 1...30 {
            let standing = limit.count("a", now: 1000)
            #expect(!standing.isRefused)
            #expect(standing.remaining == 30 - count)
        }
        #expect(limit.count("a", now: 60_999).isRefused)
        #expect(limit.count("a", now: 60_999).reset == 1)
        #expect(!limit.count("b", now: 60_999).isRefused)
        #expect(!limit.count("a", now: 61_000).isRefused)
    }

    @Test func headersTellWhereAClientStands() {
        let headers = RateLimit(.requests).count("a", now: 500).headers
        #expect(
            headers.map(\.name) == ["RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"])
        #expect(headers.map(\.value) == ["1000;w=900", "1000", "999", "900"])
    }

    @Test func manyAddressesTakeNoMoreThanTheTable() {
        let limit = RateLimit(.messages)
        for _ in 0..<31 { _ = limit.count("first", now: 0) }
        for client in 0..<5000 { _ = limit.count("c\(client)", now: 1) }
        #expect(limit.clients == RateLimit.maximumClients)
        // The client whose window ended first made room.
        #expect(!limit.count("first", now: 2).isRefused)
    }

    /// address -> the name that is counted
    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"), ("2001:db8::9", "2001:db8::/64"), ("::1", "::/64"),
    ])
    func addresses(_ address: String, _ client: String) {
        #expect(RateLimit.client(address) == client)
    }
}
