import Testing

@testable import MQTTBridge

@Suite struct ALifeFollowsTheGaps {
    private static let minute: Int64 = 60_000

    /// Reports so many minutes apart, the newest at 10,000,000 minutes.
    private func reports(_ gaps: [Int64]) -> [Int64] {
        gaps.reduce(into: [10_000_000 * Self.minute]) { $0.append($0.last! - $1 * Self.minute) }
    }

    private static let lives: [(gaps: [Int64], hours: Int64)] = [
        ([], 12), ([30, 30], 12), ([30, 30, 30], 2), ([40, 40, 40], 2), ([41, 41, 41], 6), ([120, 120, 120], 6),
        ([121, 121, 121], 12), ([480, 480, 480], 24), ([960, 960, 960], 48), ([5_000, 5_000, 5_000], 48),
        // The median: one silence among eight changes nothing.
        ([30, 30, 30, 6_000, 30, 30, 30], 2), ([30, 30, 200, 200], 6),
    ]

    @Test(arguments: lives)
    func hours(gaps: [Int64], expected: Int64) {
        #expect(Life.hours(for: reports(gaps)) == expected)
        #expect(Life.hours(for: reports(gaps).reversed()) == expected)
    }

    /// Only the last eight gaps count.
    @Test func oldGapsAreForgotten() {
        #expect(Life.hours(for: reports([Int64](repeating: 30, count: 8) + [Int64](repeating: 900, count: 30))) == 2)
    }

    @Test func theFirstChangeComesAtOnceAndOthersOnceADay() {
        var life = Life()
        let often = reports([30, 30, 30, 30]), seldom = reports([700, 700, 700, 700])
        let now: Int64 = 1_000_000_000_000
        let day = Life.pause
        func adapted(_ times: [Int64], at time: Int64) -> Int64? { life.adapt(to: times, at: time) ? life.hours : nil }
        #expect(adapted(often, at: now) == 2)
        #expect(adapted(seldom, at: now + day - 1) == nil && life.hours == 2)
        #expect(adapted(seldom, at: now + day) == 48)
        #expect(adapted(seldom, at: now + 10 * day) == nil)
        // The clock was set back by a year: that forbids nothing.
        #expect(adapted(often, at: now - 365 * day) == 2)
    }
}
