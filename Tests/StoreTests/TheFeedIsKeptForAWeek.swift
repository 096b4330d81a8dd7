import MeshModel
import Testing

@testable import Store

/// The feed ages, has a bound, and its times follow a clock that is set right.
@Suite struct TheFeedIsKeptForAWeek {
    private let folder = Folder.inMemory()

    private func tell(_ times: [Int64], _ store: Store, _ source: SourceID) throws {
        try store.commit { writer in
            for (number, time) in times.enumerated() {
                try writer.insert(
                    FeedRow(
                        at: time, in: source, type: "battery", title: "\(number)", body: "", needs: [.info],
                        messageID: "m\(number)"))
            }
        }
    }

    private func feed(_ store: Store) throws -> [FeedRow] { try store.read { try $0.feed(after: .min, limit: 20_000) } }

    private func expire(_ store: Store, at now: Int64) throws {
        try store.commit { writer in
            try writer.expireAll(at: now)
            while writer.pruning != nil { _ = try writer.prune() }
        }
    }

    @Test func whatIsOlderGoesButForTheNewestRow() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        try tell([noon - 9 * day, noon - 8 * day, noon - 6 * day, noon], store, source)
        let rows = try feed(store)
        try store.commit { try $0.acknowledge(rows.map(\.uuid), by: 1) }
        try expire(store, at: noon)
        #expect(try feed(store).map(\.title) == ["2", "3"])
        try expire(store, at: noon + 400 * day)
        #expect(try feed(store).map(\.title) == ["3"], "numbers and times go on behind it")
        #expect(
            try store.read { try $0.acknowledged(rows, by: 1) } == [rows[3].id], "what is gone keeps no acknowledgement"
        )
    }

    @Test func anotherTimeMayBeChosen() throws {
        let retention = Retention(telemetry: nil, positions: nil, packets: nil, messages: nil, feed: nil, size: nil)
        let (store, source) = try Store.withSource(folder, retention: retention)
        defer { store.close() }
        try tell([noon - 900 * day, noon], store, source)
        try expire(store, at: noon)
        #expect(try feed(store).count == 2)
    }

    @Test func tenThousandRowsAreAllThereIs() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        try tell((0..<10_050).map { noon + $0 }, store, source)
        let rows = try feed(store)
        #expect(rows.count == 10_000 && rows.first?.title == "50" && rows.last?.title == "10049")
    }

    @Test func whatWasToldIn1970IsGivenTheRightTimeInItsOrder() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        try tell([5_000, 5_000, 5_001, 70_000], store, source)
        try store.commit { try $0.clockWasSet(by: noon, at: 80_000) }
        #expect(try feed(store).map(\.createdAt) == [noon + 5_000, noon + 5_001, noon + 5_002, noon + 70_000])
        #expect(try feed(store).map(\.title) == ["0", "1", "2", "3"])
    }

    @Test func behindOlderRowsItStaysBehindThem() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        try tell([noon, 5_000, 6_000], store, source)
        #expect(try feed(store).map(\.createdAt) == [noon, noon + 1, noon + 2])
        try store.commit { try $0.clockWasSet(by: noon + 60_000 - 7_000, at: 7_000) }
        #expect(try feed(store).map(\.createdAt) == [noon, noon + 58_000, noon + 59_000])
    }

    @Test func aClockThatWasAheadForADayIsForgotten() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        try tell([noon - day, noon + 400 * day, noon + 400 * day, noon], store, source)
        try expire(store, at: noon + 10)
        #expect(try feed(store).map(\.createdAt) == [noon - day, noon + 10, noon + 11, noon + 12])
        try tell([noon + 20], store, source)
        #expect(try feed(store).last?.createdAt == noon + 20)
    }
}
