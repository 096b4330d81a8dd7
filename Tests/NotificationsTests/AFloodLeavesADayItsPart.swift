import MeshModel
import Store
import Testing

@testable import Notifications

private let second: Int64 = 1_000
private let hour: Int64 = 3_600_000
private let day: Int64 = 86_400_000
private let noon: Int64 = 1_760_000_000_000

/// Two days in virtual time with a notification every two seconds, and now and then an urgent one: in no hour and no day does the
/// phone get more than it may, each notification is told once, the urgent ones have their part, and no two hours pass in silence.
@Test(arguments: [
    Allowance.ofPhones, Allowance(perHour: 12, perDay: 40), Allowance(perHour: nil, perDay: 100), Allowance(perHour: 5),
])
func aFloodLeavesADayItsPart(allowance: Allowance) throws {
    var flood = try Flood(allowance)
    for tick in 0..<(2 * day / (2 * second)) {
        flood.pass(2 * second)
        flood.add(.ordinary)
        // Six a day.
        if tick % 7_200 == 3_600 { flood.add(.urgent) }
    }
    let ordinary = flood.sent.filter { $0.kind == .ordinary }
    let urgent = flood.sent.filter { $0.kind == .urgent }
    for (index, one) in flood.sent.enumerated() {
        let rest = flood.sent[index...]
        if let limit = allowance.perHour { #expect(rest.prefix { $0.at < one.at + hour }.count <= limit) }
        if let limit = allowance.perDay { #expect(rest.prefix { $0.at < one.at + day }.count <= limit) }
    }
    if let limit = allowance.perDay, let first = flood.sent.first {
        let ofDay = ordinary.prefix { $0.at < first.at + day }.count
        #expect(ofDay <= limit - limit * 3 / 20 && ofDay > limit / 2, "\(ofDay)")
    }
    #expect(urgent.count == 12 && urgent.allSatisfy { $0.waited < 2 * second }, "\(urgent)")
    #expect(ordinary.reduce(0) { $0 + $1.parts } + flood.waiting == flood.added)
    let pauses = zip(ordinary, ordinary.dropFirst()).map { $1.at - $0.at }
    #expect(pauses.max()! <= allowance.summaryInterval + 10 * second, "\(pauses.max()! / 60_000) minutes")
}

/// A phone whose store is a list, and which takes everything.
private struct Flood {
    struct Sent {
        let at: Int64
        let kind: Allowance.Kind
        /// How many it tells of.
        let parts: Int
        let waited: Int64
    }

    private struct Row {
        var dispatch: Dispatch
        let kind: Allowance.Kind
    }

    private var now = SendTime(at: noon, uptime: 0)
    private var queue: SendQueue
    private var rows: [Int64: Row] = [:]
    private(set) var sent: [Sent] = []
    private var next: Int64 = 0
    private(set) var added = 0

    init(_ allowance: Allowance) throws {
        var target = Target("phone", .ntfy(token: nil), try WebAddress("https://example.org/topic"))
        target.allowance = allowance
        queue = SendQueue(at: now)
        _ = queue.use([target], kept: [], rows: [], at: now)
    }

    /// Those that are not told yet, but for urgent ones.
    var waiting: Int { rows.values.filter { $0.kind == .ordinary }.reduce(0) { $0 + parts($1.dispatch) } }

    private func parts(_ dispatch: Dispatch) -> Int { dispatch.contents.reduce(0) { $0 + $1.count } }

    mutating func pass(_ time: Int64) {
        (now.at, now.uptime) = (now.at + time, now.uptime + time)
        work()
    }

    mutating func add(_ kind: Allowance.Kind) {
        next += 1
        if kind == .ordinary { added += 1 }
        var dispatch = Dispatch(
            to: "phone", at: now.at,
            FeedRow(uuid: "\(next)", at: now.at, in: nil, type: "new-node", title: "x", body: "", needs: [], rule: "r"))
        dispatch.id = next
        rows[next] = Row(dispatch: dispatch, kind: kind)
        queue.add(
            .init(
                id: next, target: "phone", at: now.at, uuid: "\(next)", type: "new-node",
                priority: kind == .urgent ? .high : nil), isOfBefore: false, at: now)
        work()
    }

    private mutating func work() {
        while let step = queue.step(at: now) {
            switch step {
            case .send(_, let id):
                let row = rows.removeValue(forKey: id)!
                sent.append(
                    Sent(at: now.uptime, kind: row.kind, parts: parts(row.dispatch), waited: now.at - row.dispatch.at))
                _ = queue.answered("phone", id, .arrived, at: now, jitter: 1)
            case .fold:
                fold(keeping: 5)
                queue.folded(sorted, of: "phone", at: now)
            case .release:
                fold(keeping: 0)
                queue.released(sorted, of: "phone", at: now)
            case .call, .giveUp: Issue.record("\(step)")
            }
        }
    }

    private var sorted: [Dispatch] { rows.values.map(\.dispatch).sorted { $0.id < $1.id } }

    private mutating func fold(keeping kept: Int) {
        let folded = sorted.dropLast(kept)
        guard folded.count > 1, let last = folded.last else { return }
        for row in folded { rows[row.id] = nil }
        var summary = Dispatch(
            to: "phone", at: folded[0].at, FeedRow(at: now.at, in: nil, type: "summary", title: "", body: "", needs: [])
        )
        (summary.id, summary.counts) = (last.id, [DispatchCount(rule: "r", count: folded.map(parts).reduce(0, +))])
        rows[last.id] = Row(dispatch: summary, kind: .ordinary)
    }
}
