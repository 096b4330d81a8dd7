import Foundation
import Glibc
import MeshModel
import MeshProtocol
import Synchronization
import Testing

@testable import Gateway
@testable import Store

/// A reader meets a full disk as every writer does: nothing of what it did is there, the gateway says that the disk fails, and
/// as soon as it is well the reader is woken, and does it once.
@Suite struct AFullDiskMovesNoReader {
    /// More than the pages that are there hold.
    private let notice = Happening(.notice, at: noon, text: String(repeating: "x", count: 100_000))

    /// The file may not grow, as SQLite sees it (SQLITE_FULL).
    private func fillDisk(_ test: TestGateway) throws {
        try test.store.commit { writer in
            let pages = try writer.connection.integer("PRAGMA page_count") ?? 0
            try writer.connection.execute("PRAGMA max_page_count = \(pages)")
        }
    }

    private func makeSpace(_ writer: Writer) throws { try writer.connection.execute("PRAGMA max_page_count = 1000000") }

    private func rows(_ test: TestGateway, _ kind: Happening.Kind) throws -> [Happening] {
        try test.store.read { try $0.happenings(limit: .max) }.filter { $0.kind == kind }
    }

    @Test func whatItDoesIsDoneOnceThereIsSpace() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.message])
        let other = try ToyReader(test.gateway, named: "other", kinds: [.message])
        try test.hear(.text("one", id: 1))
        let (changes, last) = try toy.step()
        let (before, wakes) = (toy.reader.place, toy.wakes)
        #expect(changes.count == 1 && wakes == 1)
        try fillDisk(test)
        for _ in 0..<2 {
            let error = try #require(throws: StoreError.self) {
                try toy.reader.act(upTo: last) { [notice] in try $0.insert(notice) }
            }
            #expect(error.concernsStorage && test.store.health.lastError?.contains("full") == true)
        }
        #expect(test.store.health.failingSince != nil)
        #expect(try toy.reader.place == before && test.store.readCommitted { try $0.cursor("toy") } == before)
        #expect(try rows(test, .notice).isEmpty && toy.wakes == wakes, "there is no use in trying again")

        try test.store.commit { [self] in try makeSpace($0) }
        // Brings the row of what has happened to the disk.
        try test.settle()
        #expect(toy.wakes == wakes + 1, "it waits for a message, though the disk is well")
        #expect(other.wakes == wakes, "it had nothing to do")
        let (again, end) = try toy.step()
        #expect(again == changes && end > last)
        try toy.reader.act(upTo: end) { [notice] in try $0.insert(notice) }
        #expect(try rows(test, .notice).count == 1)
        #expect(try toy.reader.place == end && test.store.readCommitted { try $0.cursor("toy") } == end)
        // How long the disk was full is a row of the gateway's own.
        let disk = try #require(try rows(test, .disk).first)
        #expect(try disk.source == .gateway && disk.name == "disk-failing" && rows(test, .disk).count == 1)
        #expect(disk.text?.contains("full") == true && disk.since ?? .max <= disk.at)
    }

    /// A place from which nothing follows waits, as what the mesh repeats.
    @Test func itsPlaceIsStoredOnceThereIsSpace() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.message])
        let before = toy.reader.place
        try fillDisk(test)
        let isFull = Mutex(true)
        test.store.enqueue(
            .immediate,
            { [self] writer in
                if !isFull.withLock({ $0 }) { try makeSpace(writer) }
                try writer.insert(notice)
            })
        #expect(throws: StoreError.self) { try test.settle() }
        toy.reader.pass(before + ChangeReader.storedAfter)
        #expect(try test.store.readCommitted { try $0.cursor("toy") } == before)
        isFull.withLock { $0 = false }
        for _ in 0..<6_000 where test.store.health.failingSince != nil { usleep(10_000) }
        try test.settle()
        #expect(try test.store.readCommitted { try $0.cursor("toy") } == toy.reader.place)
        #expect(try toy.reader.place == before + ChangeReader.storedAfter && rows(test, .notice).count == 1)
    }
}
