import Foundation
import JSON
import MeshModel
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

@Suite struct ARegistrationIsToldByItsToken {
    private let browser = ToldBrowser()

    private func hasThread(_ mesh: ToldMesh) -> Bool { mesh.running.signals.withLock { $0.thread != nil } }

    @Test func thereIsAThreadWhileThereIsOne() throws {
        let server = try LoopbackServer(status: 201)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        mesh.running.registrationsChanged()
        #expect(!hasThread(mesh))
        let one = try mesh.register(browser, at: "\(server.url)/push/geheim")
        #expect(hasThread(mesh))
        try mesh.tell(one.target, "hello")
        #expect(server.wait(for: 1))
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        try mesh.store.commit { try $0.removeRegistration(one.id) }
        mesh.running.registrationsChanged()
        #expect(try mesh.eventually { !hasThread(mesh) })
        let rows = try mesh.store.read { try $0.targets() }
        #expect(rows.isEmpty)
        #expect(!mesh.log.withLock { $0.contains { $0.contains("geheim") } })
    }

    @Test func aStartFindsItAgain() throws {
        let server = try LoopbackServer(status: 201)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        mesh.running.stop()
        try mesh.tell(one.target, "meanwhile")
        mesh.kill()
        try mesh.start(push: .allowing(server))
        #expect(server.wait(for: 1))
        #expect(browser.open(server.received[0].body)?["title"]?.string == "meanwhile")
    }

