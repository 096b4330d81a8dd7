import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// While a program edits, what others wrote would be saved only when that one commits, and a commit of theirs would end its
/// edit. So nobody else writes.
@Suite struct AnOpenEditIsItsOwners {
    private func writes(_ house: SharedHouse) -> Int {
        // begin, commit, set_owner, set_channel, set_config, set_module_config
        let orders: [[UInt8]] = [[0x80, 4], [0x88, 4], [0x82, 2], [0x8a, 2], [0x92, 2], [0x9a, 2]]
        return house.tap.written.withLock { $0 }.count { frame in
            guard let payload = ClientPacket(inToRadio: frame)?.content?.payload else { return false }
            return orders.contains { payload.starts(with: $0) }
        }
    }

    @Test(arguments: [1, 2]) func nothingIsWrittenMeanwhile(_ sections: Int) throws {
        let house = try SharedHouse([.admin]) { $0.timeScale = 0.2 }
        let app = try house.connected()
        app.administer(0x81, [0x80, 4, 1], at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0x81) == RoutingError.none } })
        let before = writes(house)
        let changes = Array([("lora.hop_limit", "5"), ("mqtt.root", "msh/x")].prefix(sections))
        let owner = Sender(.share, "127.0.0.1")
        #expect(throws: RadioRefusal.editIsOpen(by: owner)) {
            try house.gateway.change(changes, isPreview: false, of: house.source)
        }
        #expect(writes(house) == before)
        app.administer(0x82, [0x88, 4, 1], at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0x82) == RoutingError.none } })
        let change = try house.gateway.change(changes, isPreview: false, of: house.source)
        #expect(change.isApplied && change.rows.allSatisfy { $0.taken == $0.new })
    }
}
