import Foundation
import JSON
import MeshModel
import Nettle
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

/// What an answer means is a table of deploy/PUSH.md.
@Suite struct AnAnswerOfAPushServiceIsObeyed {
    private let browser = ToldBrowser()

    /// A service that hangs, and one that says more than anybody reads.
    private enum Oddity: CaseIterable { case hangs, garbage, endless, cutOff }

    @Test(arguments: [200, 201, 202, 204]) func itHasArrived(status: Int) throws {
        let server = try LoopbackServer(status: status)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "hello")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(server.received.count == 1)
        #expect(try mesh.store.read { try $0.targets() }.first?.succeededAt != nil)
    }

    /// What waits behind it goes with it.
    @Test(arguments: [404, 410]) func itEnds(status: Int) throws {
        let server = try LoopbackServer(status: status)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push/geheim")
        try mesh.tell(one.target, "first")
        try mesh.tell(one.target, "second")
        #expect(try mesh.eventually { try mesh.registrations.isEmpty })
        #expect(try mesh.eventually { mesh.running.signals.withLock { $0.thread == nil } })
        let (rows, waiting) = (try mesh.store.read { try $0.targets() }, try mesh.waiting())
        #expect(rows.isEmpty && waiting.isEmpty && server.received.count == 1)
        #expect(mesh.log.withLock { $0.contains { $0.contains("has ended: 127.0.0.1 answered \(status)") } })
        #expect(!mesh.log.withLock { $0.contains { $0.contains("geheim") } })
    }

    @Test(arguments: [400, 401, 403, 301, 302, 402, 405, 418]) func theNotificationIsGivenUp(status: Int) throws {
        // Where it leads is not called.
        let elsewhere = try LoopbackServer(status: 201)
        let server = try LoopbackServer(status: status, headers: "Location: \(elsewhere.url)/\r\n")
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "first")
        try mesh.tell(one.target, "second")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(server.received.count == 2 && elsewhere.received.isEmpty)
        #expect(try mesh.registrations.map(\.id) == [one.id])
        #expect(mesh.running.registrationProgress(one.id)?.isFailing == false)
        let feed = try mesh.store.read { try $0.feed(after: 0, limit: 10) }
        #expect(feed.allSatisfy { $0.type == "direct-message" })
    }

    @Test func whatIsTooLongIsSaidInAFewWords() throws {
        let server = try LoopbackServer { request, connection in
            say("HTTP/1.1 \(request.body.count > 600 ? 413 : 201) X\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        let row = FeedRow(
            at: WallClock.milliseconds(), in: nil, type: "direct-message", title: "Direct message from Anna",
            body: String(repeating: "word ", count: 300), needs: [.info], rule: "rule")
        try mesh.store.commit { writer in
            try writer.insert(row)
            try writer.insert(Dispatch(to: one.target, at: row.createdAt, row))
        }
        mesh.running.wake()
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        let texts = server.received.map { browser.open($0.body) }
        #expect(texts.count == 2 && texts.allSatisfy { $0?["id"]?.string == row.uuid })
        #expect(texts.last??["title"]?.string == "A message from Anna" && texts.last??["body"]?.string == "")
        #expect(try mesh.registrations.count == 1)
    }

    @Test func whatIsStillTooLongIsGivenUp() throws {
        let server = try LoopbackServer(status: 413)
        let mesh = try ToldMesh()
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "hello")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(server.received.count == 2)
        #expect(try mesh.registrations.count == 1)
    }

    /// It waits, and neither the registration nor the gateway comes to harm.
    @Test(arguments: Oddity.allCases) private func aServiceThatBehavesOddly(oddity: Oddity) throws {
        let isOver = Monitor(false)
        defer { isOver.notify { $0 = true } }
        let server = try LoopbackServer { _, connection in
            switch oddity {
            case .hangs: _ = isOver.wait(seconds: 300) { $0 ? () : nil }
            case .garbage:
                say(
                    "HTTP/1.1 201 Created\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n\u{0}<b>\u{7F}\"{{",
                    connection)
            case .endless:
                say("HTTP/1.1 201 Created\r\nContent-Length: 10000000\r\n\r\n", connection)
                let megabyte = String(repeating: "x", count: 1_000_000)
                for _ in 0..<10 where !say(megabyte, connection) { break }
            case .cutOff: say("HTTP/1.1 20", connection)
            }
        }
        let mesh = try ToldMesh()
        try mesh.start(curl: oddity == .hangs ? Curl(patience: 2_000_000_000) : .unhurried, push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "hello")
        #expect(server.wait(for: 1))
        switch oddity {
        case .garbage, .endless: #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        case .hangs, .cutOff:
            #expect(try mesh.eventually { mesh.running.registrationProgress(one.id)?.row.error != nil })
            #expect(try mesh.waiting().count == 1)
        }
        #expect(try mesh.registrations.count == 1)
    }

    /// After an hour, with what to look at.
    @Test func thatOneIsRefusedIsAProblemAfterAnHour() throws {
        let server = try LoopbackServer(status: 403)
        let passed = Monitor<Int64>(0)
        let mesh = try ToldMesh()
        try mesh.start(
            clock: {
                let time = passed.withLock { $0 }
                return SendTime(at: WallClock.milliseconds() + time, uptime: MonotonicClock.milliseconds() + time)
            }, push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push/geheim")
        func problems() -> [Problem] { mesh.running.problems(showsFiles: true, tells: []) }
        try mesh.tell(one.target, "hello")
        #expect(try mesh.eventually { mesh.running.registrationProgress(one.id)?.row.error?.contains("403") == true })
        #expect(problems().isEmpty)
        passed.withLock { $0 = 3_600_000 }
        mesh.running.wake()
        #expect(try mesh.eventually { !problems().isEmpty })
        let problem = try #require(problems().first)
        #expect(problem.name == "push-failing" && problem.command == "mesh-gateway push list")
        for word in ["answered 403", "clock", "push-contact", "push new-key"] { #expect(problem.advice.contains(word)) }
        #expect(!problem.advice.contains("geheim"))
        #expect(mesh.log.withLock { $0.contains { $0.hasPrefix("push-failing: registration \(one.id)") } })
    }

    /// curl is missing.
    @Test func nothingCanBeSent() throws {
        let server = try LoopbackServer(status: 201)
        let mesh = try ToldMesh()
        try mesh.start(curl: Curl(path: "/nonexistent/curl"), push: .allowing(server))
        try mesh.register(browser, at: "\(server.url)/push")
        #expect(
            try mesh.eventually {
                mesh.running.problems(showsFiles: true, tells: []).contains {
                    $0.name == "push-failing" && $0.command == "sudo apt install curl"
                }
            })
    }
}

