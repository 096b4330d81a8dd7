import Glibc
import HTTPServer
import Synchronization
import Testing

/// The answers that somebody still has to give.
private final class Desk: Sendable {
    private let begun = Mutex<[LaterAnswer]>([])

    func response() -> Response {
        Response(
            headers: [("X-Outer", "yes")],
            body: .later(LaterAnswer { answer in self.begun.withLock { $0.append(answer) } }))
    }

    func take(_ answer: LaterAnswer) { begun.withLock { $0.append(answer) } }

    var count: Int { begun.withLock { $0.count } }
    var all: [LaterAnswer] { begun.withLock { $0 } }

    /// Waits until so many have been asked for.
    func holds(_ count: Int) -> Bool { eventually { self.count == count } }

    func give(_ text: String) {
        for answer in begun.withLock({ $0 }) {
            answer.give(Response(status: 201, headers: [("X-Inner", "yes")], body: .bytes(Array(text.utf8))))
        }
    }
}

private let request = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n"

private func server(_ desk: Desk, over transport: Transport = .plain, limits: Limits = Limits()) throws -> TestServer {
    try TestServer(over: transport, limits: limits) { request in
        switch request.path {
        case "/later": desk.response()
        case "/at-once": Response(body: .later(LaterAnswer { $0.give(Response(body: .bytes(Array("now".utf8)))) }))
        default: echo(request)
        }
    }
}

@Suite struct AnAnswerMayComeLater {
    @Test(arguments: Transport.allCases) func othersAreAnsweredMeanwhile(over transport: Transport) throws {
        let desk = Desk()
        let server = try server(desk, over: transport)
        let waiting = try (0..<3).map { _ in try server.client() }
        for client in waiting { try client.send(request) }
        #expect(desk.holds(3))
        let other = try server.conversation("GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(other.contains("GET /other"))
        let giver = InBackground { desk.give("there") }
        for client in waiting {
            let answer = try client.readAnswer()
            #expect(answer.head.hasPrefix("HTTP/1.1 201"))
            #expect(answer.head.contains("\r\nX-Inner: yes\r\nX-Outer: yes\r\n"))
            #expect(answer.body == "there")
            // The connection is as good as any other afterwards.
            try client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readAnswer().body.contains("GET /next"))
        }
        giver.join()
    }

    @Test func itMayBeThereAtOnce() throws {
        let server = try server(Desk())
        let client = try server.client()
        for _ in 0..<3 {
            try client.send("GET /at-once HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readAnswer().body == "now")
        }
    }

    @Test(arguments: Transport.allCases) func aClientThatLeavesMakesItUnwanted(over transport: Transport) throws {
        let desk = Desk()
        let server = try server(desk, over: transport)
        var client: RawClient? = try server.client()
        try client?.send(request)
        #expect(desk.holds(1))
        #expect(!desk.all[0].isUnwanted)
        client = nil
        #expect(eventually { desk.all[0].isUnwanted })
        #expect(server.becomesEmpty())
        desk.give("to nobody")
    }

    /// Whether its client still reads cannot be seen; few programs close their sending side and go on reading.
    @Test func soDoesOneThatClosesItsSendingSide() throws {
        let desk = Desk()
        let server = try server(desk)
        let client = try server.client()
        try client.send(request)
        #expect(desk.holds(1))
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(eventually { desk.all[0].isUnwanted })
        #expect(server.becomesEmpty())
    }

    @Test func itHasItsTime() throws {
        var limits = Limits()
        limits.answerTime = .milliseconds(100)
        let desk = Desk()
        let server = try server(desk, limits: limits)
        let client = try server.client()
        try client.send(request)
        let refusal = try client.readAnswer()
        #expect(refusal.head.hasPrefix("HTTP/1.1 503"))
        #expect(refusal.head.contains("\r\nRetry-After: "))
        #expect(desk.all[0].isUnwanted)
        desk.give("too late")
        try client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().body.contains("GET /next"))
    }

    /// One that has a time of its own, and an answer for that.
    @Test func itMaySayWhatIsAnsweredInItsPlace() throws {
        let desk = Desk()
        let server = try TestServer { request in
            guard request.path == "/later" else { return echo(request) }
            return Response(
                headers: [("X-Outer", "yes")],
                body: .later(
                    LaterAnswer(within: .milliseconds(100), late: { Response(status: 504, body: .bytes([])) }) {
                        desk.take($0)
                    }))
        }
        let client = try server.client()
        try client.send(request)
        let answer = try client.readAnswer()
        #expect(answer.head.hasPrefix("HTTP/1.1 504") && answer.head.contains("\r\nX-Outer: yes\r\n"))
        #expect(desk.all[0].isUnwanted)
        // Without a server, too.
        let response = LaterAnswer(within: .milliseconds(10), late: { Response(status: 504) }) { _ in }
        #expect(Response(body: .later(response)).awaited().status == 504)
    }

    /// What is done for good: its client may end its sending side, or leave.
    @Test(arguments: Transport.allCases) func itMayOutliveItsClient(over transport: Transport) throws {
        let desk = Desk()
        let server = try TestServer(over: transport) { _ in
            Response(body: .later(LaterAnswer(isForItsClient: false) { desk.take($0) }))
        }
        let half = try server.client()
        try half.send(request)
        #expect(desk.holds(1))
        if transport == .plain { shutdown(half.descriptor, Int32(SHUT_WR)) }
        var gone: RawClient? = try server.client()
        try gone?.send(request)
        #expect(desk.holds(2))
        gone = nil
        usleep(100_000)
        #expect(desk.all.allSatisfy { !$0.isUnwanted })
        desk.give("done")
        #expect(try half.readAnswer().body == "done")
        #expect(eventually { server.server.connections <= 1 })
    }

    /// libmicrohttpd aborts the process when it is stopped with a connection that is suspended.
    @Test func aServerStopsWithAnswersThatNobodyGives() throws {
        var limits = Limits()
        limits.stopTime = .milliseconds(50)
        let desk = Desk()
        let server = try server(desk, limits: limits)
        let clients = try (0..<5).map { _ in try server.client() }
        for client in clients { try client.send(request) }
        #expect(desk.holds(5))
        server.server.stop()
        #expect(server.server.connections == 0)
        #expect(desk.all.allSatisfy { $0.isUnwanted })
        for client in clients { #expect(client.readToEnd() == "") }
    }

    /// An answer comes on any thread, at any time, also while a client leaves.
    @Test func itMayMeetTheEnd() throws {
        let desk = Desk()
        let server = try server(desk)
        let isDone = Atomic<Bool>(false)
        let giving = InBackground { while !isDone.load(ordering: .sequentiallyConsistent) { desk.give("x") } }
        for round in 0..<100 {
            let client = try server.client()
            try client.send(request)
            if round % 2 == 0 { _ = client.readSome(200) }
        }
        isDone.store(true, ordering: .sequentiallyConsistent)
        giving.join()
        desk.give("x")
        #expect(server.becomesEmpty())
    }
}
