import Foundation
import MeshModel
import Platform
import Synchronization
import Testing

@testable import RestAPI
@testable import Store

/// The disk takes nothing, and that is what there is to tell: it is in the feed and the stream at once, and stored under the
/// same id when the disk is back.
@Suite(.timeLimit(.minutes(5))) struct WhatIsToldWhileTheDiskFails {
    private let isFull = FullDisk()

    private final class FullDisk: Sendable {
        let value = Mutex(true)
    }

    /// What waits first makes the room when there is some.
    private func fill(_ test: TestGateway) throws {
        let id = test.id
        @Sendable func text(_ packetID: PacketID) -> Message {
            let now = TestGateway.now
            return Message(
                id: "", from: TestGateway.peer, to: .broadcast, text: String(repeating: "x", count: 5_000), channel: 0,
                packetID: packetID, timestamp: now, createdAt: now, updatedAt: now)
        }
        try test.store.commit { writer in
            let pages = try writer.connection.integer("PRAGMA page_count") ?? 0
            try writer.connection.execute("PRAGMA max_page_count = \(pages)")
        }
        #expect(throws: StoreError.self) { try test.store.commit { _ = try $0.insertMessage(text(98), in: id) } }
        #expect(test.store.health.failingSince != nil)
        test.store.enqueue(.immediate) { [isFull] writer in
            if !isFull.value.withLock({ $0 }) { try writer.connection.execute("PRAGMA max_page_count = 1000000") }
            _ = try writer.insertMessage(text(99), in: id)
        }
    }

    private func empty(_ test: TestGateway) {
        isFull.value.withLock { $0 = false }
        let end = MonotonicClock.nanoseconds() + 120_000_000_000
        while test.store.health.failingSince != nil, MonotonicClock.nanoseconds() < end {
            try? test.store.commit { _ in }
        }
        #expect(test.store.health.failingSince == nil)
    }

    private func row(_ title: String) -> FeedRow {
        FeedRow(
            at: WallClock.milliseconds(), in: nil, type: "storage-failing", title: title,
            body: String(repeating: "y", count: 3_000), needs: [.info])
    }

    @Test func itIsInFeedAndStreamOnceAndKeepsItsID() throws {
        let test = try TestGateway()
        try test.tell("before")
        let reader = try EventReader(test, "/api/v1/events?kinds=notification")
        _ = try reader.read()
        let withoutInfo = try test.token(["notifications:read", "nodes:read"])
        try fill(test)
        let version = { try test.get("/api/v1/ping").json["notification_version"] as? Int }
        let before = try version()
        let told = row("nothing can be stored")
        test.api.feed.tell(told)
        #expect(try version() != before)
        #expect(reader.woken.count > 0)
        let events = try reader.read()
        #expect(try events.map { try $0.json["id"] as? String } == [told.uuid])
        let rows = try test.feed()
        #expect(rows.titles == ["before", "nothing can be stored"])
        #expect(rows.last?["device_id"] as? String == test.uuid, "it concerns no radio: the first one's")
        #expect(try test.feed("?after=\(told.uuid)").isEmpty)
        #expect(try test.feed(as: withoutInfo).isEmpty)
        #expect(try EventReader(test, "/api/v1/events?kinds=notification").news().isEmpty, "a new one reads the feed")

        empty(test)
        try test.tell("behind it")
        let after = try test.feed()
        #expect(after.titles == ["before", "nothing can be stored", "behind it"])
        #expect(after.compactMap { $0["id"] as? String }[1] == told.uuid)
        #expect(try test.store.read { try $0.feed(after: 0, limit: 9) }.map(\.title) == after.titles)
        #expect(try reader.read().compactMap { try $0.json["title"] as? String } == ["behind it"])
    }

    @Test func twentyAreKept() throws {
        let test = try TestGateway()
        try fill(test)
        for number in 0..<30 { test.api.feed.tell(row("\(number)")) }
        #expect(try test.feed().titles == (10..<30).map { "\($0)" })
        let times = try test.feed().compactMap { $0["created_at"] as? String }
        #expect(times == Array(Set(times)).sorted() && times.count == 20)
        empty(test)
        try test.store.commit { _ in }
        #expect(try test.feed().titles == (0..<30).map { "\($0)" }, "all of them are stored")
    }
}
