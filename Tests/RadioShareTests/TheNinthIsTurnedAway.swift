import Foundation
import MeshModel
import MeshProtocol
import Synchronization
import Testing

@testable import RadioShare

/// Eight clients are served. The next one, and an address that may not, is held for some seconds and then ended as a radio
/// ends a connection: with a FIN, also when nobody has read what it has said.
@Suite struct TheNinthIsTurnedAway {
    @Test func afterSomeSecondsAndWithoutAReset() throws {
        let house = try SharedHouse()
        let apps = try (0..<8).map { _ in try house.connected() }
        let ninth = try house.connect()
        ninth.send(bytes: [UInt8](repeating: 0xC3, count: 32))
        ninth.send(.wantConfig(1))
        #expect(eventually { house.share.status[0].refusedConnections == 1 })
        #expect(ninth.waitForEnd() == .fin && ninth.frames.isEmpty)
        let tenth = try house.connect()
        #expect(eventually { house.share.status[0].refusedConnections == 2 })
        #expect(house.logged.filter { $0.contains("may not connect") }.count == 1, "once a minute an address")
        // Where one leaves there is a place again.
        apps[0].close()
        #expect(eventually { house.share.status[0].clients.count == 7 })
        _ = try house.connected()
        for app in apps.dropFirst() { try app.settle() }
        tenth.close()
    }

    /// Its end and its return may be there at the same time, with something that it has said before.
    @Test func butNobodyWhoComesBackAtOnce() throws {
        let house = try SharedHouse()
        let apps = try (0..<7).map { _ in try house.connected() }
        var last = try house.connected()
        for _ in 0..<50 {
            last.send(.heartbeat(nonce: 0))
            last.close()
            last = try house.connected()
        }
        #expect(house.share.status[0].refusedConnections == 0)
        for app in apps { try app.settle() }
    }

    @Test func soIsAnAddressOutside() throws {
        let house = try SharedHouse([.send], admits: { _ in false })
        let app = try house.connect()
        app.send(.wantConfig(1))
        #expect(app.waitForEnd() == .fin && app.frames.isEmpty)
        #expect(house.share.status[0].refusedConnections == 1 && house.share.status[0].clients.isEmpty)
        #expect(house.logged.contains { $0.contains("127.0.0.1 may not connect") })
    }

    /// 100 at once that nobody serves: those who are served notice nothing.
    @Test func aFloodOfConnectionsIsBounded() throws {
        let isOpen = Mutex(true)
        let house = try SharedHouse([.send], admits: { _ in isOpen.withLock { $0 } })
        let app = try house.connected()
        isOpen.withLock { $0 = false }
        let flood = try (0..<100).map { _ in try house.connect() }
        try app.settle()
        #expect(eventually { house.share.status[0].refusedConnections == 100 })
        for one in flood.prefix(60) { #expect(one.waitForEnd() == .fin) }
        try app.settle()
    }
}
