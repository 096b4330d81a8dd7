import Store
import Testing

@testable import Rules

/// Targets are strangers' servers: they get a message's text when its rule says so, and rules only tell targets that there are.
@Test func whatPeopleWroteStaysAtHome() throws {
    let mesh = try StoredMesh(
        [
            "quiet": "when = direct message\ntell = phone\ntell = nobody",
            "loud": "when = direct message\ntell = phone\ntext = yes",
        ],
        targets: ["phone"])
    try mesh.write("geheim", id: 1)
    try mesh.work()
    let sent = try mesh.store.read { try $0.dispatches(of: "phone") }
    #expect(sent.count == 2)
    #expect(sent.first { $0.row.rule == "quiet" }?.row.body == "A message from Anna")
    #expect(sent.first { $0.row.rule == "loud" }?.row.body == "geheim")
    let feed = try mesh.feed()
    #expect(feed.allSatisfy { $0.body == "geheim" })
    #expect(try mesh.store.read { try $0.dispatches(of: "nobody") }.isEmpty)
    #expect(Set(sent.map(\.uuid)) == Set(feed.map(\.uuid)))
    #expect(mesh.woken.all.count == 1)
}

@Test func withoutATargetNoRowWaits() throws {
    let mesh = try StoredMesh(["direct": "when = direct message\ntell = phone"])
    try mesh.write("x", id: 1)
    try mesh.work()
    let feed = try mesh.feed()
    #expect(feed.count == 1)
    #expect(try mesh.store.read { try $0.dispatches(of: "phone") }.isEmpty)
}
