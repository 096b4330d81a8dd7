import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// Another node's answer to who administers it holds secrets, and sets what an app believes of the radio: it goes to the one
/// who has asked, and nobody else hears of it.
@Suite struct WhatAFarNodeSaysToItsAdministratorIsHisAlone {
    @Test func whoeverElseIsThere() throws {
        let house = try SharedHouse([.admin, .send])
        let (asker, other, sender) = (try house.connected(0), try house.connected(0), try house.connected(1))
        let friend = house.simulated.nodes[0].number
        // get_owner_request; one who may only send uses the same number.
        asker.administer(0xe1, [0x18, 1], at: friend)
        _ = try #require(asker.wait { $0.contains { $0.status?.packetID == 0xe1 } })
        #expect(eventually { house.written(0xe1).count == 1 })
        sender.text(0xe1, "mine")
        let answer = MeshPacket(
            from: friend, to: house.number, id: 0xe2,
            payload: .decoded(
                MeshData(port: .admin, payload: [0x22, 5, 0x12, 3] + Array("Hut".utf8), requestID: 0xe1)),
            rxRSSI: -60, hopLimit: 3, hopStart: 3, pkiEncrypted: true, transport: .lora)
        house.simulated.inject(answer)
        let heard = try #require(asker.wait { $0.contains { $0.packet?.id == 0xe2 } })
        #expect(heard.first { $0.packet?.id == 0xe2 }?.admin(0xe1)?.starts(with: [0x22, 5, 0x12, 3]) == true)
        let last = house.simulated.sendText(from: friend, "later")
        for app in [other, sender] {
            let frames = try #require(app.wait { $0.contains { $0.packet?.id == last } })
            #expect(!frames.contains { $0.packet?.id == 0xe2 })
        }
        // Nor does anybody see what was asked.
        #expect(!other.frames.contains { $0.packet?.id == 0xe1 && $0.packet?.decoded?.port == .admin })
    }
}
