import Glibc
import HTTPServer
import Synchronization
import Testing

private let megabyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

/// As much as the answers of a route had of late is free before the next one is made.
@Suite struct AnAnswerHasItsPlaceBeforeItIsMade {
    /// Four megabytes for all; how many answers were made.
    private func server(
        waits time: Duration = .milliseconds(200), route: @escaping @Sendable (Request) -> String = { $0.path },
        _ answer: @escaping @Sendable (Request) -> Response
    ) throws -> (server: TestServer, made: @Sendable () -> Int) {
        let made = Counter()
        var limits = Limits()
        limits.memoryBytes = 4 << 20
        limits.memoryTime = time
        let server = try TestServer(limits: limits, rules: ClientRules(route: route)) { request in
            if request.path != "/small" { made.count.add(1, ordering: .relaxed) }
            return answer(request)
        }
        return (server, { made.count.load(ordering: .relaxed) })
    }

    private final class Counter: Sendable { let count = Atomic(0) }

    private static let large = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Clients of eight networks, none of which reads: what is made fits into the memory. (The last byte alone had to fit before.)
    @Test func howeverManyNetworksAsk() throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1_300_000)
        let (server, made) = try server(waits: .seconds(60)) { _ in Response(body: .bytes(body)) }
        var crowd: [RawClient] = []
        for network in 1...8 {
            let client = try server.narrowClient(from: "127.0.\(network).1")
            try client.send(Self.large)
            crowd.append(client)
            // In this order: three fit, and each next one waits.
            if network <= 3 { #expect(eventually { made() == network }) }
        }
        let other = try server.client(from: "127.0.9.9")
        try other.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.readAnswer()
        #expect(made() == 3)
        // Each that is read, or given up, makes room for the next one.
        crowd.removeAll()
        #expect(eventually { server.server.connections <= 1 })
        let last = try server.client(from: "127.0.1.1")
        try last.send(Self.large)
        #expect(try last.readAnswer().body.utf8.count == body.count)
    }

    /// What a stream is made from counts, too.
    @Test func alsoOfAStream() throws {
        let (server, made) = try server(waits: .seconds(60)) { request in
            if request.path == "/small" { return Response(body: .bytes([])) }
            var response = Response(body: .stream(length: nil) { megabyte })
            response.streamedFromBytes = 1_200_000
            return response
        }
        var crowd: [RawClient] = []
        for network in 1...6 {
            let client = try server.narrowClient(from: "127.0.\(network).1")
            try client.send(Self.large)
            crowd.append(client)
            if network <= 3 { #expect(eventually { made() == network }) }
        }
        let other = try server.client(from: "127.0.9.9")
        try other.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.readAnswer()
        #expect(made() == 3)
    }

    /// The route is what counts, whatever stands in its path.
    @Test func whateverThePathIs() throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1_800_000)
        let route = { @Sendable (request: Request) in request.path == "/small" ? "small" : "large" }
        let (server, made) = try server(waits: .seconds(60), route: route) { request in
            Response(body: .bytes(request.path == "/small" ? [] : body))
        }
        var crowd: [RawClient] = []
        for (network, path) in [(1, "/a"), (2, "/b"), (3, "/c")] {
            let client = try server.narrowClient(from: "127.0.\(network).1")
            try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            crowd.append(client)
            if network <= 2 { #expect(eventually { made() == network }) }
        }
        let other = try server.client(from: "127.0.9.9")
        try other.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.readAnswer()
        #expect(made() == 2)
        crowd.removeFirst()
        #expect(eventually { made() == 3 })
    }

    /// The largest answer is made when nobody else holds anything, and small ones are made beside large ones.
    @Test func nobodyWaitsForEver() throws {
        let body = megabyte + megabyte + megabyte + megabyte + megabyte
        let (server, _) = try server { Response(body: .bytes($0.path == "/small" ? [] : body)) }
        for _ in 0..<3 {
            let client = try server.client()
            try client.send(Self.large)
            #expect(try client.readAnswer().body.utf8.count == body.count)
        }
    }
}
