import Foundation
import MeshModel
import Platform
import Store
import Testing

@testable import RestAPI
@testable import Routes

/// What a client has read, muted or seen is committed together with others' marks, five times a second at most, and not at all when
/// it was so before.
@Suite struct MarksShareCommits {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, psk: [1])])
        try test.insert("to all", packetID: 9, at: TestGateway.now)
        try test.store.commit { _ = try $0.insert(Self.notification) }
        // The first use of a token is noted.
        _ = try test.get("/api/v1/me")
        test.store.settle(within: .max, always: true)
        return test
    }

    private static let uuid = "01234567-89ab-4def-8123-456789abcdef"

    private static let notification = FeedRow(
        uuid: uuid, at: TestGateway.now, in: nil, type: "test", title: "Test", body: "", needs: [])

    /// Each route, and what undoes it.
    private static let marks = [
        ("/api/v1/conversations/channel:0/mute", #"{"muted":true}"#),
        ("/api/v1/conversations/channel:0/mute", #"{"muted":false}"#),
        ("/api/v1/conversations/channel:0/mute", #"{"muted":true,"mutedUntil":4102444800000}"#),
        ("/api/v1/conversations/channel:0/read", "{}"), ("/api/v1/conversations/channel:0/unread", "{}"),
        ("/api/messages/mark-read", #"{"channelId":0}"#),
        ("/api/v1/notifications/ack", #"{"ids":["\#(uuid)","00000000-0000-4000-8000-000000000000"]}"#),
    ]

    @Test func whatChangesNothingIsNoCommit() throws {
        let test = try gateway()
        for (path, body) in Self.marks {
            let before = test.store.health.commits
            let first = try test.post(path, body)
            #expect(first.status == 200, "\(path) \(first.text)")
            let between = test.store.health.commits
            #expect(between == before + 1, "\(path) \(body)")
            let second = try test.post(path, body)
            #expect(second.status == 200)
            if !path.hasSuffix("mark-read") { #expect(second.text == first.text) }
            #expect(test.store.health.commits == between, "\(path) \(body)")
        }
        // Nor do ids that are none.
        let before = test.store.health.commits
        #expect(try test.post("/api/v1/notifications/ack", #"{"ids":["none"]}"#).status == 200)
        #expect(test.store.health.commits == before)
    }

    /// However fast a client is, and however slow the host.
    @Test func fiveASecondAtMost() throws {
        let test = try gateway()
        let (before, start) = (test.store.health.commits, MonotonicClock.nanoseconds())
        for number in 0..<15 {
            #expect(try test.post(Self.marks[0].0, #"{"muted":\#(number % 2 == 0)}"#).status == 200)
        }
        let allowed = 1 + (MonotonicClock.nanoseconds() - start) / SharedCommits.interval
        let commits = UInt64(test.store.health.commits - before)
        #expect(commits <= allowed && commits > 0)
    }

    @Test func thoseOfManyAreOne() throws {
        let test = try gateway()
        let tokens = try (0..<8).map { _ in try test.token([]) }
        // A slow machine may begin the threads one by one: then once more.
        var areShared = false
        for _ in 0..<20 where !areShared {
            for isMuted in [false, true] {
                let before = test.store.health.commits
                let threads = tokens.map { token in
                    Platform.Thread {
                        let answer = try? test.ask(
                            "POST", "/api/v1/conversations/channel:0/mute", as: token, #"{"muted":\#(isMuted)}"#)
                        #expect(answer?.status == 200)
                    }
                }
                for thread in threads { thread.join() }
                if isMuted { areShared = test.store.health.commits - before < 8 }
            }
        }
        #expect(areShared)
        for token in tokens {
            #expect(try test.ask("GET", "/api/v1/conversations/channel:0", as: token).data["muted"] as? Bool == true)
        }
    }

    /// While the disk is slow, on two connections: what was said last holds.
    @Test func theLastMarkCounts() throws {
        let test = try gateway()
        let mayGoOn = Monitor(false)
        let slow = Platform.Thread {
            try? test.store.commit { _ in mayGoOn.wait(until: nil) { mayGoOn, _ in mayGoOn ? () : nil } }
        }
        let answered = Monitor(0)
        func mark(_ isMuted: Bool) -> Platform.Thread {
            Platform.Thread {
                let answer = try? test.post(Self.marks[0].0, #"{"muted":\#(isMuted)}"#)
                #expect(answer?.status == 200)
                answered.notify { $0 += 1 }
            }
        }
        let first = mark(true)
        #expect(eventually { test.api.sharedCommits.pendingCount == 1 })
        let second = mark(false)
        #expect(eventually { test.api.sharedCommits.pendingCount == 2 || answered.withLock { $0 > 0 } })
        mayGoOn.notify { $0 = true }
        for thread in [slow, first, second] { thread.join() }
        #expect(try test.get("/api/v1/conversations/channel:0").data["muted"] as? Bool == false)
    }

    @Test func twoHundredAreAcknowledgedAtOnce() throws {
        let test = try gateway()
        func body(_ count: Int) -> String {
            "{\"ids\":[" + (0..<count).map { "\"id \($0)\"" }.joined(separator: ",") + "]}"
        }
        #expect(try test.post("/api/v1/notifications/ack", body(200)).status == 200)
        let refused = try test.post("/api/v1/notifications/ack", body(201))
        #expect(refused.status == 400 && refused.message == "ids must be 200 at most")
        // MeshMonitor's own takes a thousand.
        let messages = "{\"messageIds\":[" + (0..<1000).map { "\"\($0)\"" }.joined(separator: ",") + "]}"
        #expect(try test.post("/api/messages/mark-read", messages).status == 200)
    }
}
