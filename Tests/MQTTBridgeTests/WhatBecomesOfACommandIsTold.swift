import JSON
import MeshModel
import Testing

@testable import MQTTBridge
@testable import Store

/// Each way in which a text that Home Assistant has had sent may end.
@Suite struct WhatBecomesOfACommandIsTold {
    @Test(arguments: [
        (Delivery.State.accepted, Delivery.Cause?.none, "sent"), (.relayed, nil, "delivered"),
        (.confirmed, nil, "delivered"), (.failed, .noAnswer, "failed"), (.failed, .expired, "expired"),
    ]) func onceAndInItsWords(state: Delivery.State, cause: Delivery.Cause?, type: String) throws {
        let house = try HandledBridge { $0.takesCommands = true }
        defer { house.stop() }
        house.command(house.test.radio, "text_1", "hello")
        house.pass(1_000)
        #expect(house.outcomes.isEmpty)
        let (source, now) = (house.test.source, house.now.wall)
        let all = try house.test.store.readCommitted { try $0.messages(.init(source: source, limit: 10)) }
        let found = all.first { $0.isOwn }
        let own = try #require(found)
        for _ in 0..<2 {
            _ = try house.test.store.commit { writer in
                try writer.updateMessage(packetID: own.packetID, in: source, at: now) { message in
                    message.delivery?.state = state
                    message.delivery?.cause = cause
                }
            }
            house.pass(1_000)
        }
        #expect(house.outcomes.map(\.type) == [type])
        let told = try #require(house.outcomes.first)
        #expect(told["command"]?.string == "text_1")
        #expect((told["reason"]?.string?.isEmpty == false) == (state == .failed))
    }
}
