import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// Radio-sharing sheet 3: a client writes a section as a whole, without what it was not shown. The radio is given its own
/// section with what the client has changed.
@Suite struct AnAllowedChangeIsMerged {
    private func length(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [UInt8(count & 127) | 128, UInt8(count >> 7)]
    }

    private func setConfig(_ variant: [UInt8], _ section: UInt8, _ content: [UInt8]) -> [UInt8] {
        let inner = [section] + length(content.count) + content
        return variant + length(inner.count) + inner
    }

    /// The content of a section in a handshake.
    private func shown(_ variant: UInt8, _ section: UInt8, _ app: App) throws -> [UInt8] {
        let frame = try #require(app.frames.map(\.raw).first { $0.count > 4 && $0[0] == variant && $0[2] == section })
        return Array(frame.dropFirst(4))
    }

    @Test func theKeyAndWhatIsHiddenStay() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        // security: is_managed and another debug_log_api_enabled (6), as an app writes it that takes the flag for the radio's.
        let security = try shown(0x2a, 0x42, app)
        app.administer(0xd1, setConfig([0x92, 2], 0x42, security + [0x20, 1, 0x30, 1]), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xd1) == RoutingError.none } })
        let written = house.tap.written.withLock { $0 }
        let order = try #require(written.last { $0.contains([0x30, 1]) && $0.contains(house.simulated.privateKey) })
        #expect(!order.contains([0x20, 1, 0x30, 1]) && !order.contains([0x20, 1]))
        #expect(house.simulated.publicKey.bytes.count == 32)
        house.expectNoSecrets()
    }

    /// From one client at a time; another one is refused meanwhile, and free when the first has gone.
    @Test func editsAreOfOneClient() throws {
        let house = try SharedHouse([.admin])
        let (a, b) = (try house.connected(), try house.connected())
        let owner: [UInt8] = [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8)
        a.administer(0xd2, [0x80, 4, 1], at: house.number)
        _ = try #require(a.wait { $0.contains { $0.routing(0xd2) == RoutingError.none } })
        b.administer(0xd3, owner, at: house.number)
        _ = try #require(b.wait { $0.contains { $0.routing(0xd3) == .notAuthorized } })
        a.close()
        #expect(eventually { house.share.status[0].clients.count == 1 })
        // Its edit ends with it.
        let isTaken = eventually {
            let id = PacketID.random(in: 0x1000...0xFFFF)
            b.administer(id, owner, at: house.number)
            return b.wait { $0.contains { $0.routing(id) != nil } }?.contains { $0.routing(id) == RoutingError.none }
                == true
        }
        #expect(isTaken)
    }

    /// A command line closes behind its commit, and is gone before the radio has answered the first order. Its edit ends where
    /// it has said so, not before.
    @Test func anEditOfWhoHasGoneIsWhole() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        let owner: [UInt8] = [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8)
        app.administer(0xe1, [0x80, 4, 1], at: house.number)
        app.administer(0xe2, owner, at: house.number)
        app.administer(0xe3, [0x88, 4, 1], at: house.number)
        app.reset()
        let places = { (order: [UInt8]) in
            house.tap.written.withLock { $0 }.indices(where: { $0.contains(order) }).ranges.flatMap(\.self)
        }
        #expect(eventually { !places([0x88, 4, 1]).isEmpty && house.gateway.radios.all[0].orders.isIdle })
        let (begun, written, ended) = (places([0x80, 4, 1]), places([0x82, 2]), places([0x88, 4, 1]))
        #expect(begun.count == 1 && ended.count == 1)
        #expect(try #require(begun.first) < #require(written.last))
        #expect(try #require(written.last) < #require(ended.first))
    }

    /// Everyday things are for those who send.
    @Test func aFavouriteIsMadeByWhoSends() throws {
        let house = try SharedHouse([.send])
        let app = try house.connected()
        let friend = try #require(house.simulated.nodes.first { !$0.isFavorite }).number
        let number = Self.varint(friend.rawValue)
        app.administer(0xd4, [0xb8, 2] + number, at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xd4) == RoutingError.none } })
        #expect(eventually { house.simulated.nodes.first { $0.number == friend }?.isFavorite == true })
    }

    private static func varint(_ value: UInt32) -> [UInt8] {
        var (rest, bytes): (UInt32, [UInt8]) = (value, [])
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
