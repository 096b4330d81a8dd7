import Gateway
import Glibc
import Log
import MeshModel
import Platform
import Store
import Testing

@testable import RadioShare

/// A socket that cannot be accepted from says so to every poll(2): it is left alone for a second, instead of being asked for
/// ever.
@Suite struct AListenerThatFailsIsLeftAlone {
    @Test func forASecond() throws {
        let house = try SharedHouse(isAway: true)
        let inbox = try #require(ShareInbox())
        // A socket that does not listen.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        let port = SharedPort(address: "127.0.0.1")
        let board = ShareBoard([SharedPortStatus(address: "", port: 0, right: .send, source: nil)])
        let loop = ShareLoop(house.gateway, inbox, board, [(port, descriptor)], admits: { _ in true }, .silent)
        loop.acceptAll(0)
        let from = try #require(loop.acceptsFrom)
        #expect(from == loop.now + 1_000_000_000)
        loop.now = from
        loop.endHeld()
        #expect(loop.acceptsFrom == nil)
    }
}
