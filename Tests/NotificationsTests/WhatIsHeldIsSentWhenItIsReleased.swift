import JSON
import MeshModel
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

/// What quiet hours hold is no work for a target until the rules release it, and goes with a target that is removed.
@Suite struct WhatIsHeldIsSentWhenItIsReleased {
    private func mesh(_ server: LoopbackServer) throws -> ToldMesh {
        let mesh = try ToldMesh()
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n")
        try mesh.start()
        return mesh
    }

    @Test func behindWhatWasToldMeanwhile() throws {
        let server = try LoopbackServer(status: 200)
        let mesh = try mesh(server)
        let morning = WallClock.milliseconds() + 3_600_000
        let uuid = try mesh.tell("phone", "held", until: morning)
        for number in 0..<25 {
            try mesh.tell("phone", "summed up \(number)", rule: "r\(number % 2)", until: morning + 1)
        }
        try mesh.tell("phone", "urgent")
        #expect(server.wait(for: 1))
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        // Another start finds nothing to send either.
        mesh.kill()
        try mesh.start()
        try mesh.tell("phone", "more")
        #expect(server.wait(for: 2))
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        let held = try mesh.store.read { try $0.heldDispatches() }
        #expect(held.map { $0.contents.map(\.count) } == [[1], [13, 12]])
        try mesh.store.commit { writer in
            for dispatch in held { try writer.holdDispatch(dispatch.id, until: nil, at: WallClock.milliseconds()) }
        }
        mesh.running.wake()
        #expect(server.wait(for: 4))
        let sent = try server.received.map { try #require(JSONValue($0.body)) }
        #expect(sent.map { $0["title"]?.string } == ["urgent", "more", "held", "25 notifications"])
        #expect(sent[2]["sequence_id"]?.string == uuid)
        let last = (20..<25).map { "summed up \($0)\n" }.joined()
        #expect(sent[3]["message"]?.string == last + "r0: 13, r1: 12. The feed has them.")
    }

    /// More than twenty that wait become a summary, of which it is no part.
    @Test func apartFromOtherSummaries() throws {
        let server = try LoopbackServer(status: 503)
        let mesh = try mesh(server)
        try mesh.tell("phone", "held", until: WallClock.milliseconds() + 3_600_000)
        for number in 0..<40 { try mesh.tell("phone", "\(number)") }
        try mesh.store.commit { try $0.foldDispatches(of: "phone", sparing: nil, at: WallClock.milliseconds()) }
        #expect(try mesh.store.read { try $0.heldDispatches() }.map(\.row.title) == ["held"])
    }

    @Test func orNeverWhenItsTargetIsGone() throws {
        let server = try LoopbackServer(status: 200)
        let mesh = try mesh(server)
        try mesh.tell("phone", "held", until: WallClock.milliseconds() + 3_600_000)
        try mesh.remove("phone.conf")
        mesh.running.reload()
        #expect(try mesh.eventually { try mesh.store.read { try $0.heldDispatches() }.isEmpty })
        #expect(server.received.isEmpty)
    }
}