    /// What a push service goes by, and what only the browser reads.
    @Test func whatItIsSent() throws {
        let server = try LoopbackServer(status: 201)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push/1?a=b")
        let conversation = try #require(Conversation(id: "direct:!a1b2c3d4"))
        func tell(_ type: String, _ title: String, episode: String? = nil, _ of: Conversation? = nil) throws -> FeedRow
        {
            let row = FeedRow(
                at: WallClock.milliseconds(), in: nil, type: type, title: title, body: "Text of \(title)",
                needs: [.info], rule: "rule", episode: episode, conversation: of)
            try mesh.store.commit { writer in
                try writer.insert(row)
                try writer.insert(Dispatch(to: one.target, at: row.createdAt, row))
            }
            mesh.running.wake()
            return row
        }
        let told = [
            try tell("direct-message", "one", conversation), try tell("direct-message", "two", conversation),
            try tell("battery", "three", episode: "e"), try tell("battery", "four", episode: "e"),
            try tell("rebooted", "five"),
        ]
        #expect(server.wait(for: 5))
        let requests = server.received
        #expect(requests.allSatisfy { $0.line == "POST /push/1?a=b HTTP/1.1" })
        for (row, request) in zip(told, requests) {
            let json = try #require(browser.open(request.body))
            #expect(json["title"]?.string == row.title && json["body"]?.string == row.body)
            #expect(json["id"]?.string == row.uuid && json["type"]?.string == row.type)
            #expect(json["link"]?.string == "" && json["createdAt"]?.string?.hasSuffix("Z") == true)
            #expect(request.headers["ttl"] == "3600" && request.headers["content-encoding"] == "aes128gcm")
            #expect(request.headers["content-type"] == "application/octet-stream")
            #expect(request.headers["urgency"] == (row.type == "direct-message" ? "high" : "normal"))
            #expect(request.headers["authorization"]?.hasPrefix("vapid t=") == true)
        }
        let topics = requests.map { $0.headers["topic"] ?? "" }
        #expect(topics.allSatisfy { $0.wholeMatch(of: /[-_A-Za-z0-9]{32}/) != nil }, "\(topics)")
        #expect(topics[0] == topics[1] && topics[2] == topics[3] && Set(topics).count == 3)
        // Another browser's is another one: nobody who has both knows that they are about the same.
        #expect(
            PushBody.topic(of: Outgoing(Dispatch(to: "", at: 0, told[0]), in: nil, isShort: false), secret: [1])
                != topics[0])
        #expect(Set(requests.compactMap { $0.headers["authorization"] }).count == 1)
    }

    /// Its rights have been taken away, its token has expired, or it has muted the conversation.
    @Test func whatItsTokenIsNotShownIsNotSent() throws {
        let server = try LoopbackServer(status: 201)
        let mesh = try ToldMesh()
        let hidden = Monitor<Set<String>>(["hidden"])
        try mesh.start(
            push: .allowing(server),
            seen: { _, told, _ in
                guard !hidden.withLock({ $0.contains(told.row.title) }) else { return nil }
                var row = told.row
                row.body = "as it is shown"
                return row
            })
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "hidden")
        try mesh.tell(one.target, "shown")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(server.received.count == 1)
        let json = browser.open(server.received[0].body)
        #expect(json?["title"]?.string == "shown" && json?["body"]?.string == "as it is shown")
    }

    /// A browser registers with other keys while its test is out: that one says nothing of it, and another may follow.
    @Test func itRegistersAnewWhileItsTestIsOut() throws {
        let gate = Monitor(false)
        let server = try LoopbackServer { _, connection in
            _ = gate.wait(seconds: 300) { $0 ? () : nil }
            say("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        func test() -> RunningTargets.Test? { mesh.running.registrationProgress(one.id)?.test }
        #expect(mesh.running.testRegistration(one.id) && test()?.error == nil && test() != nil)
        #expect(server.wait(for: 1))
        let other = try mesh.register(ToldBrowser(), at: "\(server.url)/push")
        #expect(other.id == one.id)
        #expect(
            try mesh.eventually {
                mesh.running.signals.withLock { $0.devices.map(\.registration?.id) == [one.id] && !$0.isNew }
            })
        gate.notify { $0 = true }
        #expect(try mesh.eventually { test() == nil })
        #expect(mesh.running.testRegistration(one.id))
        #expect(try mesh.eventually { test()?.error == "" })
    }

    @Test func aTokenIsRevokedWhileItsRequestIsOut() throws {
        let gate = Monitor(false)
        let server = try LoopbackServer { _, connection in
            _ = gate.wait(seconds: 300) { $0 ? () : nil }
            say("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "first")
        try mesh.tell(one.target, "second")
        #expect(server.wait(for: 1))
        _ = try mesh.store.commit { try $0.revokeToken(name: "phone", at: WallClock.milliseconds()) }
        mesh.running.registrationsChanged()
        gate.notify { $0 = true }
        #expect(try mesh.eventually { !hasThread(mesh) })
        let (rows, waiting, left) = (
            try mesh.store.read { try $0.targets() }, try mesh.waiting(), try mesh.registrations
        )
        #expect(rows.isEmpty && waiting.isEmpty && left.isEmpty && server.received.count == 1)
    }

    /// Also when nobody has said that it was revoked.
    @Test func anAnswerForOneThatIsGoneWritesNothing() throws {
        let gate = Monitor(false)
        let server = try LoopbackServer { _, connection in
            _ = gate.wait(seconds: 300) { $0 ? () : nil }
            say("HTTP/1.1 201 X\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "first")
        #expect(server.wait(for: 1))
        try mesh.store.commit { try $0.removeRegistration(one.id) }
        gate.notify { $0 = true }
        #expect(try mesh.eventually { mesh.running.registrationProgress(one.id)?.row.succeededAt != nil })
        let rows = try mesh.store.read { try $0.targets() }
        #expect(rows.isEmpty)
    }

    @Test func aTestSaysWhetherItArrives() throws {
        let status = Monitor(201)
        let server = try LoopbackServer { _, connection in
            say("HTTP/1.1 \(status.withLock { $0 }) X\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        func error() -> String? { mesh.running.registrationProgress(one.id)?.test?.error }
        #expect(mesh.running.testRegistration(one.id) && !mesh.running.testRegistration(one.id + 1))
        #expect(try mesh.eventually { error() == "" })
        #expect(browser.open(server.received[0].body)?["type"]?.string == "test")
        status.withLock { $0 = 403 }
        #expect(mesh.running.testRegistration(one.id))
        #expect(try mesh.eventually { error()?.contains("answered 403") == true })
        status.withLock { $0 = 410 }
        #expect(mesh.running.testRegistration(one.id))
        #expect(try mesh.eventually { try mesh.registrations.isEmpty })
        #expect(!mesh.running.testRegistration(one.id))
    }

    @Test func anotherPushKeyEndsWhatBrowsersHaveRegistered() throws {
        let server = try LoopbackServer(status: 201)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let key = try #require(mesh.running.pushKeyShown)
        #expect(key.utf8.count == 87)
        try mesh.register(browser, at: "\(server.url)/push")
        let phone = PushAddress.apple(deviceToken: String(repeating: "ab", count: 32), isSandbox: false)
        let token = try mesh.token()
        _ = try mesh.store.commit { try $0.register(phone, for: token, name: nil, rules: nil, at: 1) }
        try mesh.running.newPushKey()
        #expect(mesh.running.pushKeyShown?.utf8.count == 87 && mesh.running.pushKeyShown != key)
        #expect(try mesh.registrations.map(\.address) == [phone])
    }

    /// Without a key of Apple's it is kept, and nothing is sent.
    @Test func withoutAPNsNothingIsSentToApplesDevices() throws {
        let mesh = try ToldMesh()
        try mesh.start()
        let phone = PushAddress.apple(deviceToken: String(repeating: "ab", count: 32), isSandbox: false)
        let token = try mesh.token()
        let one = try #require(
            try mesh.store.commit { try $0.register(phone, for: token, name: nil, rules: nil, at: 1) })
        mesh.running.registrationsChanged()
        #expect(!mesh.running.hasAPNs && !mesh.running.canTell(phone) && !mesh.running.testRegistration(one.id))
        #expect(try mesh.eventually { !hasThread(mesh) })
        #expect(try mesh.registrations.count == 1)
    }

    /// Those that are muted, or no longer shown, are in no summary.
    @Test func aSummaryHasWhatItsTokenIsShown() throws {
        let server = try LoopbackServer(status: 201)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server), seen: { _, told, _ in told.row.title == "28" ? nil : told.row })
        let one = try mesh.register(browser, at: "\(server.url)/push")
        mesh.running.stop()
        for number in 0..<35 { try mesh.tell(one.target, "\(number)") }
        mesh.kill()
        try mesh.start(push: .allowing(server), seen: { _, told, _ in told.row.title == "28" ? nil : told.row })
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        let all = server.received.compactMap { browser.open($0.body) }
        let summary = try #require(all.first { $0["type"]?.string == "summary" })
        let lines = (summary["body"]?.string ?? "").split(separator: "\n")
        #expect(summary["title"]?.string == "29 notifications" && lines.count == 5, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("29") } && !lines.contains { $0.hasPrefix("28") }, "\(lines)")
    }
}
