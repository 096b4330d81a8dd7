import Testing

@testable import Rules
@testable import Store

/// Also that of a rule that is gone, or that fires no more: others look after it.
@Test func aRulesLogEndsAfterNinetyDays() throws {
    let (empty, day) = (try EmptyStore(), 24 * hour)
    func fire(_ rule: String, at time: Int64) throws {
        let row = FeedRow(at: time, in: nil, type: "mention", title: "", body: "", needs: [.info], rule: rule)
        try empty.store.commit { try $0.store(RuleFiring(key: "\(time)", fate: .old, row: row)) }
    }
    func log(_ rule: String) throws -> [Int64] {
        try empty.store.read { try $0.firings(of: rule, limit: 10) }.map { ($0.row.createdAt - noon) / day }
    }
    for time in [0, 1, 5] as [Int64] { try fire("gone", at: noon + time * day) }
    try fire("other", at: noon + 90 * day)
    #expect(try log("gone") == [5, 1, 0])
    try fire("other", at: noon + 92 * day)
    #expect(try log("gone") == [5])
    try fire("other", at: noon + 183 * day)
    #expect(try log("gone") == [] && log("other") == [183])
}