// MARK: over hours and days

private let hour: Int64 = 3_600_000
private let noon: Int64 = 1_760_000_000_000

/// One registration in virtual time.
private struct Line {
    var now = SendTime(at: noon, uptime: 0)
    var queue = SendQueue(at: SendTime(at: noon, uptime: 0))
    var sent: [Int64] = []
    var fates: [SendQueue.Fate] = []

    init(at now: SendTime = SendTime(at: noon, uptime: 0)) throws {
        self.now = now
        queue = SendQueue(at: now)
        let keys = try ToldBrowser().keys
        let key = try #require(PushKey.make())
        let receiver = WebPush(keys: keys, pushKey: key, contact: nil, tokens: PushTokens())
        var target = Target("push:1", Target.Kind(receiver), try WebAddress("https://push.example.org/1"))
        target.registration = Target.Registration(id: 1, token: 1)
        target.retryFor = hour
        _ = queue.use([target], kept: [], rows: [], at: now)
    }

    mutating func add(_ id: Int64) {
        queue.add(.init(id: id, target: "push:1", at: now.at, uuid: "\(id)"), isOfBefore: false, at: now)
    }

    /// Answers all that is sent within a time.
    mutating func run(for time: Int64, _ verdict: SendQueue.Verdict) {
        let end = now.uptime + time
        while true {
            while let step = queue.step(at: now) {
                guard case .send(let name, let id) = step else { continue }
                sent.append(now.uptime)
                fates.append(queue.answered(name, id, verdict, at: now, jitter: 1))
                if fates.last == .ends { return }
            }
            guard let deadline = queue.deadline(at: now), deadline <= end else { break }
            pass(max(1, deadline - now.uptime))
        }
        if now.uptime < end { pass(end - now.uptime) }
    }

    mutating func pass(_ time: Int64) { (now.at, now.uptime) = (now.at + time, now.uptime + time) }
    var waiting: Int { queue.lines["push:1"]!.entries.count }
    var isFailing: Bool { queue.lines["push:1"]!.isFailing(at: now) }
}

@Suite struct APushIsTriedForAnHour {
    /// Services take tokens that end within 24 hours of their own time (RFC 8292, 2).
    @Test(arguments: [-hour, 0, hour]) func aClockIsAnHourOff(by: Int64) throws {
        let (tokens, key) = (PushTokens(), try #require(PushKey.make()))
        let address = try WebAddress("https://push.example.org/1")
        for passed in [0, 6 * hour, 11 * hour] {
            let header = try #require(
                tokens.authorization(for: address, key: key, subject: nil, at: noon + by + passed))
            let token = try #require(header.dropFirst("vapid t=".count).split(separator: ",").first)
            let claims = try #require(Base64.decodedLeniently(String(token.split(separator: ".")[1])))
            let end = try #require(JSONValue(claims)?["exp"]?.integer) * 1000
            #expect((noon + passed + 1..<noon + passed + 24 * hour).contains(end), "\(passed)")
        }
    }

