import Foundation
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// The host's clock shows a year ago from one moment to the next: what is known stays known, what is new is told once, and links
/// and places are those of the newest row, whatever its time.
@Suite struct AClockSetBackAYearFoolsNoReader {
    private let lastYear = noon - 365 * 86_400_000

    @Test func whatIsKnownIsNoNews() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway)
        let packets = { (id: PacketID) -> [FromRadio] in
            [
                .packet(.text("text \(id)", id: id)),
                .packet(.heard(.telemetry, device(("batteryLevel", Double(id))), id: id + 100)),
                .packet(.heard(.position, Position(latitudeI: Int32(id), longitudeI: 6).encoded(), id: id + 200)),
            ]
        }
        let kinds: Set<StoredChange.Kind> = [.message, .telemetry, .position]
        let news = { try toy.news().map(\.kind).filter(kinds.contains) }
        try test.hear(packets(1))
        #expect(try Set(news()) == kinds)
        test.setTime(lastYear)
        try test.hear(packets(1))
        #expect(try news().isEmpty)
        try test.hear(packets(2))
        #expect(try news().count == 3)
        try test.hear(packets(1) + packets(2))
        #expect(try news().isEmpty)
        // And back again. What was stored in between has the time of a year ago: only its text is known by more than its time.
        test.setTime(noon + 60_000)
        try test.hear(packets(1) + [packets(2)[0]])
        #expect(try news().isEmpty)
    }

    /// The hour since its place was stored last is over at once.
    @Test func aPlaceIsStored() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway, kinds: [.message])
        try test.hear(.text("one", id: 1))
        _ = try toy.read()
        let cursor = {
            try test.settle()
            return try test.store.readCommitted { try $0.cursor("toy") }
        }
        #expect(try cursor() ?? .max < toy.reader.place)
        test.setTime(lastYear)
        try test.hear(.text("two", id: 2))
        _ = try toy.read()
        #expect(try cursor() == toy.reader.place)
        // From then on it is an hour again.
        try test.hear(.text("three", id: 3))
        _ = try toy.read()
        #expect(try cursor() ?? .max < toy.reader.place)
        test.setTime(lastYear + 3_600_000)
        try test.hear(.text("four", id: 4))
        _ = try toy.read()
        #expect(try cursor() == toy.reader.place)
    }

    @Test func aLinkIsLiveByItsNewestRow() throws {
        let first = try TestGateway()
        let toy = try ToyReader(first.gateway)
        first.setTime(lastYear)
        first.radio.unplug()
        try first.waitForLoss()
        try first.settle()
        #expect(try first.store.read { try $0.liveLinks() }.isEmpty)
        first.radio.replug()
        try first.waitUntilLive(count: 2)
        try first.store.commit { [lastYear] in try $0.expire(at: lastYear) }
        let live = try first.store.read { try $0.liveLinks() }
        #expect(live.map(\.at) == [lastYear])
        let newest = try #require(live.first)
        #expect(try first.store.read { try $0.happenings(limit: .max) }.last == newest)
        _ = try toy.read()
        first.stop()
        // The next run goes on where this one was.
        let again = try TestGateway(at: lastYear + 60_000, folder: first.folder)
        let reader = try ToyReader(again.gateway)
        try again.hear(.text("new", id: 9))
        let (changes, missed) = try reader.read()
        #expect(!missed && changes.count { $0.kind == .message } == 1)
    }
}
