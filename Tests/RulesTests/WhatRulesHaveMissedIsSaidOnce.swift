import MeshModel
import Store
import Testing

@testable import Rules

/// Rules that are too far behind say it once in the log, and go on with the newest change.
@Suite struct WhatRulesHaveMissedIsSaidOnce {
    private static let rules = [
        "direct": "when = direct message", "silent": "when = node silent for 6h\nresolved = yes",
    ]
    private static let words = "rules have missed something"

    @Test func aHundredThousandChangesBeforeAStart() throws {
        let mesh = try StoredMesh(Self.rules)
        try mesh.hear(anna)
        try mesh.work()
        try mesh.write("lost", id: 1)
        try change(mesh)
        mesh.kill()
        try mesh.start()
        try check(mesh)
    }

    @Test func aHundredThousandChangesWhileTheyAreBusy() throws {
        let mesh = try StoredMesh(Self.rules)
        try mesh.hear(anna)
        try mesh.work()
        try mesh.write("lost", id: 1)
        try change(mesh)
        try mesh.work()
        try check(mesh)
    }

    private func change(_ mesh: StoredMesh) throws {
        for round in 0..<400 {
            try mesh.change { writer, source, now in
                for place in 0..<250 {
                    try writer.updateNode(NodeNumber(UInt32(0x2000_0000 + place)), in: source, at: now) {
                        $0.snr = Double(round)
                    }
                }
            }
        }
    }

    private func check(_ mesh: StoredMesh) throws {
        #expect(mesh.log.all.count { $0.hasPrefix(Self.words) } == 1, "\(mesh.log.all)")
        #expect(mesh.told == [])
        try mesh.write("heard", id: 2)
        try mesh.work()
        try mesh.pass(7 * hour)
        #expect(
            mesh.told == ["direct: Direct message from Anna", "silent: begins: Anna has been silent for 6 h"])
        #expect(try mesh.feed().first?.body == "heard")
        #expect(mesh.log.all.count { $0.hasPrefix(Self.words) } == 1)
    }
}