    @Test(arguments: [503, 429, 500, 502, 0]) func thenItIsGivenUp(status: Int) throws {
        var line = try Line()
        line.add(1)
        line.run(for: 3 * hour, .failed("\(status)", retryAfter: nil, mayHaveArrived: false))
        #expect(line.waiting == 0)
        #expect(line.sent == [0, 5, 35, 155, 755, 1_355, 1_955, 2_555, 3_155].map { $0 * 1000 })
        #expect(line.fates.allSatisfy { $0 == .stays })
        #expect(line.isFailing)
    }

    /// However long its service has been out of reach, whatever comes is tried within its hour.
    @Test func nothingIsGivenUpUntried() throws {
        var line = try Line()
        for number in 0..<15 {
            line.add(Int64(number))
            line.run(for: hour / 3, .failed("503", retryAfter: nil, mayHaveArrived: false))
        }
        #expect(zip(line.sent, line.sent.dropFirst()).allSatisfy { $1 - $0 <= 600_000 })
        #expect(line.waiting > 0)
        line.run(for: 600_000, .arrived)
        #expect(line.waiting == 0)
    }

    @Test func itIsLeftAloneAsLongAsItAsks() throws {
        var line = try Line()
        line.add(1)
        line.run(for: hour, .failed("429", retryAfter: 1_800_000, mayHaveArrived: false))
        #expect(line.sent == [0, 1_800_000])
        // Longer than it counts: it is given up, and the next one waits for the same.
        var other = try Line()
        other.add(1)
        other.run(for: 1_000, .failed("429", retryAfter: 2 * hour, mayHaveArrived: false))
        other.run(for: hour, .arrived)
        other.add(2)
        #expect(other.waiting == 1 && other.sent == [0])
        other.run(for: hour, .arrived)
        #expect(other.sent == [0, 2 * hour] && other.waiting == 0)
    }

    /// Seven days without a subscriber, however many notifications that were.
    @Test func nobodySubscribesForSevenDays() throws {
        var line = try Line()
        for day in 0..<7 {
            line.add(Int64(day))
            line.run(for: 24 * hour, .unheard("507", retryAfter: nil))
            #expect(line.waiting == 0 && !line.isFailing && !line.fates.contains(.ends))
        }
        line.add(8)
        line.run(for: hour, .unheard("507", retryAfter: nil))
        #expect(line.fates.last == .ends)
    }

    @Test func oneSubscriberIsEnough() throws {
        var line = try Line()
        line.add(1)
        line.run(for: 6 * 24 * hour, .unheard("507", retryAfter: nil))
        line.add(2)
        line.run(for: hour, .arrived)
        for day in 0..<6 {
            line.add(Int64(10 + day))
            line.run(for: 24 * hour, .unheard("507", retryAfter: nil))
        }
        #expect(!line.fates.contains(.ends))
    }

    /// A clock that is set by a week makes no week of an hour.
    @Test func theClockIsSetMeanwhile() throws {
        var line = try Line()
        line.add(1)
        line.run(for: hour, .unheard("507", retryAfter: nil))
        line.now.at += 30 * 24 * hour
        line.add(2)
        line.run(for: hour, .unheard("507", retryAfter: nil))
        #expect(!line.fates.contains(.ends) && line.sent.count > 6)
    }

    @Test func nothingIsSentWhileTheClockIsNotSet() throws {
        var line = try Line(at: SendTime(at: 1_000, uptime: 0))
        line.add(1)
        line.run(for: hour / 2, .arrived)
        #expect(line.sent.isEmpty && line.waiting == 1)
        line.now.at = noon
        line.run(for: 60_000, .arrived)
        #expect(line.sent.count == 1)
        let registration = Target.Registration(id: 1, token: 1)
        #expect(registration.obstacle(at: SendTime(at: 1_000, uptime: 0))?.contains("clock") == true)
        #expect(registration.obstacle(at: SendTime(at: noon, uptime: 0)) == nil)
    }

    @Test func aRefusalIsNoReasonToLookAfterItBeforeAnHour() throws {
        var line = try Line()
        line.add(1)
        line.run(for: hour / 2, .refused("403"))
        #expect(line.fates == [.givenUp] && !line.isFailing)
        line.run(for: hour / 2, .arrived)
        #expect(line.isFailing)
        line.add(2)
        line.run(for: 1_000, .arrived)
        #expect(!line.isFailing)
    }
}
