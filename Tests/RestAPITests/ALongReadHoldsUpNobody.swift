import MeshModel
import Platform
import Synchronization
import Testing

@testable import HTTPServer
@testable import RestAPI
@testable import Routes
@testable import Store

/// What lies behind many rows is read aside, in turns by client, while its connection waits without a thread.
@Suite struct ALongReadHoldsUpNobody {
    /// Counts so far that it takes longer than a read may on the server's thread.
    private static func count(to limit: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(limit)) SELECT max(i) FROM n"
    }

    /// A gateway with some more routes.
    private struct House {
        let test: TestGateway
        let api: RestAPI

        init() throws {
            test = try TestGateway()
            func route(_ limit: Int) -> Endpoint.Handler {
                { api in
                    { call throws(APIError) in
                        let last = try api.read("numbers") { try $0.connection.integer(count(to: limit)) }
                        return Response(headers: [("X-Inner", "yes")], body: .bytes(Array("\(last ?? 0)".utf8)))
                    }
                }
            }
            api = RestAPI(
                Endpoints.served + [
                    .open("/api/few", route(10)), .open("/api/endless", route(-1)),
                    .open("/api/many", route(2_000_000)),
                    .v1(.get, "many", nil, route(2_000_000)), .v1(.post, "many", nil, route(2_000_000)),
                ], gateway: test.gateway, version: "1")
        }

        func ask(_ path: String, _ method: String = "GET", from address: String = "127.0.0.1", peer: Peer? = nil)
            -> Response
        {
            api.respond(
                Request(method: method, target: path, headers: [test.bearer], peer: peer ?? .tcp(address: address)))
        }
    }

    private func later(_ response: Response) throws -> LaterAnswer {
        guard case .later(let answer) = response.body else { throw NotLater() }
        return answer
    }

    private struct NotLater: Error {}

    /// Keeps the thread of long reads busy until what is returned is called.
    private func occupy(_ api: RestAPI, for client: String = "10.0.0.9") throws -> @Sendable () -> Void {
        let state = Monitor((isBegun: false, isOver: false))
        api.longReads.add(Client(try #require(IPAddress(client)))) {
            state.notify { $0.isBegun = true }
            state.wait(until: nil) { state, _ in state.isOver ? () : nil }
        }
        state.wait(until: nil) { state, _ in state.isBegun ? () : nil }
        return { state.notify { $0.isOver = true } }
    }

    @Test func whatIsReadAtOnceIsAnsweredAtOnce() throws {
        let house = try House()
        guard case .bytes(let bytes) = house.ask("/api/few").body else { throw NotLater() }
        #expect(bytes == Array("10".utf8))
        #expect(house.api.longReads.isIdle)
    }

    @Test func whatTakesLongComesLater() throws {
        let house = try House()
        let response = house.ask("/api/many")
        #expect(response.header("X-Inner") == nil && response.header("X-Frame-Options") == "DENY")
        let answer = try Answer(response)
        #expect(answer.text == "2000000" && answer.status == 200)
        #expect(answer.header("X-Inner") == "yes" && answer.header("X-Frame-Options") == "DENY")
        #expect(eventually { house.api.longReads.isIdle })
    }

    /// A command of this machine has a thread of its own.
    @Test func whoWaitsForItselfWaitsAsBefore() throws {
        let house = try House()
        let response = house.ask("/api/many", peer: .local(user: 0, group: 0, process: 1))
        guard case .bytes(let bytes) = response.body else { throw NotLater() }
        #expect(bytes == Array("2000000".utf8))
    }

    /// What may change something is done once, where others do not wait for it.
    @Test func aChangeIsNotBegunTwice() throws {
        let house = try House()
        let response = house.ask("/api/v1/many", "POST")
        guard case .later = response.body else { throw NotLater() }
        #expect(house.api.longReads.isIdle)
        #expect(try Answer(response).text == "2000000")
    }

    /// One client asks for four pages before another one asks for its own.
    @Test func clientsTakeTurns() throws {
        let house = try House()
        let goOn = try occupy(house.api)
        let done = Mutex<[String]>([])
        let (first, second) = (Client.user(1), Client.user(2))
        for (client, name) in [
            (first, "1a"), (first, "1b"), (first, "1c"), (first, "1d"), (second, "2a"), (second, "2b"),
        ] {
            house.api.longReads.add(client) { done.withLock { $0.append(name) } }
        }
        goOn()
        #expect(eventually { house.api.longReads.isIdle })
        #expect(done.withLock { $0 } == ["1a", "2a", "1b", "2b", "1c", "1d"])
    }

    /// One that has a read waiting has less time for the next one, and others have as much as before.
    @Test func whoHasOneWaitingIsPutAsideSooner() throws {
        let house = try House()
        let (one, other) = (Client(try #require(IPAddress("10.0.0.9"))), Client(try #require(IPAddress("10.0.0.8"))))
        func patience(_ client: Client) -> UInt64 {
            house.api.longReads.isBusy(with: client) ? LongReads.shortPatience : LongReads.patience
        }
        #expect([patience(one), patience(other)] == [LongReads.patience, LongReads.patience])
        let goOn = try occupy(house.api)
        #expect([patience(one), patience(other)] == [LongReads.shortPatience, LongReads.patience])
        house.api.longReads.add(other) {}
        #expect(patience(other) == LongReads.shortPatience)
        goOn()
        #expect(eventually { house.api.longReads.isIdle })
        #expect([patience(one), patience(other)] == [LongReads.patience, LongReads.patience])
    }

    /// Its client has left, before its turn or in the middle of it.
    @Test func whatNobodyWaitsForIsNotRead() throws {
        let house = try House()
        let goOn = try occupy(house.api)
        let answer = try later(house.ask("/api/endless"))
        guard case .pending = answer.next(resume: {}) else { throw NotLater() }
        answer.abandon()
        goOn()
        #expect(eventually { house.api.longReads.isIdle })
        let other = try later(house.ask("/api/endless"))
        guard case .pending = other.next(resume: {}) else { throw NotLater() }
        #expect(!house.api.longReads.isIdle)
        other.abandon()
        #expect(eventually { house.api.longReads.isIdle })
    }

    @Test func aTokenThatIsRevokedMeanwhileReadsNothing() throws {
        let house = try House()
        let goOn = try occupy(house.api)
        let answer = try later(house.ask("/api/v1/many"))
        guard case .pending = answer.next(resume: {}) else { throw NotLater() }
        let token = try #require(try house.test.store.read { try $0.tokens() }.first)
        try house.test.store.commit { _ = try $0.revokeToken(id: token.id, at: TestGateway.now) }
        goOn()
        #expect(try Answer(Response(body: .later(answer))).status == 401)
    }

    /// The deep pages themselves, of the routes that have them.
    @Test func deepPagesOfTelemetryAreReadAside() throws {
        let test = try TestGateway()
        let key = test.id.key(TestGateway.peer)
        try test.update(TestGateway.peer) { $0.channel = 0 }
        try test.store.commit { writer in
            try writer.connection.execute(
                """
                INSERT INTO telemetry (node, at, kind, metrics)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400000)
                SELECT \(key), \(TestGateway.now) + i, 1, '{"batteryLevel":50,"voltage":4}' FROM n
                """)
            writer.markChanged(.telemetry)
        }
        func page(_ offset: Int) -> Response {
            test.api.respond(
                Request(target: "/api/v1/telemetry?limit=1&offset=\(offset)", headers: [test.bearer]))
        }
        let deep = page(799_000)
        guard case .later = deep.body else { throw NotLater() }
        let rows = try Answer(deep).rows
        #expect(rows.map { $0["timestamp"] as? Int64 } == [TestGateway.now + 500])
        // The page behind it costs what the first one does.
        let next = page(799_001)
        guard case .bytes = next.body else { throw NotLater() }
        #expect(try Answer(next).rows.count == 1)
        guard case .bytes = page(0).body else { throw NotLater() }
    }

    /// On the wire: one waits for its turn, the others do not.
    @Test func othersAreAnsweredMeanwhile() throws {
        let house = try House()
        let served = try ServedGateway(house.test, house.api)
        let goOn = try occupy(house.api)
        let text = Monitor<String?>(nil)
        let waiting = Thread {
            let answer = try? served.ask("GET /api/many").body
            text.notify { $0 = answer ?? "none" }
        }
        #expect(eventually { house.api.longReads.waitingCount == 1 })
        for _ in 0..<3 { #expect(try served.ask("GET /api/health").status == 200) }
        #expect(text.withLock { $0 } == nil)
        goOn()
        waiting.join()
        #expect(text.withLock { $0 } == "2000000")
    }
}
