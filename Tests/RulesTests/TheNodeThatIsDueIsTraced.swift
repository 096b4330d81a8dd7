import Gateway
import MeshModel
import Testing

@testable import Rules
@testable import Store

/// `of = due`: who was asked never or longest ago comes first; who has answered has a day, who has not three hours.
@Suite struct TheNodeThatIsDueIsTraced {
    private static let rule = "when = at */30 * * * *\nask = traceroute\nof = due"

    private func planned(_ mesh: StoredMesh, _ text: String = rule) throws -> NodeNumber? {
        let rule = try #require(RuleFile(text, name: "trace", path: "").rule)
        let (now, source) = (mesh.now, mesh.source)
        let telling = Telling(nil, .gateway, .init(source: .gateway))
        let act = try #require(Act(rule, telling, key: "at 1", at: now.at, now: now))
        return try mesh.store.readCommitted { reader in
            let planner = ActPlanner(
                reader: reader, facts: StoreFacts(reader, nil),
                radio: { $0 == source ? ActRadio(ownNode, nil, isTransmitDisabled: false) : nil }, now: now, began: 0,
                version: "", zone: LocalZone { _ in 0 })
            guard case .ask(.traceroute, let node, channel: nil)? = try planner.plan(act)?.requests.first else {
                return nil
            }
            return node
        }
    }

    private func know(_ mesh: StoredMesh, _ number: NodeNumber, heardBefore time: Int64, askedBefore: Int64? = nil)
        throws
    {
        try mesh.change { writer, source, now in
            try writer.updateNode(number, in: source, at: now) { node in
                (node.longName, node.lastHeard) = (number.id, (now - time) / 1_000)
                node.lastTracerouteRequest = askedBefore.map { now - $0 }
            }
        }
    }

    @Test func inItsOrder() throws {
        let mesh = try StoredMesh([:], beginLater: true)
        try know(mesh, anna, heardBefore: hour, askedBefore: 5 * hour)
        try know(mesh, bob, heardBefore: hour, askedBefore: 4 * hour)
        #expect(try planned(mesh) == anna)
        let carol = NodeNumber(0xCA40_0001)
        try know(mesh, carol, heardBefore: hour)
        #expect(try planned(mesh) == carol)
        // Heard too long ago.
        try know(mesh, carol, heardBefore: 25 * hour)
        #expect(try planned(mesh) == anna)
        // Asked too short a time ago.
        try know(mesh, anna, heardBefore: hour, askedBefore: 3 * hour - 1)
        #expect(try planned(mesh) == bob)
        try know(mesh, anna, heardBefore: hour, askedBefore: 3 * hour)
        try know(mesh, bob, heardBefore: hour, askedBefore: hour)
        #expect(try planned(mesh) == anna)
        // It answered.
        try mesh.change { writer, source, now in
            try writer.insertTraceroute(
                from: ownNode, to: anna, packetID: 7, route: nil, in: source, at: now - 4 * hour)
            try writer.connection.prepare("UPDATE traceroutes SET answered_at = ?").bind(now - 4 * hour).run()
        }
        #expect(try planned(mesh) == nil)
        // What the rule's conditions leave out.
        try know(mesh, bob, heardBefore: hour, askedBefore: 4 * hour)
        #expect(try planned(mesh) == bob)
        #expect(try planned(mesh, Self.rule + "\nnode = not \(bob.id)") == nil)
    }
}
