import Foundation
import JSON
import MeshModel
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

@Suite struct ATargetIsTold {
    @Test func withoutTargetsNothingRuns() throws {
        let mesh = try ToldMesh()
        try mesh.start()
        #expect(mesh.running.signals.withLock { $0.thread == nil })
        let (rows, waiting) = (try mesh.store.read { try $0.targets() }, try mesh.waiting())
        #expect(rows.isEmpty && waiting.isEmpty)
    }

    @Test func aHundredThousandAreSixRequests() throws {
        let server = try LoopbackServer(status: 200)
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n")
        try mesh.start()
        mesh.running.stop()
        for start in stride(from: 0, to: 100_000, by: 10_000) {
            try mesh.store.commit { writer in
                for number in start..<start + 10_000 {
                    let row = FeedRow(
                        at: WallClock.milliseconds(), in: nil, type: "rebooted", title: "\(number)", body: "",
                        needs: [.info],
                        rule: number % 4 == 0 ? "battery" : "silent")
                    try writer.insert(row)
                    try writer.insert(Dispatch(to: "phone", at: row.createdAt, row))
                }
            }
            #expect(try mesh.store.read { try $0.dispatchCounts() }["phone"] ?? 0 <= Writer.dispatchesOfTarget)
        }
        mesh.kill()
        try mesh.start()
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        // The oldest may have been sent before the start, and stays what it is.
        // Without a message the title is the message.
        let titles = try server.received.map { request in
            let json = try #require(JSONValue(request.body))
            return json["title"]?.string ?? json["message"]?.string
        }
        #expect(titles == ["0", "99994 notifications"] + (99_995..<100_000).map { "\($0)" })
        let message = try #require(JSONValue(server.received[1].body)?["message"]?.string)
        let body = try #require(message.split(separator: "\n").last)
        #expect(
            body.hasPrefix("silent: 74996, battery: 24998") || body.hasPrefix("silent: 74996, battery: 24997"),
            "\(body)")
    }

    @Test func whatIsRefusedGoesToTheFallbackUnderItsId() throws {
        let (refusing, taking) = (try LoopbackServer(status: 404), try LoopbackServer(status: 200))
        let mesh = try ToldMesh()
        try mesh.file(
            "hook.conf",
            "kind = webhook\nurl = \(refusing.url)/h\nsecret-file = a.secret\nfallback = other\nallow-local = yes\n")
        try mesh.file(
            "other.conf", "kind = webhook\nurl = \(taking.url)/o\nsecret-file = b.secret\nallow-local = yes\n")
        let secrets = (1...2).map { UInt8($0) }.map { [UInt8](repeating: $0, count: 32) }
        try mesh.file("a.secret", "whsec_" + Data(secrets[0]).base64EncodedString())
        try mesh.file("b.secret", "whsec_" + Data(secrets[1]).base64EncodedString())
        try mesh.start()
        let id = try mesh.tell("hook", "once")
        #expect(taking.wait(for: 1) && refusing.received.count == 1)
        let got = taking.received[0]
        #expect(got.headers["webhook-id"] == id && refusing.received[0].headers["webhook-id"] == id)
        let time = try #require(got.headers["webhook-timestamp"].flatMap { Int64($0) })
        #expect(
            got.headers["webhook-signature"] == webhookSignature(of: got.body, id: id, at: time, secret: secrets[1]))
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        // A wrong address is said at once, and once.
        #expect(
            try mesh.store.read { try $0.feed(after: 0, limit: 10) }.filter { $0.type == "target-failing" }.count == 1)
        try mesh.tell("hook", "twice")
        #expect(taking.wait(for: 2))
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(
            try mesh.store.read { try $0.feed(after: 0, limit: 10) }.filter { $0.type == "target-failing" }.count == 1)
    }

    @Test func aTargetThatIsRemovedTakesWhatWaitsWithIt() throws {
        let server = try LoopbackServer(status: 503)
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/geheim\nallow-local = yes\n")
        try mesh.start()
        try mesh.tell("phone", "never")
        #expect(server.wait(for: 1))
        // A file with a mistake loses nothing.
        try mesh.file("phone.conf", "kind = ntfy\n")
        mesh.running.reload()
        #expect(try mesh.waiting().count == 1)
        unlink(mesh.path + "/targets.d/phone.conf")
        mesh.running.reload()
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(mesh.log.withLock { $0.contains { $0.contains("there is no target phone any more") } })
        #expect(!mesh.log.withLock { $0.contains { $0.contains("geheim") } })
        #expect(try mesh.eventually { mesh.running.signals.withLock { $0.thread == nil } }, "a thread without targets")
    }

    @Test func aTestIsSentPastWhatWaits() throws {
        let server = try LoopbackServer(status: 429)
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n")
        try mesh.start()
        try mesh.tell("phone", "waits")
        #expect(server.wait(for: 1))
        #expect(mesh.running.test("phone") && !mesh.running.test("nobody"))
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.test?.error?.contains("429") == true })
        // The first one may have been tried again meanwhile.
        let texts = server.received.map { JSONValue($0.body)?["message"]?.string ?? "" }
        #expect(texts.contains { $0.contains("phone") }, "\(texts)")
    }

    /// A message that a person deletes is told to nobody any more.
    @Test func whatIsDeletedIsNotSent() throws {
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\n")
        try mesh.start()
        let source = try mesh.store.read { try $0.sources()[0].id }
        try mesh.store.commit { writer in
            try writer.insertMessage(
                Message(
                    id: "", from: NodeNumber(1), to: NodeNumber(2), text: "geheim", channel: -1, packetID: 1,
                    timestamp: 1,
                    createdAt: 1, updatedAt: 1), in: source)
        }
        let query = MessageQuery(source: source, limit: 1)
        let id = try #require(try mesh.store.read { try $0.messages(query).first?.id })
        let told = FeedRow(
            at: 1, in: source, type: "direct-message", title: "x", body: "geheim", needs: [.info], messageID: id)
        try mesh.store.commit { writer in
            try writer.insert(told)
            try writer.insert(Dispatch(to: "phone", at: 1, told))
        }
        #expect(try mesh.waiting().count == 1)
        try mesh.store.commit { _ = try $0.deleteMessage(id: id, in: source) }
        #expect(try mesh.waiting().isEmpty)
    }

    /// Rules and brokers report a failing target: they look when they are woken.
    @Test func whoFailsIsSaidToTheGateway() throws {
        let isWell = Monitor(false)
        let server = try LoopbackServer { _, connection in
            let status = isWell.withLock { $0 } ? 200 : 403
            say("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n")
        try mesh.start()
        let seen = Monitor<[Bool]>([])
        mesh.gateway.problems.follow { [weak running = mesh.running] in
            let isFailing = running?.state.progress["phone"]?.isFailing == true
            seen.notify { $0.append(isFailing) }
        }
        func isSeen(_ isFailing: Bool) -> Bool {
            seen.wait(seconds: 300) { $0.last == isFailing ? true : nil } ?? false
        }
        mesh.running.reload()
        #expect(isSeen(false))
        try mesh.tell("phone", "refused")
        #expect(isSeen(true))
        isWell.withLock { $0 = true }
        try mesh.tell("phone", "taken")
        #expect(isSeen(false))
        #expect(seen.withLock { $0 } == [false, true, false])
    }

    /// It was to be left alone for an hour.
    @Test func aTestThatArrivesSendsWhatWaits() throws {
        let isBusy = Monitor(true)
        let server = try LoopbackServer { _, connection in
            let status = isBusy.withLock { $0 } ? "429 Busy\r\nRetry-After: 3600" : "200 OK"
            say("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n")
        try mesh.start()
        try mesh.tell("phone", "waits")
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.row.error?.contains("429") == true })
        isBusy.withLock { $0 = false }
        #expect(mesh.running.test("phone"))
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(server.received.count == 3 && server.received[2].text.contains("waits"))
        #expect(try mesh.store.read { try $0.targets() }.map(\.failingSince) == [nil])
    }

    @Test func noMoreThanThreeTestsAreUnderWay() throws {
        let gate = Monitor(false)
        let server = try LoopbackServer { _, connection in
            _ = gate.wait(seconds: 60) { $0 ? () : nil }
            say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        let names = (0..<7).map { "t\($0)" }
        for name in names {
            try mesh.file("\(name).conf", "kind = ntfy\nurl = \(server.url)/\(name)\nallow-local = yes\n")
        }
        try mesh.start()
        for name in names { #expect(mesh.running.test(name)) }
        #expect(mesh.running.signals.withLock { $0.running } == 3)
        gate.notify { $0 = true }
        #expect(
            try mesh.eventually { names.allSatisfy { mesh.running.progress(of: $0)?.test?.error?.isEmpty == true } })
        #expect(server.received.count == 7)
    }

    /// Another one of its name was not tried, and one that is gone cannot be.
    @Test func aTestIsOfTheTargetThatWasTried() throws {
        let server = try LoopbackServer(status: 200)
        let mesh = try ToldMesh()
        func write(_ topic: String) throws {
            try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/\(topic)\nallow-local = yes\n")
            mesh.running?.reload()
        }
        try write("one")
        try mesh.start()
        #expect(mesh.running.test("phone"))
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.test?.error?.isEmpty == true })
        mesh.running.reload()
        #expect(mesh.running.progress(of: "phone")?.test != nil)
        try write("two")
        #expect(mesh.running.progress(of: "phone")?.test == nil)
        #expect(mesh.running.test("phone"))
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.test?.error?.isEmpty == true })
        try mesh.remove("phone.conf")
        mesh.running.reload()
        #expect(!mesh.running.test("phone"))
    }

    @Test func whatWaitsForABrokenOneIsCounted() throws {
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\n")
        try mesh.start()
        try mesh.tell("phone", "waits")
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.waiting == 1 })
    }

    /// At a start, when nobody knows yet what is in it.
    @Test func aFolderThatCannotBeReadLosesNothing() throws {
        let isBusy = Monitor(true)
        let server = try LoopbackServer { _, connection in
            say("HTTP/1.1 \(isBusy.withLock { $0 } ? 503 : 200) X\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n")
        try mesh.start()
        try mesh.tell("phone", "waits")
        #expect(server.wait(for: 1))
        mesh.kill()
        // A link to itself: also root cannot look into it.
        let folder = "\(mesh.path)/targets.d"
        try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: folder)
        try mesh.start()
        #expect(mesh.running.state.mistakesOfFolder.count == 1)
        #expect(try mesh.eventually { mesh.running.signals.withLock { $0.thread == nil } })
        // New notifications wait, too.
        #expect(mesh.running.names == nil)
        try mesh.tell("phone", "meanwhile")
        #expect(try mesh.waiting().map(\.row.title) == ["waits", "meanwhile"])
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.moveItem(atPath: folder + ".away", toPath: folder)
        isBusy.withLock { $0 = false }
        mesh.running.reload()
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        let last = server.received.suffix(2).map(\.text)
        #expect(last[0].contains("waits") && last[1].contains("meanwhile"), "\(last)")
    }

    /// Also when the next attempt is later.
    @Test func thatOneFailsIsSaidAfterAnHour() throws {
        let server = try LoopbackServer(status: 429, headers: "Retry-After: 10800\r\n")
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n")
        let passed = Monitor<Int64>(0)
        try mesh.start(clock: {
            let time = passed.withLock { $0 }
            return SendTime(at: WallClock.milliseconds() + time, uptime: MonotonicClock.milliseconds() + time)
        })
        func isSaid() throws -> Bool {
            try mesh.store.read { try $0.feed(after: 0, limit: 10) }.contains { $0.type == "target-failing" }
        }
        try mesh.tell("phone", "waits")
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.row.error?.contains("429") == true })
        #expect(try !isSaid() && mesh.running.progress(of: "phone")?.isFailing == false)
        passed.withLock { $0 = 3_600_000 }
        mesh.running.wake()
        #expect(try mesh.eventually(isSaid))
        // The feed has its row a moment before the report.
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.isFailing == true })
        #expect(server.received.count == 1)
    }
}
