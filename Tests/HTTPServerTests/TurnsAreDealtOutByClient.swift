import Glibc
import Platform
import Synchronization
import Testing

@testable import HTTPServer

/// Answers that keep the thread busy for 10 ms, and how many there were.
private final class Kitchen: Sendable {
    let made = Atomic(0)
    /// How many had been made when a quick one was asked for.
    let whenAsked = Atomic(0)

    func answer(_ request: Request) -> Response {
        if request.path == "/slow" {
            usleep(10_000)
            made.add(1, ordering: .sequentiallyConsistent)
        } else {
            whenAsked.store(made.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
        }
        return Response(body: .bytes(Array("done".utf8)))
    }
}

private let slow = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"

@Suite struct TurnsAreDealtOutByClient {
    /// How many slow answers somebody else's quick one has waited for, in the middle of 15 tries.
    private func waitedFor(
        _ server: TestServer, _ kitchen: Kitchen, from source: String, headers: String = ""
    ) throws -> Int {
        let client = try server.client(from: source)
        var waited: [Int] = []
        for _ in 0..<15 {
            let before = kitchen.made.load(ordering: .sequentiallyConsistent)
            try client.send("GET /quick HTTP/1.1\r\nHost: x\r\n\(headers)\r\n")
            #expect(try client.readAnswer().body == "done")
            waited.append(kitchen.whenAsked.load(ordering: .sequentiallyConsistent) - before)
        }
        return waited.sorted()[waited.count / 2]
    }

    /// Sixty connections that ask as fast as they can; by connection, each try waits for about as many.
    @Test(
        arguments: [
            // One address, or several of its network; the victim in another network, or in the same one.
            (["127.0.1.1"], "127.0.9.9"), (["127.0.1.1", "127.0.1.2", "127.0.1.3"], "127.0.9.9"),
            (["127.0.1.1"], "127.0.1.9"),
        ], Transport.allCases)
    func whoHasManyConnectionsHasNoMoreTurns(
        _ addresses: (sources: [String], victim: String), over transport: Transport
    ) throws {
        let (sources, victim) = addresses
        let kitchen = Kitchen()
        let server = try TestServer(over: transport) { kitchen.answer($0) }
        let crowd = try (0..<60).map { try server.client(from: sources[$0 % sources.count]) }
        for client in crowd { try client.send(String(repeating: slow, count: 20)) }
        #expect(eventually { kitchen.made.load(ordering: .sequentiallyConsistent) > 0 })
        let waited = try waitedFor(server, kitchen, from: victim)
        // libmicrohttpd 1.0 looks at a connection that is resumed one round later.
        #expect(waited <= (RequestHead.isOf1_0 ? 8 : 6), "\(waited)")
        // Nobody is forgotten.
        for client in crowd.prefix(5) { #expect(try client.readAnswer().body == "done") }
    }

    /// What comes through a trusted proxy counts to the client that it names, on however few connections it comes.
    @Test func aProxysClientsHaveTheirOwn() throws {
        let kitchen = Kitchen()
        let rules = ClientRules(
            isProxy: { $0 == IPAddress("127.0.0.1") }, address: { $0.header("X-Client").flatMap { IPAddress($0) } })
        let server = try TestServer(rules: rules) { kitchen.answer($0) }
        let request = "GET /slow HTTP/1.1\r\nHost: x\r\nX-Client: 192.0.2.7\r\n\r\n"
        let crowd = try (0..<60).map { _ in try server.client(from: "127.0.0.1") }
        for client in crowd { try client.send(String(repeating: request, count: 20)) }
        #expect(eventually { kitchen.made.load(ordering: .sequentiallyConsistent) > 0 })
        let waited = try waitedFor(server, kitchen, from: "127.0.0.1", headers: "X-Client: 198.51.100.1\r\n")
        #expect(waited <= 6, "\(waited)")
    }

    @Test func everybodyOfACrowdIsAnsweredInTheEnd() throws {
        let kitchen = Kitchen()
        let server = try TestServer { kitchen.answer($0) }
        let crowd = try (0..<40).map { try server.client(from: "127.0.\($0 % 3).1") }
        for client in crowd { try client.send(slow + slow) }
        for client in crowd { for _ in 0..<2 { #expect(try client.readAnswer().body == "done") } }
    }

    /// HTTP/1.0 closes after each answer, and some programs close their sending side behind the request.
    @Test(arguments: ["HTTP/1.0\r\n", "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"], [false, true])
    func whoSaysNoMoreIsAnsweredInItsTurn(head: String, isHalfClosed: Bool) throws {
        let kitchen = Kitchen()
        let server = try TestServer { kitchen.answer($0) }
        let crowd = try (0..<40).map { try server.client(from: "127.0.1.\($0 % 2 + 1)") }
        for client in crowd {
            try client.send("GET /slow \(head)\r\n")
            if isHalfClosed { shutdown(client.descriptor, Int32(SHUT_WR)) }
        }
        for client in crowd { #expect(client.readToEnd().hasSuffix("\r\n\r\ndone")) }
        #expect(server.becomesEmpty())
    }

    @Test func someMayLeaveWhileTheyWait() throws {
        let kitchen = Kitchen()
        let server = try TestServer { kitchen.answer($0) }
        for _ in 0..<3 {
            let crowd = try (0..<30).map { _ in try server.client(from: "127.0.1.1") }
            for client in crowd { try client.send(slow) }
        }
        #expect(server.becomesEmpty())
    }

    @Test func aServerStopsWhileManyWait() throws {
        let kitchen = Kitchen()
        var limits = Limits()
        limits.stopTime = .milliseconds(100)
        let server = try TestServer(limits: limits) { kitchen.answer($0) }
        let crowd = try (0..<60).map { _ in try server.client(from: "127.0.1.1") }
        for client in crowd { try client.send(slow + slow) }
        #expect(eventually { kitchen.made.load(ordering: .sequentiallyConsistent) > 0 })
        server.server.stop()
        #expect(server.server.connections == 0)
    }

    /// The last one closes the client's sending side.
    @Test func aThousandRequestsOnOneConnectionAreAnsweredInOrder() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send((0..<1000).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        for number in 0..<1000 { #expect(try client.readAnswer().body == "GET /\(number)\n") }
        try client.send("GET /last HTTP/1.0\r\n\r\n")
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(client.readToEnd().hasSuffix("GET /last\n"))
    }
}
