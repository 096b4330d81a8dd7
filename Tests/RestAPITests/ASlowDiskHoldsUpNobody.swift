import Glibc
import MeshModel
import Platform
import Synchronization
import Testing

@testable import HTTPServer
@testable import RestAPI
@testable import Routes
@testable import Store

/// What changes something is done aside and answered when it is on disk; what reads does not wait for that.
@Suite struct ASlowDiskHoldsUpNobody {
    /// A gateway with a message, whose disk takes as long as the test wants.
    final class SlowHouse {
        let test: TestGateway
        let served: ServedGateway
        let bearer: String
        private let hold = Monitor((isHeld: false, isOver: false))

        init() throws {
            test = try TestGateway()
            served = try ServedGateway(test, test.api)
            bearer = "Authorization: Bearer " + (try test.token(["admin"])).text
            try test.insert([Channel(index: 0, role: .primary, psk: [1])])
            try test.insert("to all", packetID: 9, at: TestGateway.now)
        }

        deinit { goOn() }

        /// No change is committed from now on.
        func stop() {
            test.store.enqueue(
                .immediate,
                { [hold] _ in
                    hold.notify { $0.isHeld = true }
                    hold.wait(until: nil) { hold, _ in hold.isOver ? () : nil }
                })
            hold.wait(until: nil) { hold, _ in hold.isHeld ? () : nil }
        }

        /// For the token.
        func isMuted() throws -> Bool {
            try served.ask("GET /api/v1/conversations/channel:0", headers: [bearer]).body.contains(#""muted":true"#)
        }

        func goOn() { hold.notify { $0.isOver = true } }

        /// A client's change has begun and waits for the disk. The store's queue does not say so: that a token was used is
        /// noted there, too.
        var isChanging: Bool { !test.api.commits.isIdle && test.api.commits.waitingCount == 0 }

        /// A request on a connection of its own; its answer, when it comes.
        func begin(_ line: String, _ body: String = "", headers: [String] = []) -> Begun {
            let begun = Begun()
            let headers =
                [bearer, "Content-Type: application/json", "Content-Length: \(body.utf8.count)"] + headers
            begun.thread.withLock {
                $0 = Thread { [served] in
                    let answer = try? served.ask(line, headers: headers, body: body)
                    begun.answer.withLock { $0 = answer }
                }
            }
            return begun
        }
    }

    final class Begun: Sendable {
        let answer = Mutex<RawAnswer?>(nil)
        fileprivate let thread = Mutex<Thread?>(nil)

        var status: Int? { answer.withLock { $0?.status } }

        /// Waits for its end.
        func end() -> RawAnswer? {
            thread.withLock { $0.take() }?.join()
            return answer.withLock { $0 }
        }
    }

