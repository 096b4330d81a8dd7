import Glibc
import HTTPServer
import JSON
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct TheLastUseOfATokenIsKept {
    private static let hour: Int64 = 3_600_000

    /// What is on disk once everything that waited is written.
    private func written(_ test: TestGateway) throws -> Int64? {
        try test.store.commit { _ in }
        return try test.store.read { try $0.tokens() }.first?.lastUsedAt
    }

    private func use(_ tokens: TokenCheck, _ test: TestGateway, at now: Int64) throws {
        _ = try tokens.check(authorization: test.bearer.value, now: now)
    }

    @Test func inMemoryEachTimeAndOnDiskOnceAnHour() throws {
        let test = try TestGateway()
        let tokens = TokenCheck(store: test.store)
        let start = TestGateway.now
        try use(tokens, test, at: start)
        #expect(try written(test) == start)
        for minutes in 1...59 { try use(tokens, test, at: start + Int64(minutes) * 60_000) }
        #expect(try written(test) == start)
        #expect(Array(tokens.lastUses.values) == [start + 59 * 60_000])
        try use(tokens, test, at: start + Self.hour)
        #expect(try written(test) == start + Self.hour)

        // Another token's birth makes all be read again, and forgets nothing.
        try use(tokens, test, at: start + Self.hour + 5)
        let other = try test.token(["read"])
        _ = try tokens.check(authorization: "Bearer " + other.text, now: start + Self.hour + 6)
        #expect(tokens.lastUses.values.sorted() == [start + Self.hour + 5, start + Self.hour + 6])
        try use(tokens, test, at: start + Self.hour + 7)
        #expect(try written(test) == start + Self.hour)
    }

    @Test func aRestartWritesNoMoreOften() throws {
        let test = try TestGateway()
        try use(TokenCheck(store: test.store), test, at: TestGateway.now)
        #expect(try written(test) == TestGateway.now)
        try use(TokenCheck(store: test.store), test, at: TestGateway.now + 1000)
        #expect(try written(test) == TestGateway.now)
    }

    @Test func aClockThatIsSetBackEndsNothing() throws {
        let test = try TestGateway()
        let tokens = TokenCheck(store: test.store)
        try use(tokens, test, at: TestGateway.now + 1000 * Self.hour)
        try use(tokens, test, at: TestGateway.now)
        #expect(try written(test) == TestGateway.now)
        #expect(Array(tokens.lastUses.values) == [TestGateway.now])
    }

    @Test func theListShowsTheLastRequest() throws {
        let test = try TestGateway()
        let shown = {
            let page = try test.ask("GET", "/local/tokens", peer: LocalPathsExistOnlyOnTheLocalSocket.me).json
            return (page["tokens"] as? [[String: Any]])?.first?["lastUsedAt"] as? String
        }
        #expect(try shown() == nil)
        _ = try test.get("/api/v1/nodes")
        let first = try #require(try shown())
        usleep(5000)
        _ = try test.get("/api/v1/nodes")
        #expect(try #require(try shown()) > first, "ISO 8601 sorts as the times do")
        #expect(try written(test).map { ISO8601.text($0) } == first)
    }

    @Test func aWrongTokenIsNotUsed() throws {
        let test = try TestGateway()
        let tokens = TokenCheck(store: test.store)
        let expired = try TokenRegister(store: test.store).create(name: "old", expiresAt: 1000)
        #expect(throws: APIError.tokenInvalid) {
            try tokens.check(authorization: "Bearer " + expired.text, now: TestGateway.now)
        }
        #expect(tokens.lastUses.isEmpty)
    }
}
