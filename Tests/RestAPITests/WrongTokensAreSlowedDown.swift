import HTTPServer
import Platform
import Testing

@testable import RestAPI
@testable import Routes

@Suite struct WrongTokensAreSlowedDown {
    private static let wrong = (name: "Authorization", value: "Bearer mm_v1_00000000000000000000000000000000")
    private let guesser = Peer.tcp(address: "127.0.0.1")

    /// The answers to so many wrong tokens: at a pace at which even the first pauses matter.
    private func guess(
        _ test: TestGateway, _ count: Int = 40, from peer: Peer, headers: [(name: String, value: String)] = []
    ) throws -> [Answer] {
        try (0..<count).map { _ in try test.ask("GET", "/api/v1/nodes", headers: [Self.wrong] + headers, peer: peer) }
    }

    @Test func afterTenOfThemWithAPauseToKeep() throws {
        let test = try TestGateway()
        let answers = try guess(test, from: guesser)
        #expect(answers.prefix(10).allSatisfy { $0.status == 401 })
        let refused = try #require(answers.first { $0.status == 429 })
        let seconds = try #require(refused.header("Retry-After").flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        let inWords = seconds == 1 ? "1 second" : "\(seconds) seconds"
        #expect(
            refused.text
                == #"{"error":"Too many wrong API tokens from this IP, please try again later","retryAfter":"\#(inWords)"}"#
        )
    }

    @Test func aRightTokenFromTheSameAddressPasses() throws {
        let test = try TestGateway()
        #expect(try guess(test, from: guesser).last?.status == 429)
        #expect(try test.ask("GET", "/api/v1/nodes", headers: [test.bearer], peer: guesser).status == 200)
        // That does not open the door for the next wrong one.
        #expect(try guess(test, 1, from: guesser)[0].status == 429)
    }

    @Test func othersAreNotHurt() throws {
        let test = try TestGateway()
        #expect(try guess(test, from: .tcp(address: "2001:db8::1")).last?.status == 429)
        #expect(try guess(test, 1, from: .tcp(address: "2001:db8::ffff")).last?.status == 429)
        #expect(try guess(test, 1, from: .tcp(address: "2001:db8:0:1::1")).last?.status == 401)
        #expect(try guess(test, 1, from: .tcp(address: "127.0.0.2")).last?.status == 401)
    }

    @Test func whoHasNoTokenIsNoGuesser() throws {
        let test = try TestGateway()
        for _ in 0..<40 { #expect(try test.ask("GET", "/api/v1/nodes", peer: guesser).status == 401) }
        let empty = (name: "Authorization", value: "Bearer ")
        for _ in 0..<40 { #expect(try test.ask("GET", "/api/v1/nodes", headers: [empty], peer: guesser).status == 401) }
        #expect(try guess(test, 1, from: guesser)[0].status == 401)
        // What needs no token looks at none.
        for _ in 0..<40 { #expect(try test.ask("GET", "/api/status", headers: [Self.wrong]).status == 200) }
    }

    @Test func aTrustedProxyIsNotPunishedForItsClients() throws {
        var policy = ClientPolicy()
        policy.trustedProxies = [IPNetwork(try #require(IPAddress("127.0.0.1")), prefixLength: 128)]
        let test = try TestGateway(policy: policy)
        #expect(try guess(test, from: guesser).allSatisfy { $0.status == 401 })
        let client = { (address: String) in (name: "X-Forwarded-For", value: address) }
        #expect(try guess(test, from: guesser, headers: [client("192.0.2.1")]).last?.status == 429)
        #expect(try guess(test, 1, from: guesser, headers: [client("192.0.2.2")]).last?.status == 401)
    }

    @Test func pausesDoubleUpToAMinute() {
        let wrong = WrongTokens()
        let client = Client.user(1)
        var now: Int64 = 0
        for _ in 1..<WrongTokens.free { #expect(wrong.count(client, now: now) == nil) }
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(wrong.count(client, now: now) == nil)
            // What comes too early makes it no longer.
            for _ in 0..<5 { #expect(wrong.count(client, now: now) == pause) }
            now += Int64(pause) * 1000
            #expect(wrong.count(client, now: now - 1) == 1)
        }
        // A quarter of an hour later all is forgotten.
        now += 900_000
        for _ in 0..<WrongTokens.free { #expect(wrong.count(client, now: now) == nil) }
        #expect(wrong.count(client, now: now) == 1)
    }

    @Test func manyAddressesTakeNoMoreThanTheTable() {
        let wrong = WrongTokens()
        var most = 0
        for address in 0..<UInt64(20_000) {
            _ = wrong.count(Client(IPAddress(high: address << 8, low: 7)), now: Int64(address / 100))
            most = max(most, wrong.clients)
        }
        #expect(most == ClientTable<Int>.capacity)
    }
}
