import MeshModel
import Store
import Testing

@testable import Rules

/// A week of a mesh with a hundred nodes, which the rules of `rule add health` watch: 15 routers, 40 nodes at home, 25 that people
/// carry and switch off at night, 15 that are heard now and then, and 12 passers-by a day. A village of 20 is dark for two days, two
/// nodes restart again and again, six others once. Each node reports once an hour.
@Suite struct AWeekOfAHundredNodesIsQuiet {
    private static let day = 24 * hour
    private static let days = 0..<7 as Range<Int64>
    private static let village = 20
    /// Hours of the week, which begins at noon.
    private static let darkness = (3 * 24 + 14)..<(5 * 24 + 14) as Range<Int64>

    private enum Kind { case router, home, carried, rare, passing }

    private let mesh = FakeMesh()

    private static func number(_ kind: Kind, _ place: Int) -> NodeNumber {
        let base: UInt32 =
            switch kind {
            case .router: 0x1000
            case .home: 0x2000
            case .carried: 0x3000
            case .rare: 0x4000
            case .passing: 0x5000
            }
        return NodeNumber(base + UInt32(place))
    }

    /// When a node was heard last before it was silent for a day, in host milliseconds.
    private struct Outage: Hashable {
        let node: NodeNumber
        let since: Int64
    }

    @Test func atMostFiveADayAndEveryOutage() throws {
        try mesh.use(Dictionary(uniqueKeysWithValues: ExampleRule.health.map { ($0.name, $0.text()) }))
        try mesh.start()
        for (kind, count) in [(Kind.router, 15), (.home, 40), (.carried, 25), (.rare, 15)] {
            for place in 0..<count {
                try mesh.hear(Self.number(kind, place)) { $0.createdAt = noon - 30 * Self.day }
            }
        }
        var heard: [NodeNumber: Int64] = [:]
        var outages: Set<Outage> = []
        for time in 0..<(7 * 24) as Range<Int64> {
            try mesh.pass(noon + time * hour + 5 * minute - mesh.now.at)
            for (number, level, uptime) in Self.reports(time) {
                if let before = heard[number], mesh.now.at - before > Self.day {
                    outages.insert(Outage(node: number, since: before))
                }
                heard[number] = mesh.now.at
                try mesh.hear(number)
                try mesh.measure(number, ["batteryLevel": level, "uptimeSeconds": uptime])
            }
            try mesh.measure(ownNode, ["channelUtilization": Self.use(time)])
        }
        try mesh.pass(noon + 7 * Self.day - mesh.now.at)

        let told = mesh.log.filter { $0.fate == .told }
        for day in Self.days {
            let rows = told.filter { ($0.row.createdAt - noon) / Self.day == day }
            #expect(rows.count <= 5, "day \(day): \(rows.map { "\($0.row.rule ?? ""): \($0.row.title)" })")
        }
        #expect(outages.count(where: { $0.node.rawValue >> 12 == 2 }) == Self.village)
        // Each is told alone, or in one that counts it, within a day and a half.
        for outage in outages where outage.since + 36 * hour < mesh.now.at {
            let firing = try #require(
                mesh.log.first {
                    $0.row.rule == "health-silent" && $0.row.node == outage.node && $0.row.createdAt > outage.since
                }, "\(outage)")
            let first = told.first { $0.row.rule == "health-silent" && $0.row.createdAt >= firing.row.createdAt }
            let late = try #require(first).row.createdAt - outage.since
            #expect(late <= 36 * hour, "\(outage.node.id): \(late / minute) min")
        }
        // By rule, as counted by hand: below.
        let counts = Dictionary(grouping: told, by: { $0.row.rule ?? "" }).mapValues(\.count)
        #expect(counts.keys.sorted() == ["health-battery", "health-channel-use", "health-rebooted", "health-silent"])
        #expect(counts["health-channel-use"] == 2, "two evenings, and no single report")
        #expect((5...7).contains(counts["health-battery"] ?? 0) && (8...14).contains(counts["health-silent"] ?? 0))
        #expect((2...7).contains(counts["health-rebooted"] ?? 0))
        // Nobody is told of a passer-by, and a node that restarts all the time is one firing a day.
        #expect(!mesh.log.contains { ($0.row.node?.rawValue ?? 0) >> 12 == 5 })
        let loops = mesh.log.filter { $0.row.rule == "health-rebooted" && $0.row.node == Self.number(.home, 30) }
        #expect(loops.count == 2)
    }

    /// Who reports in an hour of the week: battery and uptime.
    private static func reports(_ time: Int64) -> [(NodeNumber, Double, Double)] {
        var found: [(NodeNumber, Double, Double)] = []
        let (day, clock) = ((time + 12) / 24, (time + 12) % 24)
        for place in 0..<15 { found.append((number(.router, place), 101, uptime(.router, place, time))) }
        for place in 0..<40 where place >= village || !darkness.contains(time) {
            found.append((number(.home, place), 95, uptime(.home, place, time)))
        }
        for place in 0..<25 where (7..<22).contains(clock) {
            // Every third day it is not charged.
            let isLow = (day + Int64(place)) % 3 == 0 && clock >= 18
            found.append((number(.carried, place), isLow ? 15 : 80, Double((clock - 6) * 3_600)))
        }
        for place in 0..<15 where time % Int64(29 + 3 * place) == Int64(place) {
            found.append((number(.rare, place), 60, Double((time + 1) * 3_600)))
        }
        for place in 0..<12 where (0..<2).contains(clock - Int64(place) - 8) {
            // It restarts while it passes by, and its battery is empty.
            found.append((number(.passing, Int(day) * 12 + place), 5, clock % 2 == 0 ? 60 : 30))
        }
        return found
    }

    /// Seconds. Two restart each hour for two days, six once.
    private static func uptime(_ kind: Kind, _ place: Int, _ time: Int64) -> Double {
        let isLooping = kind == .home && (place == 30 || place == 31) && (26..<74).contains(time)
        if isLooping { return Double(100 - time) }
        let restarts: [Int: Int64] = [2: 20, 4: 50, 6: 80, 8: 100, 10: 130, 12: 150]
        if kind == .router, let restart = restarts[place], time >= restart { return Double((time - restart) * 3_600) }
        return Double((time + 1_000) * 3_600)
    }

    /// Percent. Two evenings are busy for three hours; single reports are high elsewhere.
    private static func use(_ time: Int64) -> Double {
        if (30..<33).contains(time) || (102..<105).contains(time) { return 50 }
        return time % 11 == 0 ? 45 : 12
    }
}
