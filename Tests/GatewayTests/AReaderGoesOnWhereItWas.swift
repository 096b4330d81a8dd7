import Foundation
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// An internal reader has a place in the database: it goes on there after a restart, is woken by what it asked for alone, and
/// costs nobody a commit.
@Suite struct AReaderGoesOnWhereItWas {
    private func texts(_ changes: [StoredChange], _ test: TestGateway) throws -> [String] {
        let source = try test.source
        return try test.store.read { reader in
            try changes.compactMap { change in
                guard case .message(let id, _) = change.what else { return nil }
                return try reader.message(id: id, in: source)?.text
            }
        }
    }

    @Test func afterAnOrderlyStop() throws {
        var runs: [TestGateway] = []
        for run in 1...3 as ClosedRange<PacketID> {
            let test = try TestGateway(folder: runs.first?.folder)
            runs.append(test)
            let toy = try ToyReader(test.gateway, kinds: [.message])
            try test.hear(.text("read \(run)", id: run * 10))
            let (changes, missed) = try toy.read()
            #expect(!missed)
            // What came when it had stopped reading comes first.
            #expect(try texts(changes, test) == (run == 1 ? [] : ["unread \(run - 1)"]) + ["read \(run)"])
            try test.hear(.text("unread \(run)", id: run * 10 + 1))
            test.stop()
        }
    }

    @Test func whatFollowsIsOneCommitWithItsPlace() throws {
        struct Refused: Error {}
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.message])
        try test.hear(.text("one", id: 1))
        let (changes, last) = try toy.step()
        #expect(changes.count == 1)
        let before = toy.reader.place
        #expect(throws: Refused.self) {
            try toy.reader.act(upTo: last) { writer in
                try writer.insert(Happening(.notice, at: noon, text: "undone"))
                throw Refused()
            }
        }
        #expect(toy.reader.place == before)
        #expect(try toy.reader.next() == .changes(changes, upTo: last), "what was not done is to be done")
        try toy.reader.act(upTo: last) { try $0.insert(Happening(.notice, at: noon, text: "done")) }
        let (cursor, notices) = try test.store.read { reader in
            (try reader.cursor("toy"), try reader.happenings().filter { $0.kind == .notice }.map(\.text))
        }
        #expect(cursor == last && toy.reader.place == last && notices == ["done"])
    }

    /// Somebody may still have the one before in hand.
    @Test func theNewestOfANameHasIt() throws {
        let test = try TestGateway()
        let old = try ToyReader(test.gateway, kinds: [.message])
        let before = try test.store.readCommitted { try $0.cursor("toy") }
        try test.hear(.text("one", id: 1))
        let last = try old.step().upTo
        let new = try ToyReader(test.gateway, kinds: [.message])
        old.reader.pass(last)
        old.reader.storePlace()
        try test.store.commit { _ in }
        let place = try test.store.readCommitted { try $0.cursor("toy") }
        #expect(place == before && new.reader.place == before && last != before)
    }

    /// What it did not ask for neither wakes it nor lets it fall behind, and costs no commit of its own.
    @Test func itIsWokenByItsKindsAlone() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.waypoint])
        #expect(try toy.read().changes.isEmpty)
        let (source, commits) = (try test.source, test.store.health.commits)
        // More than are kept.
        for round in 0..<30 as Range<Int64> {
            try test.store.commit { writer in
                for number in 0..<1_000 as Range<Int64> {
                    try writer.updateNode(NodeNumber(UInt32(round * 1_000 + number + 10)), in: source, at: noon) {
                        $0.longName = "x"
                    }
                }
            }
        }
        #expect(toy.wakes == 0)
        #expect(try toy.reader.place == test.store.read { try $0.newestChange() })
        #expect(try !toy.read().missed)
        // Each thousand its place is stored, with whatever is written next.
        try test.settle()
        #expect(try test.store.read { try $0.cursor("toy") } ?? 0 > toy.reader.place - 2_000)
        #expect(test.store.health.commits - commits < 70)
        try test.hear(.heard(.waypoint, Waypoint(id: 9, latitudeI: 1, longitudeI: 2, name: "hut").encoded(), id: 15))
        #expect(toy.wakes == 1)
        #expect(try toy.read().changes.map(\.what) == [.waypoint(9)])
    }

    /// One look is enough; but not when something of its kinds has come since.
    @Test func oneThatHasSeenEverythingIsMovedByOthers() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.waypoint])
        let source = try test.source
        func hearWaypoint(_ id: UInt32) throws {
            let waypoint = Waypoint(id: id, latitudeI: 1, longitudeI: 2, name: "hut")
            try test.hear(.heard(.waypoint, waypoint.encoded(), id: id + 100))
        }
        func changeNode(_ number: UInt32) throws {
            try test.store.commit { writer in
                try writer.updateNode(NodeNumber(number), in: source, at: noon) { $0.longName = "x" }
            }
        }
        try hearWaypoint(1)
        let first = try toy.step()
        #expect(first.changes.map(\.what) == [.waypoint(1)])
        toy.reader.pass(first.upTo)
        try changeNode(10)
        #expect(try toy.reader.place == test.store.read { try $0.newestChange() })
        try hearWaypoint(2)
        let second = try toy.step()
        try hearWaypoint(3)
        toy.reader.pass(second.upTo)
        try changeNode(11)
        #expect(toy.reader.place == second.upTo)
        #expect(try toy.step().changes.map(\.what) == [.waypoint(3)])
    }

    @Test func whatIsNoLongerKeptIsSaid() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.message])
        let (source, before) = (try test.source, toy.reader.place)
        try test.store.commit { writer in
            for id in 1...25_000 as ClosedRange<PacketID> {
                _ = try writer.insertMessage(
                    Message(
                        id: "", from: alice, to: .broadcast, text: "x", channel: 0, packetID: id, timestamp: noon,
                        createdAt: noon, updatedAt: noon), in: source)
            }
        }
        guard case .missed(let count, let from, let newest) = try toy.reader.next() else {
            Issue.record("all is kept")
            return
        }
        #expect(from == before && newest == before + 25_000)
        #expect((4_000...5_500).contains(count ?? 0))
        toy.reader.pass(newest)
        #expect(try toy.reader.next() == .changes([], upTo: newest))
    }

    /// Reading commits no group of changes, as a GET would.
    @Test func itCommitsNoGroup() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.message])
        // A group that waits for five seconds is committed by itself: when that happened meanwhile, it is tried again.
        for attempt in 0..<20 as Range<PacketID> {
            try test.hearUnstored(.packet(.heard(.telemetry, device(("batteryLevel", 42)), id: 13 + attempt)))
            let commits = test.store.health.commits
            for _ in 0..<100 { #expect(try toy.read().changes.isEmpty) }
            if test.store.health.commits == commits { return }
        }
        Issue.record("each time a group was committed")
    }

    @Test func whoIsForgottenLeavesNoRow() throws {
        let test = try TestGateway()
        do {
            let toy = try ToyReader(test.gateway)
            try test.gateway.forget(reader: "toy")
            try test.hear(.text("one", id: 1))
            _ = try toy.read()
        }
        try test.settle()
        #expect(try test.store.read { try $0.cursor("toy") } == nil)
        // The name can be used again, and begins at the newest change.
        let again = try ToyReader(test.gateway)
        #expect(try again.read().changes.isEmpty)
    }
}
