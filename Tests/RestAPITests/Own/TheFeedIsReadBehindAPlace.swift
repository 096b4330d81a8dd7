import Foundation
import JSON
import MeshModel
import Platform
import Synchronization
import Testing

@testable import RestAPI

@Suite struct TheFeedIsReadBehindAPlace {
    private let now = WallClock.milliseconds()

    @Test func withoutOneItIsADayOld() throws {
        let test = try TestGateway()
        for hours in [70, 25, 23, 1] as [Int64] { try test.tell("\(hours) h", at: now - hours * 3_600_000) }
        #expect(try test.feed().titles == ["23 h", "1 h"])
        #expect(try test.feed("?after=").titles == ["23 h", "1 h"])
        // A row that is not there is none.
        #expect(try test.feed("?after=0e9b1c1e-0000-4000-8000-000000000000").titles == ["23 h", "1 h"])
        #expect(
            try test.feed("?after=\(ISO8601.text(now - 72 * 3_600_000))").titles == ["70 h", "25 h", "23 h", "1 h"])
        #expect(try test.feed("?after=\(now - 24 * 3_600_000)").titles == ["23 h", "1 h"])
    }

    @Test func byIDInAnyLetterCaseAndByTime() throws {
        let test = try TestGateway()
        let rows = try ["a", "b", "c"].map { try test.tell($0, at: now - 5) }
        for (place, left) in [(0, ["b", "c"]), (1, ["c"]), (2, [])] {
            #expect(try test.feed("?after=\(rows[place].uuid)").titles == left)
            #expect(try test.feed("?after=\(rows[place].uuid.uppercased())").titles == left)
            #expect(try test.feed("?after=\(ISO8601.text(rows[place].createdAt))").titles == left)
        }
        #expect(try test.feed("?after=\(ISO8601.text(now + 3_600_000))").titles == ["a", "b", "c"], "of a wrong clock")
    }

    @Test func theLimitCountsWhatIsSeen() throws {
        let test = try TestGateway()
        for number in 0..<300 {
            try test.tell("\(number)", needs: [number % 100 == 99 ? .info : .message(channel: 3)], at: now - 1000)
        }
        let some = try test.token(["notifications:read", "info:read"])
        #expect(try test.feed("?limit=3", as: some).titles == ["99", "199", "299"])
        #expect(try test.feed("?limit=200", as: some).count == 3)
        #expect(try test.feed().count == 50 && test.feed("?limit=5000").count == 200)
        #expect(try test.feed("?limit=-1").count == 200 && test.feed("?limit=no").count == 50)
    }

    @Test(arguments: [
        "?after=yesterday", "?after=0e9b1c1e-0000-4000-8000-00000000000", "?after=2026-13-01T00:00:00.000Z",
        "?after=0e9b1c1e-0000-4000-8000-00000000000g",
    ]) func whatIsNoPlaceIsRefused(_ query: String) throws {
        let test = try TestGateway()
        let answer = try test.get("/api/v1/notifications\(query)")
        #expect(answer.status == 400 && answer.text.contains("created_at"), "\(answer.text)")
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"ids":"x"}"#, #"{"ids":[1]}"#, #"{"ids":[null]}"#, #"{"notification_ids":{}}"#,
    ]) func anAcknowledgementNamesRows(_ body: String) throws {
        let test = try TestGateway()
        #expect(try test.post("/api/v1/notifications/ack", body).status == 400)
    }

    @Test func nothingIsCommittedForIt() throws {
        let test = try TestGateway(groupInterval: 3_600_000_000_000)
        let id = test.id
        try test.tell("one")
        _ = try test.feed()
        try test.store.commit { _ in }
        let commits = test.store.health.commits
        for number in 0..<20 {
            test.store.enqueue(.grouped) { writer in
                try writer.updateNode(TestGateway.peer, in: id, at: TestGateway.now) { $0.snr = Double(number) }
            }
            #expect(try test.feed().count == 1)
        }
        #expect(test.store.health.commits == commits)
    }
}