    /// One of each kind of route that changes something.
    private static let changes = [
        ("POST /api/v1/conversations/channel:0/mute", #"{"muted":true}"#),
        ("POST /api/v1/conversations/channel:0/read", "{}"),
        ("POST /api/messages/mark-read", #"{"channelId":0}"#),
        ("PATCH /api/v1/nodes/!abcdef12", #"{"nickname":"Ridge"}"#),
        ("DELETE /api/v1/messages?node=!abcdef12", ""),
    ]

    @Test func othersAreAnsweredWhileChangesWait() throws {
        let house = try SlowHouse()
        try house.test.update(TestGateway.peer) { $0.channel = 0 }
        house.stop()
        let begun = Self.changes.map { house.begin($0.0, $0.1) }
        // The first of them that waits for the disk by itself holds up the others.
        #expect(eventually { house.test.api.commits.waitingCount > 0 })
        for _ in 0..<3 {
            #expect(try house.served.ask("GET /api/health").status == 200)
            for path in ["/api/v1/nodes", "/api/v1/conversations", "/api/v1/messages"] {
                #expect(try house.served.ask("GET \(path)", headers: [house.bearer]).status == 200)
            }
        }
        // Nothing is said to be done before it is on disk.
        #expect(begun.allSatisfy { $0.status == nil })
        house.goOn()
        for (one, change) in zip(begun, Self.changes) { #expect(one.end()?.status == 200, "\(change)") }
        #expect(try house.isMuted())
        #expect(eventually { house.test.api.commits.isIdle })
    }

    /// What a client has asked for is done also when it does not wait for the answer.
    @Test func whoLeavesHasAskedAllTheSame() throws {
        let house = try SlowHouse()
        house.stop()
        let first = house.begin("PATCH /api/v1/nodes/!abcdef12", #"{"nickname":"First"}"#)
        #expect(eventually { house.isChanging })
        let body = #"{"muted":true}"#
        let descriptor = try connected(to: house.served.port)
        let text =
            "POST /api/v1/conversations/channel:0/mute HTTP/1.1\r\nHost: x\r\n\(house.bearer)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        #expect(send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
        #expect(eventually { house.test.api.commits.waitingCount == 1 })
        close(descriptor)
        house.goOn()
        _ = first.end()
        #expect(try eventually { try house.isMuted() })
    }

    /// A client's changes wait for each other; another client's come between.
    @Test func clientsTakeTurns() throws {
        let aside = WorkAside(named: "test", capacity: 8)
        let isOver = Monitor(false)
        let done = Mutex<[String]>([])
        let (one, other) = (Client.user(1), Client.user(2))
        aside.add(.user(9)) { isOver.wait(until: nil) { isOver, _ in isOver ? () : nil } }
        #expect(eventually { aside.waitingCount == 0 })
        for name in ["1a", "1b", "1c", "1d"] { aside.add(one) { done.withLock { $0.append(name) } } }
        // It leaves as many places as it has.
        #expect(!aside.hasPlace(for: one) && aside.hasPlace(for: other))
        aside.add(other) { done.withLock { $0.append("2a") } }
        isOver.notify { $0 = true }
        #expect(eventually { aside.isIdle })
        #expect(done.withLock { $0 } == ["1a", "2a", "1b", "1c", "1d"])
    }

    @Test func whoHasTooManyWaitingIsToldSo() throws {
        let house = try SlowHouse()
        try house.test.update(TestGateway.peer) { $0.channel = 0 }
        house.stop()
        let begun = house.begin("PATCH /api/v1/nodes/!abcdef12", #"{"nickname":"First"}"#)
        #expect(eventually { house.isChanging })
        let client = Client(try #require(IPAddress("127.0.0.1")))
        while house.test.api.commits.hasPlace(for: client) { house.test.api.commits.add(client) {} }
        let refusal = try house.served.ask(
            "POST /api/v1/conversations/channel:0/mute",
            headers: [house.bearer, "Content-Type: application/json", "Content-Length: 14"],
            body: #"{"muted":true}"#)
        #expect(refusal.status == 503 && refusal.header("Retry-After") == "5", "\(refusal.text)")
        #expect(try house.served.ask("GET /api/health").status == 200)
        house.goOn()
        #expect(begun.end()?.status == 200)
    }

    @Test func aTokenThatIsRevokedMeanwhileChangesNothing() throws {
        let house = try SlowHouse()
        let token = try house.test.token(["messages:read"])
        let isOver = Monitor(false)
        house.test.api.commits.add(.user(9)) { isOver.wait(until: nil) { isOver, _ in isOver ? () : nil } }
        let response = house.test.api.respond(
            Request(
                method: "POST", target: "/api/v1/conversations/channel:0/mute",
                headers: [("Authorization", "Bearer " + token.text)], body: Array(#"{"muted":true}"#.utf8)))
        guard case .later(let answer) = response.body, case .pending = answer.next(resume: {}) else {
            Issue.record("it was answered at once")
            return
        }
        let row = try #require(try house.test.store.read { try $0.tokens() }.last)
        try house.test.store.commit { _ = try $0.revokeToken(id: row.id, at: TestGateway.now) }
        isOver.notify { $0 = true }
        #expect(try Answer(Response(body: .later(answer))).status == 401)
    }

    /// What is read after an open group is committed waits for that elsewhere.
    @Test func aReadWaitsForAGroupAside() throws {
        let house = try SlowHouse()
        house.stop()
        let id = house.test.id
        house.test.store.enqueue(
            .grouped,
            { writer in
                try writer.updateNode(NodeNumber(7), in: id, at: 1) { $0.longName = "In the group" }
            })
        let response = house.test.api.respond(Request(target: "/api/v1/nodes", headers: [house.test.bearer]))
        guard case .later = response.body else {
            Issue.record("it was waited for")
            return
        }
        house.goOn()
        #expect(try Answer(response).text.contains("In the group"))
    }
}
