import MeshModel
import Testing

@testable import Store

/// What happens again and again must not fill the disk: beyond sixty rows an hour and source there is one row for each subject,
/// with a count and with the state at its end.
@Suite struct WhatFlapsIsOneRowWithACount {
    private let folder = Folder.inMemory()

    private func rows(_ store: Store) throws -> [Happening] { try store.read { try $0.happenings(limit: .max) } }

    @Test func sixtyThousandProblemsInAnHour() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        store.observe { _ in }
        let start = noon / hour * hour
        try store.commit { writer in
            for number in 0..<60_000 as Range<Int64> {
                let kind = number % 2 == 0 ? Happening.Kind.problem : .solved
                let name = number % 7 < 5 ? "queue-full" : "region-unset"
                try writer.insert(
                    Happening(kind, at: start + number * 60, source: source, sequence: UInt64(number + 1), name: name))
            }
        }
        let found = try rows(store)
        #expect(found.count == 62)
        let counting = found.filter { $0.count != nil }
        #expect(Set(counting.compactMap(\.name)) == ["queue-full", "region-unset"])
        #expect(counting.compactMap(\.count).reduce(0, +) == 60_000 - 60)
        // The last of each stands in its row.
        let last = counting.max { $0.at < $1.at }
        #expect(last?.sequence == 60_000 && last?.kind == .solved)
        #expect(counting.allSatisfy { $0.since ?? .max < $0.at })
        // Nobody is told sixty thousand times.
        #expect(try store.read { try $0.changes(after: 0, kinds: [.happened]) }.changes.count == found.count)
        try store.commit { try $0.insert(Happening(.problem, at: start + hour, source: source, name: "queue-full")) }
        #expect(try rows(store).last?.count == nil, "the next hour begins with rows again")
    }

    @Test func anotherRunCountsOn() throws {
        let start = noon / hour * hour
        for run in 0..<3 as Range<Int64> {
            let store = try Store(path: folder.database)
            defer { store.close() }
            let source = try store.commit { try $0.sources().first?.id ?? $0.insert(.example) }
            for number in 0..<50 as Range<Int64> {
                try store.commit { writer in
                    try writer.insert(Happening(.link, at: start + run * 1_000 + number, source: source, name: "lost"))
                }
            }
            // Another source, and the gateway itself, count for themselves.
            try store.commit { try $0.insert(Happening(.started, at: start + run * 1_000 + 500)) }
            let found = try rows(store)
            #expect(found.count { $0.source == source } == min(50 * Int(run + 1), 61))
            #expect(found.count { $0.source == .gateway && $0.count == nil } == Int(run + 1))
        }
        let store = try Store(path: folder.database)
        defer { store.close() }
        #expect(try rows(store).compactMap(\.count) == [90])
    }

    /// A change that is undone counts nothing.
    @Test func onlyWhatIsStoredCounts() throws {
        struct Refused: Error {}
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        for number in 0..<100 as Range<Int64> {
            try? store.commit { writer in
                try writer.insert(Happening(.notice, at: noon + number, source: source, text: "\(number)"))
                if number % 2 == 0 { throw Refused() }
            }
        }
        #expect(try rows(store).count == 50 && rows(store).allSatisfy { $0.count == nil })
    }

    /// What a clock says that was set back by a year is stored as it is, and counted in its own hour.
    @Test func aClockThatIsSetBack() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        let lastYear = noon - 365 * day
        try store.commit { writer in
            for time in [noon, lastYear, noon + 1] {
                for _ in 0..<70 { try writer.insert(Happening(.notice, at: time, source: source)) }
            }
        }
        let found = try rows(store)
        #expect(found.count { $0.at / hour == lastYear / hour } == 61)
        #expect(found.count { $0.at / hour == noon / hour } == 61)
        #expect(found.compactMap(\.count).sorted() == [10, 80])
    }
}
