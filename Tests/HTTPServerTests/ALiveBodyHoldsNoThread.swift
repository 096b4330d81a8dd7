import Glibc
import HTTPServer
import Synchronization
import Testing

/// What a live body says, from outside.
private final class Feed: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var hasEnded = false
        var wake: LiveBody.Signal?
    }

    private let state = Mutex(State())
    /// Nobody reads it any more.
    let isReleased = Flag()

    final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
        func set() { value.store(true, ordering: .sequentiallyConsistent) }
    }

    /// Sets the flag when the body goes.
    private final class Reader: Sendable {
        let flag: Flag
        init(_ flag: Flag) { self.flag = flag }
        deinit { flag.set() }
    }

    func response() -> Response {
        let reader = Reader(isReleased)
        return Response(
            body: .live(
                LiveBody { [self] wake in
                    withExtendedLifetime(reader) {}
                    return step(wake)
                }))
    }

    private func step(_ wake: @escaping LiveBody.Signal) -> LiveBody.Step {
        state.withLock { state in
            if !state.pending.isEmpty {
                defer { state.pending = [] }
                return .bytes(state.pending)
            }
            if state.hasEnded { return .end }
            state.wake = wake
            return .nothing
        }
    }

    func say(_ text: String) { change { $0.pending += Array(text.utf8) } }
    func finish() { change { $0.hasEnded = true } }

    private func change(_ body: (inout State) -> Void) {
        let wake = state.withLock { state in
            body(&state)
            return state.wake.take()
        }
        wake?()
    }
}

private let request = "GET /live HTTP/1.1\r\nHost: x\r\n\r\n"

extension RawClient {
    /// Reads until this has come.
    fileprivate func read(until text: String) throws {
        var seen = ""
        while !seen.contains(text) {
            seen += String(decoding: try #require(readSome(), "only \(seen)"), as: UTF8.self)
        }
    }
}

/// Serves the feed at /live and anything else at once.
private func server(_ feed: Feed, over transport: Transport = .plain, limits: Limits = Limits()) throws -> TestServer {
    try TestServer(over: transport, limits: limits) { $0.path == "/live" ? feed.response() : Response() }
}

@Suite struct ALiveBodyHoldsNoThread {
    @Test(arguments: Transport.allCases) func whatIsSaidArrivesWhileOthersAreServed(over transport: Transport) throws {
        let feed = Feed()
        let server = try server(feed, over: transport)
        let listener = try server.client()
        try listener.send(request)
        for number in 1...20 {
            let other = try server.client()
            try other.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(other.readToEnd().hasPrefix("HTTP/1.1 200"))
            feed.say("line \(number)\n")
            try listener.read(until: "line \(number)\n")
        }
        feed.finish()
        try listener.read(until: "0\r\n\r\n")
        // The connection is as good as any other afterwards.
        try listener.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try listener.readAnswer().head.hasPrefix("HTTP/1.1 200"))
        #expect(feed.isReleased.isSet)
    }

    @Test(arguments: Transport.allCases) func silenceBeyondTheIdleTimeoutDoesNotEndIt(over transport: Transport) throws
    {
        var limits = Limits()
        limits.idleSeconds = 1
        let feed = Feed()
        let server = try server(feed, over: transport, limits: limits)
        let listener = try server.client()
        try listener.send(request)
        feed.say("first")
        try listener.read(until: "first")
        // What is waited for is that nothing happens for longer than that.
        usleep(2_200_000)
        feed.say("second")
        try listener.read(until: "second")
    }

    @Test(arguments: Transport.allCases) func aClientThatLeavesIsNoticedWhileThereIsNothingToSay(
        over transport: Transport
    ) throws {
        let feed = Feed()
        let server = try server(feed, over: transport)
        var listener: RawClient? = try server.client()
        try listener?.send(request)
        feed.say("first")
        try listener?.read(until: "first")
        #expect(!feed.isReleased.isSet)
        listener = nil
        #expect(eventually { feed.isReleased.isSet })
        #expect(server.becomesEmpty())
    }

    @Test(arguments: Transport.allCases) func stoppingEndsItInOrder(over transport: Transport) throws {
        let feed = Feed()
        var limits = Limits()
        limits.stopTime = .seconds(30)
        let server = try server(feed, over: transport, limits: limits)
        let listeners = try (0..<5).map { _ in try server.client() }
        for listener in listeners { try listener.send(request) }
        // A handshake, or a request on its way, is no answer under way.
        for listener in listeners {
            feed.say("now")
            try listener.read(until: "HTTP/1.1 200")
        }
        let stopping = InBackground { server.server.stop() }
        for listener in listeners { #expect(listener.readToEnd().hasSuffix("0\r\n\r\n")) }
        stopping.join()
        #expect(server.server.connections == 0)
    }

    @Test func tooManyAreRefused() throws {
        var limits = Limits()
        limits.liveBodies = 2
        let feed = Feed()
        let server = try server(feed, limits: limits)
        var listeners = try (0..<2).map { _ in try server.client() }
        for listener in listeners { try listener.send(request) }
        // Each takes its place when its request is answered, which its first line tells.
        for listener in listeners {
            feed.say("now")
            try listener.read(until: "HTTP/1.1 200")
        }
        let third = try server.client()
        try third.send(request)
        let refusal = try third.readAnswer()
        #expect(refusal.head.hasPrefix("HTTP/1.1 503"))
        #expect(refusal.body.contains("2 live streams"))
        #expect(refusal.head.contains("\r\nRetry-After: "))
        listeners.removeFirst()
        #expect(
            eventually {
                guard (try? third.send(request)) != nil, let head = try? third.readAnswer().head else { return false }
                return head.hasPrefix("HTTP/1.1 200")
            })
    }

    @Test func headReadsNothing() throws {
        let feed = Feed()
        let server = try server(feed)
        let client = try server.client()
        try client.send("HEAD /live HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer(hasBody: false).head.hasPrefix("HTTP/1.1 200"))
        #expect(eventually { feed.isReleased.isSet })
    }

    /// News come on any thread, at any time, also while a client leaves.
    @Test func newsMayMeetTheEnd() throws {
        let feed = Feed()
        let server = try server(feed)
        let isDone = Feed.Flag()
        let talking = InBackground { while !isDone.isSet { feed.say("x") } }
        for round in 0..<100 {
            let listener = try server.client()
            try listener.send(request)
            if round % 2 == 0 { _ = listener.readSome(200) }
        }
        isDone.set()
        talking.join()
        #expect(server.becomesEmpty())
    }
}
