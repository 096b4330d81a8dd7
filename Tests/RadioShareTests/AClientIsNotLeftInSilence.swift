import MeshModel
import MeshProtocol
import Testing

@testable import RadioShare

/// Some clients leave when nothing has come for a minute. So something does, whatever the mesh says; and who takes nothing,
/// or says nothing from the start, does not keep a place for ever. Here a second is a few milliseconds.
@Suite struct AClientIsNotLeftInSilence {
    private let soon = ShareTimes(silence: 200_000_000, stall: .max / 2, patience: .max / 2)

    @Test func somethingIsSaidToWhoListens() throws {
        let house = try SharedHouse(times: soon)
        let (app, mute) = (try house.connected(), try house.connect())
        let frames = try #require(app.wait { $0.count { $0.status?.packetID == 0 } >= 4 })
        // About no packet in particular, and with room: it releases who waits for it.
        #expect(frames.compactMap(\.status).allSatisfy { $0.packetID == 0 && $0.free == 16 && $0.result == 0 })
        #expect(mute.frames.isEmpty)
    }

    @Test func whoSaysNothingGoes() throws {
        let house = try SharedHouse(times: ShareTimes(patience: 200_000_000))
        let app = try house.connect()
        #expect(app.waitForEnd() == .fin)
        #expect(eventually { house.logged.contains { $0.contains("says nothing") } })
    }

    /// Half a handshake is too little to be cut for, and nothing to wait for.
    @Test func whoTakesNothingGoes() throws {
        let house = try SharedHouse(times: ShareTimes(stall: 300_000_000)) { $0.nodes = 1000 }
        let stuck = try App(port: house.share.status[0].port, receiveBuffer: 4096, reads: false)
        stuck.send(.wantConfig(1))
        #expect(eventually { house.logged.contains { $0.contains("has stopped reading") } })
        #expect(eventually { house.share.status[0].clients.isEmpty })
    }
}
