import MeshModel
import Store
import Testing

@testable import Notifications

private let second: Int64 = 1_000

/// 424: a service behind the Apprise server has failed, or it has none with this tag. Those that took it get it again with each
/// attempt, so it is not tried for a day.
@Suite struct AppriseIsTriedFiveTimesWhereAPartHasIt {
    private func attempts(
        fallback: String?, _ verdict: (Int) -> SendQueue.Verdict
    ) throws -> (seconds: [Int64], fates: [SendQueue.Fate], row: TargetRow) {
        var target = Target(
            "family", .apprise(urls: [], tag: "all"), try WebAddress("http://box:8000/notify/family"))
        target.fallback = fallback
        var now = SendTime(at: 1_760_000_000_000, uptime: 0)
        var queue = SendQueue(at: now)
        _ = queue.use([target], kept: [], rows: [], at: now)
        queue.add(.init(id: 1, target: "family", at: now.at, uuid: "1"), isOfBefore: false, at: now)
        var (seconds, fates): ([Int64], [SendQueue.Fate]) = ([], [])
        while seconds.count < 50 {
            while let step = queue.step(at: now) {
                #expect(step == .send(target: "family", id: 1))
                seconds.append(now.uptime / second)
                fates.append(queue.answered("family", 1, verdict(seconds.count), at: now, jitter: 1))
            }
            guard let deadline = queue.deadline(at: now) else { break }
            let time = max(1, deadline - now.uptime)
            (now.at, now.uptime) = (now.at + time, now.uptime + time)
        }
        return (seconds, fates, try #require(queue.lines["family"]).row)
    }

    @Test func thenItIsGivenUp() throws {
        let (seconds, fates, row) = try attempts(fallback: nil) { _ in .partly("424") }
        #expect(seconds == [0, 5, 35, 155, 755])
        #expect(fates == [.stays, .stays, .stays, .stays, .givenUp] && row.error == "424")
    }

    @Test func orItsFallbackGetsIt() throws {
        #expect(try attempts(fallback: "mail") { _ in .partly("424") }.fates.last == .moves(to: "mail"))
    }

    /// One that could not be reached in between is another matter.
    @Test func itMayStillArrive() throws {
        let (seconds, fates, row) = try attempts(fallback: nil) { attempt in
            attempt == 5
                ? .arrived : attempt == 2 ? .failed("no", retryAfter: nil, mayHaveArrived: false) : .partly("424")
        }
        #expect(seconds.count == 5 && fates.last == .gone && row.error == nil)
    }

    @Test func theWordsNameBothCauses() throws {
        let family = Target(
            "family", .apprise(urls: [], tag: "all"), try WebAddress("http://box:8000/notify/family"))
        let verdict = SendQueue.Verdict(.answered(status: 424, retryAfter: nil), of: family, at: 0)
        guard case .partly(let why) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(why == "box answered 424 (a service behind it has failed, or there is none with this tag)")
    }
}
