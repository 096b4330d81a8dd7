import MeshModel
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
    #expect(sent.first { $0.row.rule == "quiet" }?.row.title == "Direct message from Anna")
    #expect(sent.first { $0.row.rule == "quiet" }?.row.body == "")
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

/// Their folder could not be read yet.
@Test func whatIsToldWhileNobodyKnowsTheTargetsWaits() throws {
    let mesh = try StoredMesh(["direct": "when = direct message\ntell = phone"], targets: nil)
    try mesh.write("x", id: 1)
    try mesh.work()
    #expect(try mesh.store.read { try $0.dispatches(of: "phone") }.count == 1)
}

@Test(arguments: ["waypoint", "waypoint within 10 km"]) func whatAWaypointIsCalledToo(_ when: String) throws {
    let mesh = try StoredMesh(
        [
            "quiet": "when = \(when)\ntell = phone", "loud": "when = \(when)\ntell = phone\ntext = yes",
            "named": "when = \(when)\ntell = phone\ntitle = A point of {node}",
        ],
        targets: ["phone"])
    try mesh.hear(anna)
    try mesh.change { writer, source, now in
        try writer.update(source) { $0.nodeNumber = ownNode }
        try writer.updateNode(ownNode, in: source, at: now) { ($0.latitude, $0.longitude) = (0, 0) }
        let point = Waypoint(id: 5, latitudeI: 0, longitudeI: 500_000, name: "geheim", description: "secret")
        try writer.upsertWaypoint(point, from: anna, channel: 0, in: source, at: now)
    }
    try mesh.work()
    let sent = try mesh.store.read { try $0.dispatches(of: "phone") }
    let words = Dictionary(uniqueKeysWithValues: sent.map { ($0.row.rule ?? "", [$0.row.title, $0.row.body]) })
    #expect(words["quiet"] == ["Anna shares a waypoint", ""])
    #expect(words["loud"] == ["Anna shares a waypoint: geheim", "secret"])
    #expect(words["named"] == ["A point of Anna", ""])
}
