import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// SerialReference 12.3: a client writes a section as a whole, without what it was not shown. The radio is given its
/// own section with what the client has changed.
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
        #expect(
            eventually { !places([0x88, 4, 1]).isEmpty && house.gateway.radios.all[0].administration.orders.isIdle })
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
        let number = varint(friend.rawValue)
        app.administer(0xd4, [0xb8, 2] + number, at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xd4) == RoutingError.none } })
        #expect(eventually { house.simulated.nodes.first { $0.number == friend }?.isFavorite == true })
    }

    // MARK: What was not shown

    private func order(_ field: [UInt8], _ content: [UInt8]) -> [UInt8] { field + length(content.count) + content }

    private func done(_ id: PacketID, _ order: [UInt8], _ app: App, _ house: SharedHouse) throws {
        app.administer(id, order, at: house.number)
        let answers = try #require(app.wait { $0.contains { $0.routing(id) != nil } }, "\(id)")
        try #require(answers.contains { $0.routing(id) == RoutingError.none }, "\(id) was not done")
    }

    /// The PIN of Bluetooth: blank in the handshake, it stays when something else is written, until another one is.
    @Test func aPINStaysThoughItWasNotShown() throws {
        // It restarts half a minute after a change, not between two.
        let house = try SharedHouse([.admin]) { $0.timeScale = 0.2 }
        let app = try house.connected()
        let pin = varint(SimulatedRadio.pins[0])
        let bluetooth = try shown(0x2a, 0x3a, app)
        #expect(bluetooth == [8, 1, 0x10, 1])
        // mode NO_PIN, and the PIN as an app has it that was shown none.
        try done(0xd5, setConfig([0x92, 2], 0x3a, [8, 1, 0x10, 2, 0x18, 0]), app, house)
        let written = { house.tap.written.withLock { $0 } }
        #expect(written().contains { $0.contains([0x3a, 8, 8, 1, 0x10, 2, 0x18] + pin) })
        try done(0xd6, setConfig([0x92, 2], 0x3a, [8, 1, 0x10, 2, 0x18] + varint(654_321)), app, house)
        #expect(written().contains { $0.contains([0x3a, 8, 8, 1, 0x10, 2, 0x18] + varint(654_321)) })
        house.expectNoSecrets()
    }

    /// And the screen's, with what the radio keeps of it.
    @Test func soDoesTheScreens() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        let frame = try #require(app.frames.map(\.raw).first { $0.starts(with: [0x8a, 1]) })
        let screen = Array(frame.dropFirst(3))
        #expect(screen == [8, 1, 0x10, 0x99, 1, 0x18, 30])
        // Another brightness.
        try done(0xd7, order([0xf2, 2], [8, 1, 0x10, 99, 0x18, 30]), app, house)
        let pin = varint(SimulatedRadio.pins[1])
        let isWritten = house.tap.written.withLock { written in
            written.contains { $0.contains([0xf2, 2, 10, 8, 1, 0x10, 99, 0x18, 30, 0x30] + pin) }
        }
        #expect(isWritten)
        house.expectNoSecrets()
    }

    /// A section that is written as it was shown is no order: nothing of it reaches the radio.
    @Test func whatIsUnchangedIsNoOrder() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        let before = house.tap.written.withLock { $0.count }
        let handshakes = house.simulated.completedHandshakes
        let sections: [(UInt8, UInt8)] = [
            (0x2a, 0x0a), (0x2a, 0x22), (0x2a, 0x32), (0x2a, 0x3a), (0x2a, 0x42), (0x4a, 0x0a),
        ]
        for (place, (variant, section)) in sections.enumerated() {
            let content = try shown(variant, section, app)
            try done(
                PacketID(0xe4 + place), setConfig(variant == 0x2a ? [0x92, 2] : [0x9a, 2], section, content), app, house
            )
        }
        try done(0xef, order([0xf2, 2], [8, 1, 0x10, 0x99, 1, 0x18, 30]), app, house)
        try app.settle()
        let written = house.tap.written.withLock { $0.dropFirst(before) }
        // The gateway itself sets the radio's clock (set_time_only, field 43), now and then.
        let orders = written.compactMap { ClientPacket(inToRadio: $0)?.content }.filter { $0.port == .admin }
        #expect(orders.allSatisfy { $0.payload.starts(with: [0xdd, 2]) }, "\(orders)")
        #expect(house.simulated.completedHandshakes == handshakes)
    }

    /// The old channel for administration can be switched off, not on.
    @Test func theOldAdminChannelIsNotSwitchedOn() throws {
        // It restarts half a minute after a change, not between two.
        let house = try SharedHouse([.admin]) { $0.timeScale = 0.2 }
        let app = try house.connected()
        let security = try shown(0x2a, 0x42, app)
        #expect(!security.contains([0x40, 1]))
        app.administer(0xf1, setConfig([0x92, 2], 0x42, security + [0x40, 1]), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xf1) == .notAuthorized } })
        #expect(!house.tap.written.withLock { $0.contains { $0.contains(security + [0x40, 1]) } })
        // Its owner has switched it on.
        let name = try #require(SettingsName("security"))
        let real = try house.gateway.settings(name, of: house.source)
        let on = try real.applying([("security.admin_channel_enabled", "true")])
        try house.gateway.radios.all[0].tell(.setSection(on), of: house.source)
        house.gateway.radios.all[0].readAgain()
        let isShown = eventually {
            guard let late = try? house.connected(), let shown = try? shown(0x2a, 0x42, late) else { return false }
            late.close()
            return shown.contains([0x40, 1])
        }
        #expect(isShown)
        let late = try house.connected()
        try done(0xf2, setConfig([0x92, 2], 0x42, shown(0x2a, 0x42, late)), late, house)
        try done(0xf3, setConfig([0x92, 2], 0x42, security), late, house)
        // The radio is read again meanwhile.
        let isOff = eventually {
            let real = try? house.gateway.settings(name, of: house.source)
            return real?["security.admin_channel_enabled"] == .flag(false)
        }
        #expect(isOff)
    }
}
