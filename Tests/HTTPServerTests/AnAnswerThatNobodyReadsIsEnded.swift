import Glibc
import Synchronization
import Testing

@testable import HTTPServer

private let large = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
private let request = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"

private func server(
    over transport: Transport = .plain, _ limits: Limits,
    unread: @escaping @Sendable (Peer, Int) -> Void = { _, _ in }
) throws -> TestServer {
    try TestServer(
        over: transport, limits: limits,
        handler: { request in
            switch request.path {
            case "/small": Response(body: .bytes(Array(large.prefix(20_000))))
            case "/large": Response(body: .bytes(large))
            case "/stream": Response(body: .stream(length: nil) { Array(large.prefix(65_536)) })
            default: echo(request)
            }
        }, unread: unread)
}

@Suite struct AnAnswerThatNobodyReadsIsEnded {
    @Test(arguments: ["large", "stream"], Transport.allCases)
    func inItsTime(path: String, over transport: Transport) throws {
        var limits = Limits()
        limits.unreadTime = .milliseconds(500)
        limits.crowdedUnreadTime = .milliseconds(500)
        let server = try server(over: transport, limits)
        let clients = try (0..<5).map { try server.narrowClient(from: "127.0.1.\($0 + 1)") }
        #expect(eventually { server.server.connections == clients.count })
        for client in clients { try client.send("GET /\(path) HTTP/1.1\r\nHost: x\r\n\r\n") }
        #expect(server.becomesEmpty())
        #expect(clients.count == 5)
    }

    @Test func alsoWhenItsClientSaysNoMore() throws {
        var limits = Limits()
        limits.unreadTime = .milliseconds(500)
        limits.crowdedUnreadTime = .milliseconds(500)
        let server = try server(limits)
        let client = try server.narrowClient(from: "127.0.1.1")
        #expect(eventually { server.server.connections == 1 })
        try client.send(request)
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(server.becomesEmpty())
    }

    /// Hundreds are ended in an attack; what is told of them is one line, and then one a minute.
    @Test func itIsToldOnceForMany() throws {
        var limits = Limits()
        limits.unreadTime = .milliseconds(500)
        limits.crowdedUnreadTime = .milliseconds(500)
        let told = Mutex<[(address: String, count: Int)]>([])
        let server = try server(limits) { last, count in
            guard case .tcp(let address) = last else { return }
            told.withLock { $0.append((address, count)) }
        }
        let clients = try (0..<20).map { try server.narrowClient(from: "127.0.1.\($0 % 5 + 1)") }
        for client in clients { try client.send(request) }
        #expect(eventually { told.withLock { !$0.isEmpty } })
        #expect(server.becomesEmpty())
        #expect(clients.count == 20)
        let lines = told.withLock { $0 }
        #expect(lines.count == 1 && lines[0].count >= 1 && lines[0].address.hasPrefix("127.0.1."), "\(lines)")
    }

    @Test func theOthersAreToldByTheirNumber() {
        let second: UInt64 = 1_000_000_000
        var answers = UnreadAnswers()
        #expect(answers.due(at: 0) == nil)
        answers.add(.tcp(address: "192.0.2.1"))
        #expect(answers.due(at: 5 * second).map { $0 == (.tcp(address: "192.0.2.1"), 1) } == true)
        for last in 2...7 { answers.add(.tcp(address: "192.0.2.\(last)")) }
        #expect(answers.due(at: 64 * second) == nil)
        #expect(answers.due(at: 65 * second).map { $0 == (.tcp(address: "192.0.2.7"), 6) } == true)
        #expect(answers.due(at: 200 * second) == nil)
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

    /// Its window has room for a few segments of the shortest kind, and it reads one byte at a time.
    @Test func aReaderOfSingleBytesGetsItsAnswer() throws {
        var limits = Limits()
        limits.unreadTime = .seconds(5)
        limits.crowdedUnreadTime = .seconds(5)
        let server = try server(limits)
        let client = try server.narrowClient(from: "127.0.1.1", receiveBuffer: 1, segment: 88)
        try client.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
        var text: [UInt8] = []
        while text.suffix(20_000) != large.prefix(20_000), let byte = client.readSome(1) { text += byte }
        #expect(String(decoding: text.prefix(12), as: UTF8.self) == "HTTP/1.1 200" && text.count < 21_000)
        #expect(server.server.connections == 1)
    }

    /// Those that take a byte now and then are never ended for their slowness, but make room as all others do.
    @Test func readersOfSingleBytesHoldNoPlaceThatSomebodyElseNeeds() throws {
        var limits = Limits()
        limits.connections = 32
        let server = try server(limits)
        let clients = try (0..<40).map {
            try server.narrowClient(from: "127.0.1.\($0 % 4 + 1)", receiveBuffer: 1, segment: 88)
        }
        for client in clients { try? client.send(request) }
        for _ in 0..<5 {
            var byte: UInt8 = 0
            for client in clients { _ = recv(client.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) }
            let victim = try server.client(from: "127.0.9.9")
            try victim.send("GET /victim HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(victim.readToEnd().hasSuffix("GET /victim\n"))
        }
    }

    /// All places are held by unread answers of one network: a client of another one is answered.
    @Test(
        arguments: [request, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", "GET /large HTTP/1.0\r\n\r\n"],
        Transport.allCases)
    func theyHoldNoPlaceThatSomebodyElseNeeds(request: String, over transport: Transport) throws {
        var limits = Limits()
        limits.connections = 32
        let server = try server(over: transport, limits)
        let clients = try (0..<40).map { try server.narrowClient(from: "127.0.1.\($0 % 4 + 1)") }
        for client in clients { try? client.send(request) }
        for _ in 0..<5 {
            let victim = try server.client(from: "127.0.9.9")
            try victim.send("GET /victim HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(victim.readToEnd().hasSuffix("GET /victim\n"))
        }
    }
}
