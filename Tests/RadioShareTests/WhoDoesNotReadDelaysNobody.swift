import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import RadioShare

/// A client that never reads is cut when 64 KiB wait for it, and that is logged. The others hear everything, and what it
/// still says changes nothing of that.
@Suite struct WhoDoesNotReadDelaysNobody {
    @Test(arguments: [false, true]) func itIsCut(sendsHeartbeats: Bool) throws {
        let house = try SharedHouse()
        let others = try (0..<2).map { _ in try house.connected() }
        let stuck = try house.connect(receiveBuffer: 4096, reads: false)
        stuck.send(.wantConfig(1))
        #expect(eventually { house.share.status[0].clients.count == 3 })
        let friend = house.simulated.nodes[0].number
        var count = 0
        // 200 bytes each: 64 KiB and what both kernels keep, twice.
        let text = String(repeating: "x", count: 180)
        let isCut = eventually(seconds: 120) {
            for _ in 0..<20 {
                _ = house.simulated.sendText(from: friend, text)
                count += 1
            }
            if sendsHeartbeats { stuck.send(.heartbeat(nonce: 0)) }
            _ = others[0].wait { $0.count { $0.packet != nil } >= count }
            return house.share.status[0].clients.count == 2
        }
        #expect(isCut && count < 2000, "\(count) texts")
        for other in others {
            let frames = try #require(other.wait { $0.count { $0.packet != nil } >= count })
            #expect(frames.count { $0.packet != nil } == count)
        }
        #expect(house.logged.contains { $0.contains("does not read") })
    }
}
