import JSON
import MeshModel
import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// A node goes while a command for it is on the way: Home Assistant could not know, and the gateway does.
@Suite struct ANodeThatGoesIsCommandedNoMore {
    private static let roof: UInt32 = 0x88
    private static let node = DeviceID.node(NodeNumber(roof))

    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// It is still a device, of which only what favourites have is gone.
        var staysShown = false
        let go: @Sendable (Writer, SourceID) throws -> Void
    }

    private static let ways = [
        Way(testDescription: "deleted") { _ = try $0.deleteNode(NodeNumber(roof), in: $1) },
        Way(testDescription: "ignored") { writer, source in
            try writer.updateNode(NodeNumber(roof), in: source, at: 2) { $0.isIgnored = true }
        },
        Way(testDescription: "no longer a favourite", staysShown: true) { writer, source in
            try writer.updateNode(NodeNumber(roof), in: source, at: 2) { $0.isFavorite = false }
        },
    ]

    @Test(arguments: ways) func andTheCommandIsRefused(way: Way) throws {
        let house = try HandledBridge { $0.takesCommands = true }
        defer { house.stop() }
        try house.test.hear(Self.roof, name: "Roof", isFavorite: true)
        for _ in 0..<5 { house.pass(2_000) }
        house.command(Self.node, "text", "are you there?")
        #expect(try house.own() == ["are you there?"])

        try house.test.store.commit { [source = house.test.source] in try way.go($0, source) }
        let before = try house.own()
        // The bridge has not looked since.
        for (key, payload) in [("text", "and now?"), ("traceroute", "PRESS"), ("position", "PRESS")] {
            house.command(Self.node, key, payload)
        }
        house.pass(1)
        #expect(try house.own() == before + (way.staysShown ? ["and now?"] : []))
        let refused = house.outcomes.filter { $0.type == "refused" }
        let wanted = (way.staysShown ? [] : ["text"]) + ["traceroute", "position"]
        #expect(refused.compactMap { $0["command"]?.string } == wanted, "\(refused)")
        #expect(refused.allSatisfy { $0["reason"]?.string == "there is no such entity" }, "\(refused)")
    }
}
