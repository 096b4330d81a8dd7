import Glibc
import HTTPServer
import Testing

private let large = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
private let request = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"

private func server(over transport: Transport = .plain, _ limits: Limits) throws -> TestServer {
    try TestServer(over: transport, limits: limits) { request in
        switch request.path {
        case "/large": Response(body: .bytes(large))
        case "/stream": Response(body: .stream(length: nil) { Array(large.prefix(65_536)) })
        default: echo(request)
        }
    }
}

@Suite struct AnAnswerThatNobodyReadsIsEnded {
    @Test(arguments: ["large", "stream"]) func inItsTime(path: String) throws {
        var limits = Limits()
        limits.unreadTime = .milliseconds(500)
        limits.crowdedUnreadTime = .milliseconds(500)
        let server = try server(limits)
        let clients = try (0..<5).map { try server.narrowClient(from: "127.0.1.\($0 + 1)") }
        for client in clients { try client.send("GET /\(path) HTTP/1.1\r\nHost: x\r\n\r\n") }
        #expect(server.becomesEmpty())
    }

    @Test func evenWithoutACrowdAfterTheLongerTimeOnly() throws {
        var limits = Limits()
        limits.unreadTime = .seconds(600)
        limits.crowdedUnreadTime = .milliseconds(300)
        let server = try server(limits)
        let client = try server.narrowClient(from: "127.0.1.1")
        try client.send(request)
        // What is waited for is that nothing happens for longer than that.
        usleep(1_500_000)
        #expect(server.server.connections == 1)
    }

    @Test func soonerWhenPlacesRunShort() throws {
        var limits = Limits()
        limits.connections = 32
        limits.unreadTime = .seconds(600)
        limits.crowdedUnreadTime = .milliseconds(500)
        let server = try server(limits)
        let clients = try (0..<32).map { try server.narrowClient(from: "127.0.\($0).1") }
        for client in clients { try? client.send(request) }
        #expect(eventually { server.server.connections <= 30 })
    }

    /// A few kilobytes at a time, through a window that is hardly open.
    @Test func aSlowReaderStays() throws {
        var limits = Limits()
        limits.unreadTime = .seconds(2)
        limits.crowdedUnreadTime = .seconds(1)
        let server = try server(limits)
        let client = try server.narrowClient(from: "127.0.1.1")
        try client.send(request)
        for _ in 0..<40 {
            #expect(client.readSome(3000) != nil)
            usleep(100_000)
        }
        #expect(server.server.connections == 1)
    }

    /// All places are held by unread answers of one network: who comes from another one is answered.
    @Test(arguments: [request, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", "GET /large HTTP/1.0\r\n\r\n"])
    func theyHoldNoPlaceThatSomebodyElseNeeds(request: String) throws {
        var limits = Limits()
        limits.connections = 32
        let server = try server(limits)
        let clients = try (0..<40).map { try server.narrowClient(from: "127.0.1.\($0 % 4 + 1)") }
        for client in clients { try? client.send(request) }
        for _ in 0..<5 {
            let victim = try server.client(from: "127.0.9.9")
            try victim.send("GET /victim HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(victim.readToEnd().hasSuffix("GET /victim\n"))
        }
    }
}
