import MeshModel
import MeshProtocol
import Synchronization
import Testing

@testable import Gateway
@testable import RadioShare

/// Less is allowed while it runs: a network that is admitted no more, a port with a lesser right, a port that is closed. Who may
/// no longer be there is gone at once, and everybody else notices nothing.
@Suite struct WhoMayNoLongerBeThereLeaves {
    @Test func ofANetwork() throws {
        let admitted = Mutex<Set<String>>(["127.0.0.1", "127.0.0.2"])
        let house = try SharedHouse([.admin, .read], admits: { address in admitted.withLock { $0.contains(address) } })
        let (stays, leaves) = (try house.connected(0), try house.connected(0, from: 2))
        admitted.withLock { $0 = ["127.0.0.1"] }
        house.share.narrow(to: [.admin, .read])
        #expect(leaves.waitForEnd() == .fin)
        try stays.settle()
        // It orders nothing any more, and does not come back.
        let back = try house.connect(0, from: 2)
        #expect(back.waitForEnd() == .fin && back.frames.isEmpty)
        #expect(house.share.status[0].clients.map(\.address) == ["127.0.0.1"])
    }

    @Test func ofARight() throws {
        let house = try SharedHouse([.admin, .read])
        let (admin, reader) = (try house.connected(0), try house.connected(1))
        // More is not given.
        house.share.narrow(to: [.send, .admin])
        #expect(admin.waitForEnd() == .fin)
        try reader.settle()
        #expect(house.share.status.map(\.right) == [.send, .read])
        // It comes back as somebody who may send.
        let sender = try house.connected(0)
        sender.administer(1, [0x82, 2, 3, 0x12, 1, 0x58], at: house.number)
        _ = try #require(sender.wait { $0.contains { $0.routing(1) == .notAuthorized } })
        sender.text(2, "hi")
        #expect(eventually { !house.written(2).isEmpty })
        // Nor is it given back.
        house.share.narrow(to: [.admin, .read])
        try sender.settle()
        #expect(house.share.status.map(\.right) == [.send, .read])
    }

    @Test func ofAPort() throws {
        let house = try SharedHouse([.send, .read, .send])
        let apps = try (0..<3).map { try house.connected($0) }
        let port = house.share.status[1].port
        house.share.narrow(to: [.send, nil, .send])
        #expect(apps[1].waitForEnd() == .fin)
        #expect(eventually { house.share.status.count == 2 && house.share.listeners.count == 2 })
        // Nobody listens there.
        #expect(eventually { (try? App(port: port)) == nil })
        for app in [apps[0], apps[2]] { try app.settle() }
        apps[2].text(7, "third")
        #expect(eventually { !house.written(7).isEmpty && house.share.status[1].sent == 1 })
        house.share.narrow(to: [nil, nil, .read])
        #expect(apps[0].waitForEnd() == .fin && apps[2].waitForEnd() == .fin)
        #expect(eventually { house.share.status.map(\.right) == [.read] })
        _ = try house.connected(0)
    }
}
