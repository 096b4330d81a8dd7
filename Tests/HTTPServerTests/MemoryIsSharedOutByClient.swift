import Glibc
import HTTPServer
import Testing

private let megabyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

/// Four megabytes for all.
private func server(waits time: Duration = .milliseconds(200), over transport: Transport = .plain) throws -> TestServer
{
    var limits = Limits()
    limits.memoryBytes = 4 << 20
    limits.memoryTime = time
    return try TestServer(over: transport, limits: limits) { request in
        if request.path == "/large" { return Response(body: .bytes(megabyte)) }
        return Response(body: .bytes(Array("\(request.body.count)".utf8)))
    }
}

private let upload = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
private let half = String(repeating: "a", count: 500_000)

@Suite struct MemoryIsSharedOutByClient {
    @Test func whoHoldsMuchIsRefusedAndOthersAreServed() throws {
        let server = try server()
        let begun = try (0..<2).map { _ in try server.client(from: "127.0.1.1") }
        for client in begun { try client.send(upload + half) }
        // One of them has room: a client leaves as much free as it and its network hold.
        let third = try server.client(from: "127.0.1.1")
        try third.send(upload + half + half)
        let refusal = try third.readAnswer()
        #expect(refusal.head.hasPrefix("HTTP/1.1 503"))
        #expect(field("retry-after", of: refusal.head) == "10")
        let other = try server.client(from: "127.0.9.9")
        try other.send(upload + half + half)
        let answer = try other.readAnswer()
        #expect(answer.body == "1000000", "\(answer)")
        // What was begun goes on.
        try begun[0].send(half)
        #expect(try begun[0].readAnswer().body == "1000000")
    }

    @Test func whatIsOverItWaits() throws {
        let server = try server(waits: .seconds(60))
        let begun = try (0..<2).map { _ in try server.client(from: "127.0.1.1") }
        for client in begun { try client.send(upload + half) }
        let third = try server.client(from: "127.0.1.1")
        try third.send(upload + half + half)
        for client in begun {
            try client.send(half)
            #expect(try client.readAnswer().body == "1000000")
        }
        #expect(try third.readAnswer().body == "1000000")
    }

    @Test(arguments: Transport.allCases) func unreadAnswersCount(over transport: Transport) throws {
        let server = try server(over: transport)
        // The kernel takes some of each.
        let crowd = try (0..<8).map { _ in try server.narrowClient(from: "127.0.1.1") }
        for client in crowd { try client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n") }
        let same = try server.client(from: "127.0.1.1")
        #expect(
            eventually {
                guard (try? same.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) != nil else { return false }
                return (try? same.readAnswer().head)?.hasPrefix("HTTP/1.1 503") == true
            })
        let other = try server.client(from: "127.0.9.9")
        try other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try other.readAnswer().body == "0")
    }

    @Test func whoLeavesGivesItBack() throws {
        let server = try server(waits: .seconds(60))
        for _ in 0..<3 {
            let begun = try (0..<6).map { _ in try server.client(from: "127.0.1.1") }
            for client in begun { try client.send(upload + "a") }
        }
        let last = try server.client(from: "127.0.1.1")
        try last.send(upload + half + half)
        #expect(try last.readAnswer().body == "1000000")
        #expect(eventually { server.server.connections == 1 })
    }

    @Test(arguments: Transport.allCases) func aServerStopsWhileSomeWait(over transport: Transport) throws {
        let server = try server(waits: .seconds(60), over: transport)
        let begun = try (0..<5).map { _ in try server.client() }
        for client in begun { try client.send(upload + "a") }
        usleep(200_000)
        server.server.stop()
        #expect(server.server.connections == 0)
    }
}
