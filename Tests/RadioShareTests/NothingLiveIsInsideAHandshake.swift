import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import RadioShare

/// A client reads a handshake as slowly as it likes: what happens meanwhile is not in it, and comes to no other client later.
@Suite struct NothingLiveIsInsideAHandshake {
    @Test func howeverSlowlyItIsRead() throws {
        let house = try SharedHouse { $0.nodes = 600 }
        let other = try house.connected()
        // Reads nothing for now: some 100 kB do not fit into what the two kernels keep.
        let port = house.share.status[0].port
        let slow = try App(port: port, receiveBuffer: 4096, reads: false)
        slow.send(.wantConfig(7))
        slow.text(0x41, "meanwhile")
        _ = try #require(other.wait { $0.contains { $0.packet?.id == 0x41 } })
        let friend = house.simulated.nodes[0].number
        let ids = (0..<50).map { house.simulated.sendText(from: friend, "text \($0)") }
        _ = try #require(other.wait { $0.contains { $0.packet?.id == ids[49] } })
        slow.startReading()
        let frames = try #require(slow.wait { $0.contains { $0.message == .configComplete(7) } })
        let end = try #require(frames.firstIndex { $0.message == .configComplete(7) })
        #expect(frames[..<end].allSatisfy { $0.packet == nil && $0.status == nil })
        #expect(frames[..<end].count { $0.node != nil } == 601)
        // What it has asked meanwhile is answered behind.
        let all = try #require(slow.wait { $0.contains { $0.status?.packetID == 0x41 } })
        #expect(all.count { $0.status?.packetID == 0x41 } == 1)
        let last = house.simulated.sendText(from: friend, "the end")
        let live = try #require(slow.wait { $0.contains { $0.packet?.id == last } })
        #expect(!live.contains { $0.packet.map { ids.contains($0.id) } ?? false })
    }
}
