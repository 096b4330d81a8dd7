import MeshModel
import Testing

@testable import Store

/// A row of the feed has an id and a time that no other has, whatever the clock says, and belongs to the link of its radio.
@Suite struct WhatARuleTellsIsStoredOnce {
    private let folder = Folder.inMemory()

    private func row(_ title: String, at time: Int64, in source: SourceID? = nil, uuid: String? = nil) -> FeedRow {
        FeedRow(
            uuid: uuid ?? randomUUID(), at: time, in: source, type: "battery", title: title, body: "It says so.",
            needs: [.node(channel: 0)])
    }

    private func feed(_ store: Store, after time: Int64 = 0) throws -> [FeedRow] {
        try store.read { try $0.feed(after: time, limit: 100) }
    }

    @Test func everythingThatItSaysComesBack() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        var told = FeedRow(
            at: noon, in: source, type: "direct-message", title: "Anna", body: "hi \"you\"\n", needs: [],
            priority: .high,
            rule: "direct-message", episode: randomUUID(), state: .lasts, node: NodeNumber(0xA1B2_C3D4),
            messageID: "uuid_1_2", link: "#/x", conversation: .direct(NodeNumber(7)))
        told.needs = [
            .message(channel: -1), .message(channel: 101), .node(channel: nil), .node(channel: 3),
            .waypoint(channel: nil),
            .waypoint(channel: 2), .info,
        ]
        let sent = told
        let stored = try #require(try store.commit { try $0.insert(sent) })
        #expect(try feed(store) == [stored])
        told.id = stored.id
        #expect(stored == told && stored.id > 0)
        #expect(try store.read { try $0.feedRow(uuid: sent.uuid) } == stored)
        #expect(try store.read { try $0.feedRow(stored.id) } == stored)
    }

    @Test func aSecondTimeUnderItsIDNothingIsStored() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        let (told, other) = (row("one", at: noon, in: source, uuid: "a"), row("two", at: noon, in: source, uuid: "a"))
        #expect(try store.commit { try $0.insert(told) } != nil)
        #expect(try store.commit { try $0.insert(other) } == nil)
        #expect(try feed(store).map(\.title) == ["one"])
    }

    @Test func timesAreUniqueAndNeverGoBack() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        for (title, time) in [("a", noon), ("b", noon), ("c", noon - day), ("d", noon + 5), ("e", noon + 4)] {
            let told = row(title, at: time, in: source)
            try store.commit { try $0.insert(told) }
        }
        let times = try feed(store).map(\.createdAt)
        #expect(times == [noon, noon + 1, noon + 2, noon + 5, noon + 6])
        #expect(try feed(store, after: noon + 1).map(\.title) == ["c", "d", "e"])
    }

    @Test func itBelongsToTheLinkOfItsRadioAndWhatConcernsNoneToTheFirst() throws {
        let (store, first) = try Store.withSource(folder)
        defer { store.close() }
        let second = try store.commit { writer in
            var other = Source.example
            (other.uuid, other.deviceID) = ("other", "other")
            return try writer.insert(other)
        }
        let told = [row("early", at: noon, in: second), row("none", at: noon), row("later", at: noon, in: second)]
        try store.commit { writer in
            try writer.insert(told[0])
            for (source, name) in [(first, "live"), (second, "live"), (first, "lost")] {
                try writer.insert(Happening(.link, at: noon, source: source, name: name))
            }
            try writer.insert(told[1])
            try writer.insert(told[2])
        }
        let rows = try feed(store)
        #expect(rows.map(\.source) == [second, first, second])
        #expect(rows.map(\.session) == [0, 1, 2])
    }

    @Test func eachIsAChangeOfTheLog() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        store.observe { _ in }
        let told = row("one", at: noon, in: source)
        let stored = try #require(try store.commit { try $0.insert(told) })
        let changes = try store.read { try $0.changes(after: 0, kinds: [.notification]) }.changes
        #expect(changes.map(\.what) == [.notification(row: stored.id)] && changes.map(\.source) == [source])
    }

    @Test func eachTokenAcknowledgesForItself() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        let told = [row("one", at: noon, in: source), row("two", at: noon, in: source)]
        let rows = try store.commit { writer in try told.compactMap { try writer.insert($0) } }
        let revision = store.revision(.feed)
        try store.commit { try $0.acknowledge([told[1].uuid, "no such row"], by: 3) }
        #expect(store.revision(.feed) != revision)
        #expect(try store.read { try $0.acknowledged(rows, by: 3) } == [rows[1].id])
        #expect(try store.read { try $0.acknowledged(rows, by: 0) } == [])
        let seen = store.revision(.feed)
        try store.commit { try $0.acknowledge([told[1].uuid], by: 3) }
        #expect(store.revision(.feed) == seen, "what was acknowledged is no news")
    }
}
