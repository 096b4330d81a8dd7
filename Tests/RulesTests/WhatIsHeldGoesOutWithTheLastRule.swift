import Foundation
import Gateway
import Platform
import RadioLink
import Testing

@testable import Rules
@testable import Store

/// Without rules nothing would release what quiet hours hold: it waits for its target from then on.
@Test func whatIsHeldGoesOutWithTheLastRule() throws {
    struct NoRadio: Error {}
    func eventually(_ isSo: () throws -> Bool) throws {
        for _ in 0..<6_000 where try !isSo() { usleep(50_000) }
        #expect(try isSo())
    }
    let (here, woken) = (try RulesHere(), Lines())
    let store = try Store(path: here.root + "/mesh.db")
    defer { store.close() }
    let gateway = try Gateway(store: store, logger: .silent) { delegate in
        RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
    }
    let rules = RunningRules(
        gateway, folder: here.folder, logger: .silent,
        targets: RuleTargets(names: { ["phone"] }, wake: { woken.add("") }))
    defer { rules.stop() }
    try here.write("night", "when = direct message\ntell = phone\nquiet = 22:00-07:00\n")
    rules.reload()
    try eventually { try store.read { try $0.cursor(WorkingRules.reader) != nil } }
    // Of a rule that is gone: at whatever time of the day this runs, it waits for its end.
    let now = WallClock.milliseconds()
    let row = FeedRow(at: now, in: nil, type: "direct-message", title: "x", body: "", needs: [.info], rule: "gone")
    try store.commit { writer in
        try writer.insert(row)
        try writer.insert(Dispatch(to: "phone", at: now, row, heldUntil: now + 4 * hour))
    }
    #expect(try store.read { try $0.waitingDispatches(after: 0) }.isEmpty)
    try here.remove("night")
    rules.reload()
    try eventually { try store.read { try $0.waitingDispatches(after: 0) }.map(\.uuid) == [row.uuid] }
    try eventually { woken.all.count == 1 }
}
