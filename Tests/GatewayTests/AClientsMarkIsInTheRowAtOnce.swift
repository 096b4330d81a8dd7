import Foundation
import MeshModel
import MeshProtocol
import Store
import Synchronization
import Testing

@testable import Gateway

/// What a client makes of a node is seen here as soon as the radio has done it, and not after its next handshake.
@Suite struct AClientsMarkIsInTheRowAtOnce {
    /// set_favorite_node, remove_favorite_node, set_ignored_node, remove_ignored_node, toggle_muted_node; whether the node is
    /// a favourite, ignored, muted then.
    private static let orders: [(UInt32, Bool, Bool, Bool)] = [
        (39, true, false, false), (40, false, false, false), (47, false, true, false), (48, false, false, false),
        (49, false, false, true), (49, false, false, false),
    ]

    private func tell(_ order: UInt32, _ answer: RoutingError, _ test: TestGateway) throws {
        var payload: [UInt8] = [UInt8(order << 3 & 0x7f | 0x80), UInt8(order >> 4)]
        var rest = alice.rawValue
        while rest >= 0x80 {
            payload.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        payload.append(UInt8(rest))
        let data = [8, 6, 18, UInt8(payload.count)] + payload
        let number = (0..<4).map { UInt8(truncatingIfNeeded: own.rawValue >> (8 * $0)) }
        let packet = try #require(ClientPacket([0x15] + number + [0x22, UInt8(data.count)] + data))
        let isDone = Mutex(false)
        let count = test.radio.received.count
        test.gateway.administer(
            packet, by: Sender(.share, "192.0.2.1"), right: .send, shown: nil, of: try test.source
        ) { _ in
            isDone.withLock { $0 = true }
        }
        let asked = try #require(test.radio.wait(for: count + 1).last)
        try test.hear(.report(answer, on: asked.id, from: own))
        let limit = Date(timeIntervalSinceNow: 120)
        while !isDone.withLock({ $0 }), limit.timeIntervalSinceNow > 0 { usleep(5_000) }
    }

    @Test func whateverItIs() throws {
        let test = try TestGateway()
        try test.hear(.text("hello"))
        test.radio.keepAdminPackets()
        for (order, isFavorite, isIgnored, isMuted) in Self.orders {
            try tell(order, .none, test)
            let node = try #require(try test.node(alice))
            #expect(
                [node.isFavorite, node.isIgnored, node.isMuted] == [isFavorite, isIgnored, isMuted], "\(order)")
        }
        // The radio was told by the client: nothing waits for it.
        #expect(try test.outbox().isEmpty)
    }

    @Test func unlessTheRadioRefuses() throws {
        let test = try TestGateway()
        try test.hear(.text("hello"))
        test.radio.keepAdminPackets()
        for order in [39, 47, 49] as [UInt32] { try tell(order, .badRequest, test) }
        let node = try #require(try test.node(alice))
        #expect(!node.isFavorite && !node.isIgnored && !node.isMuted)
    }

    /// What a client was shown of another radio is no measure for this one.
    @Test func andNothingIsComparedWithAnotherRadiosSettings() throws {
        let test = try TestGateway()
        test.radio.keepAdminPackets()
        // my_info, lora { hop_limit 3 }
        let frames: [[UInt8]] = [[0x1a, 2, 8, 9], [0x2a, 4, 0x32, 2, 0x40, 3]]
        let shown = try #require(RadioHandshake(generation: 1, frames: frames, missing: [])).shown()
        // set_config { lora { hop_limit 4 } }
        let data: [UInt8] = [8, 6, 18, 7, 0x92, 2, 4, 0x32, 2, 0x40, 4]
        let number = (0..<4).map { UInt8(truncatingIfNeeded: own.rawValue >> (8 * $0)) }
        let packet = try #require(ClientPacket([0x15] + number + [0x22, UInt8(data.count)] + data))
        let refusal = Mutex<RoutingError?>(nil)
        test.gateway.administer(
            packet, by: Sender(.share, "192.0.2.1"), right: .admin, shown: shown, of: try test.source
        ) { outcome in
            if case .refused(let error) = outcome { refusal.withLock { $0 = error } }
        }
        let limit = Date(timeIntervalSinceNow: 120)
        while refusal.withLock({ $0 }) == nil, limit.timeIntervalSinceNow > 0 { usleep(5_000) }
        #expect(refusal.withLock { $0 } == .badRequest)
        #expect(test.radio.received.isEmpty)
    }
}
