import HTTPServer
import Platform
import Testing

@testable import RestAPI
@testable import Routes

@Suite struct ClientsAreCountedInWindows {
    private let a = Client.user(1)
    private let b = Client.user(2)

    @Test func theLimitHoldsUntilTheWindowEnds() throws {
        let limit = RateLimit(.messages, limit: 30)
        for count in 1...30 {
            let standing = try #require(limit.count(a, now: 1000))
            #expect(!standing.isRefused)
            #expect(standing.remaining == 30 - count)
        }
        #expect(limit.count(a, now: 60_999)?.isRefused == true)
        #expect(limit.count(a, now: 60_999)?.reset == 1)
        #expect(limit.count(b, now: 60_999)?.isRefused == false)
        #expect(limit.count(a, now: 61_000)?.isRefused == false)
    }

    @Test func headersTellWhereAClientStands() throws {
        let headers = try #require(RateLimit(.requests, limit: 50).count(a, now: 500)).headers
        #expect(
            headers.map(\.name) == ["RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"])
        #expect(headers.map(\.value) == ["50;w=900", "50", "49", "900"])
    }

    @Test func withoutALimitNobodyIsCounted() {
        let limit = RateLimit(.messages, limit: nil)
        for _ in 0..<100 { #expect(limit.count(a, now: 0) == nil) }
        #expect(limit.clients == 0)
    }

    @Test func manyAddressesTakeNoMoreThanTheTable() {
        let capacity = ClientTable<Int>.capacity
        let limit = RateLimit(.messages, limit: 30)
        for _ in 0..<31 { _ = limit.count(a, now: 0) }
        #expect(limit.count(a, now: 0)?.isRefused == true)
        var most = 0
        for client in 0..<UInt32(5 * capacity) {
            _ = limit.count(.user(100 + client), now: 1)
            most = max(most, limit.clients)
        }
        #expect(most == capacity)
        // The client whose window ended first made room.
        #expect(limit.count(a, now: 2)?.isRefused == false)
    }

    @Test func whoseTimeIsUpMakesRoomFirst() {
        let capacity = ClientTable<Int>.capacity
        var table = ClientTable<Int>()
        for client in 0..<UInt32(capacity) {
            table.set(1, of: .user(client), until: client % 2 == 0 ? 10 : 1000, now: 0)
        }
        table.set(1, of: .user(UInt32(capacity)), until: 1000, now: 10)
        #expect(table.count == capacity / 2 + 1)
        #expect(table.entry(of: .user(1), now: 10) == 1)
        #expect(table.entry(of: .user(2), now: 10) == nil)
    }

    /// address -> another one of the same client, one of another client
    @Test(arguments: [
        ("203.0.113.7", "::ffff:203.0.113.7", "203.0.113.8"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", "2001:db8:1:3:3:4:5:6"), ("2001:db8::9", "2001:db8::", "2001::9"),
    ])
    func addresses(_ address: String, _ same: String, _ other: String) throws {
        let clients = try [address, same, other].map { Client(try #require(IPAddress($0))) }
        #expect(clients[0] == clients[1])
        #expect(clients[0] != clients[2])
    }
}
