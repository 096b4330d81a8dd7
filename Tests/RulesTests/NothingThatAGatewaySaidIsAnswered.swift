import MeshModel
import Store
import Testing

@testable import Rules

/// Never a loop: what follows from nothing that another gateway, or this one, may have said.
@Suite struct NothingThatAGatewaySaidIsAnswered {
    struct Row: Sendable, CustomTestStringConvertible {
        let what: String
        var origin = StoredChange.Origin.live
        var change: @Sendable (inout Message) -> Void = { _ in }
        var node: @Sendable (inout Node) -> Void = { _ in }
        /// Nil: it is acted on.
        let why: Unanswerable?

        var testDescription: String { what }
    }

    private static let rows = [
        Row(what: "a text", why: nil),
        Row(what: "a reply", change: { $0.replyID = 7 }, why: .reply),
        Row(what: "a reaction", change: { $0.isTapback = true }, why: .reaction),
        Row(what: "from a server", change: { $0.viaStoreForward = true }, why: .storeForward),
        Row(what: "out of the radio's queue", origin: .late, why: .old),
        Row(what: "a minute old", change: { $0.createdAt -= 60_001 }, why: .old),
        Row(what: "just not a minute old", change: { $0.createdAt -= 60_000 }, why: nil),
        Row(what: "of an ignored node", node: { $0.isIgnored = true }, why: .ignored),
        Row(what: "of a muted node", node: { $0.isMuted = true }, why: .muted),
    ]

    @Test(arguments: rows) func eachText(row: Row) throws {
        let mesh = FakeMesh()
        // Hears also reactions, and what muted nodes write.
        try mesh.use(["ack": "when = message\nwords = ping\ntapbacks = yes\nreply = heard"])
        try mesh.start()
        try mesh.hear(anna) { row.node(&$0) }
        try mesh.write("ping", id: 7, origin: row.origin) { row.change(&$0) }
        #expect(mesh.acts.count == (row.why == nil ? 1 : 0))
        // It tells nobody.
        #expect(mesh.firings.isEmpty)
        let misses = mesh.near.all(of: try #require(mesh.engine.rule("ack"))).map(\.condition)
        let isIgnored = row.why == .ignored
        #expect(misses == (isIgnored ? ["the node is ignored"] : row.why.map { [$0.words] } ?? []))
    }

    @Test func whatComesFromOurselvesIsNoEvent() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.use(["ack": "when = message\nwords = ping\nreply = heard ping"])
        try mesh.start([home, cabin])
        try mesh.write("ping", from: ownNode, id: 1) { $0.isOwn = true }
        // Our other radio has said it, and this one hears it.
        try mesh.write("ping", from: NodeNumber(ownNode.rawValue + 1), id: 2)
        // Somebody under our number.
        try mesh.write("ping", from: ownNode, id: 3) { $0.spoofSuspected = true }
        #expect(mesh.acts.isEmpty)
    }

    @Test func whatOnlyGetsReadableLaterIsNotAnswered() throws {
        let mesh = FakeMesh()
        try mesh.use(["ack": "when = message\nwords = ping\nreply = heard"])
        try mesh.start()
        for (id, origin) in [(1, .decryptedLater), (2, .replayed), (3, .corrected)]
            as [(PacketID, StoredChange.Origin)]
        { try mesh.write("ping", id: id, origin: origin) }
        #expect(mesh.acts.isEmpty)
    }

    /// Several radios hear one text.
    @Test func oneTextIsOneAct() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.use(["ack": "when = message\nwords = ping\nreply = heard"])
        try mesh.start([home, cabin])
        try mesh.write("ping", id: 7)
        try mesh.write("ping", id: 7, cabin)
        let keys = Set(mesh.acts.map(\.key))
        #expect(keys.count == 1)
    }

    @Test func aStateActsWhenItBegins() throws {
        let mesh = FakeMesh()
        try mesh.use(["flat": "when = battery below 20 %\nrepeat = 1h\nresolved = yes\nask = position"])
        try mesh.start()
        try mesh.measure(anna, ["batteryLevel": 50])
        try mesh.measure(anna, ["batteryLevel": 10])
        #expect(mesh.acts.map(\.node) == [anna])
        try mesh.pass(2 * hour)
        try mesh.measure(anna, ["batteryLevel": 90])
        #expect(mesh.acts.count == 1)
    }

    @Test func aNodeIsIntroducedOnce() throws {
        let mesh = FakeMesh()
        try mesh.use(["welcome": "when = node introduced\nonce = node\nsend = Welcome {node}\nto = 0"])
        try mesh.start()
        // One of the radio's list.
        try mesh.hear(bob, origin: .listed)
        #expect(mesh.acts.isEmpty)
        try mesh.hear(anna)
        try mesh.hear(anna) { $0.longName = "Anna II" }
        #expect(mesh.acts.map(\.node) == [anna])
    }
}
