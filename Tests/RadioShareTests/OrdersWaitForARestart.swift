import MeshModel
import MeshProtocol
import Platform
import RadioLink
import RadioSimulator
import Synchronization
import Testing

@testable import Gateway
@testable import RadioShare

/// A radio restarts after a change of its settings. What programs order meanwhile waits for it, in its order, also when the
/// program has left at once, as command lines do. Reading and texts go on.
@Suite struct OrdersWaitForARestart {
    private func setOwner(_ name: String) -> [UInt8] {
        let name = Array(name.utf8)
        return [0x82, 2, UInt8(name.count + 2), 0x12, UInt8(name.count)] + name
    }

    /// Its settings were changed, and it has left.
    private func restart(_ house: SharedHouse, by app: App) throws {
        app.administer(0x10, setOwner("First"), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0x10) == RoutingError.none } })
        house.simulated.unplug()
        try #require(eventually { !house.gateway.status(of: house.source).isConnected })
    }

    private func slow(_ options: inout SimulatorOptions) { options.timeScale = 0.2 }

    @Test func inTheirOrderAlsoWhenTheirClientHasGone() throws {
        let house = try SharedHouse([.admin], slow)
        let (stays, leaves) = (try house.connected(), try house.connected(from: 2))
        try restart(house, by: stays)
        let favourite = house.simulated.nodes[3].number
        let orders = [setOwner("Second"), [0xb8, 2] + varint(favourite.rawValue), setOwner("Third")]
        for (place, order) in orders.enumerated() {
            leaves.administer(PacketID(0x20 + place), order, at: house.number)
        }
        try leaves.settle()
        leaves.close()
        try #require(eventually { house.share.status[0].clients.count == 1 })
        stays.administer(0x30, setOwner("Fourth"), at: house.number)
        // A question and a text do not wait for that.
        stays.administer(0x31, [0x18, 1], at: house.number)
        stays.text(0x32, "meanwhile")
        _ = try #require(stays.wait { $0.contains { $0.admin(0x31) != nil } })
        _ = try #require(stays.wait { $0.contains { $0.status?.packetID == 0x32 } })
        #expect(!stays.frames.contains { $0.routing(0x30) != nil })
        try house.simulated.replug()
        _ = try #require(stays.wait { $0.contains { $0.routing(0x30) != nil } })
        #expect(stays.frames.compactMap { $0.routing(0x30) } == [.none], "\(house.logged)")
        // It was set to each name, one after the other.
        let written = house.tap.written.withLock { $0 }.compactMap { ClientPacket(inToRadio: $0)?.content?.payload }
        let names = ["First", "Second", "Third", "Fourth"].map { name in
            written.lastIndex { $0.starts(with: [0x82, 2]) && $0.contains(Array(name.utf8)) }
        }
        #expect(names.allSatisfy { $0 != nil } && names.compactMap(\.self) == names.compactMap(\.self).sorted())
        #expect(house.simulated.nodes[3].isFavorite)
        #expect(house.share.status[0].refusedPackets == 0)
    }

    @Test func afterAMinuteTheyAreRefusedInWords() throws {
        let leap = Mutex<MonotonicTime>(0)
        let house = try SharedHouse(
            [.admin], slow, monotonic: { MonotonicClock.nanoseconds() + leap.withLock { $0 } })
        let (stays, leaves) = (try house.connected(), try house.connected(from: 2))
        try restart(house, by: stays)
        leaves.administer(0x41, setOwner("Second"), at: house.number)
        try leaves.settle()
        leaves.close()
        stays.administer(0x42, setOwner("Third"), at: house.number)
        try stays.settle()
        #expect(!stays.frames.contains { $0.routing(0x42) != nil })
        leap.withLock { $0 = 61_000_000_000 }
        _ = try #require(stays.wait { $0.contains { $0.routing(0x42) == .noInterface } })
        let told = try #require(
            stays.wait { $0.contains { if case .clientNotification = $0.message { true } else { false } } })
        let words = told.compactMap { frame -> String? in
            if case .clientNotification(let notification) = frame.message { notification.message } else { nil }
        }
        #expect(words.contains { $0.contains("has not come back") })
        // So is what somebody left behind who is not there any more.
        let lines = house.logged.filter { $0.hasPrefix("notice") && $0.contains("has not come back") }
        #expect(lines.contains { $0.contains("127.0.0.2") } && lines.contains { $0.contains("127.0.0.1") })
        #expect(house.share.status[0].refusedPackets == 2)
        let written = house.tap.written.withLock { $0 }.compactMap { ClientPacket(inToRadio: $0)?.content?.payload }
        #expect(!written.contains { $0.contains(Array("Second".utf8)) || $0.contains(Array("Third".utf8)) })
    }

    /// Somebody has pulled the cable: nobody knows for how long.
    @Test func aRadioThatWasNotToldToRestartIsNotWaitedFor() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        house.simulated.unplug()
        try #require(eventually { !house.gateway.status(of: house.source).isConnected })
        app.administer(0x51, setOwner("Nobody"), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0x51) == .noInterface } })
    }
}
