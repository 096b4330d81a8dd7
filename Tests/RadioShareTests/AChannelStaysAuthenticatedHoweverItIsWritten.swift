import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// `use_aead` (8) left out would switch the authentication of a channel off, and `99` stands for what nobody knows yet: both stay
/// in the radio on every way on which a channel is written.
@Suite struct AChannelStaysAuthenticatedHoweverItIsWritten {
    private static let psk = [UInt8](0x10..<0x20)
    /// settings { psk, name "Hikers", 8: 1, 99: 7 }
    private static let settings: [UInt8] =
        [0x12, 16] + psk + [0x1a, 6] + Array("Hikers".utf8) + [0x40, 1, 0x98, 6, 7]

    /// Channel 1, as it is in a radio of firmware 2.8.1.
    private static let authenticated = [0x08, 1, 0x12, UInt8(settings.count)] + settings + [0x18, 2]

    private func house() throws -> SharedHouse {
        let house = try SharedHouse([.admin]) { options in
            options.channels = [Channel(index: 0, role: .primary, psk: [1])]
        }
        let app = try house.connected()
        app.administer(0xa0, [0x8a, 2, UInt8(Self.authenticated.count)] + Self.authenticated, at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xa0) == RoutingError.none } })
        app.close()
        let channel = try #require(try channels(house).first { $0.channel.index == 1 })
        #expect(channel.channel.usesAEAD)
        return house
    }

    /// What the radio answers once it is there again: after a change its settings are read anew.
    private func answered<Answer>(_ ask: () throws -> Answer) throws -> Answer {
        var answer: Answer?
        _ = eventually {
            answer = try? ask()
            return answer != nil
        }
        return try answer ?? ask()
    }

    private func channels(_ house: SharedHouse) throws -> [RadioChannel] {
        try answered { try house.gateway.radios.all[0].channels(of: house.source) }
    }

    private func take(
        _ channels: [Channel], _ house: SharedHouse, replaces: Bool, isPreview: Bool = false
    ) throws -> ChannelPlan {
        let link = ChannelLink(entries: channels.map { RadioChannel($0) })
        return try answered {
            try house.gateway.importChannels(of: link, replaces: replaces, isPreview: isPreview, of: house.source)
        }
    }

    /// What the radio has in this slot.
    private func slot(_ index: Int, _ house: SharedHouse) throws -> RadioChannel {
        try #require(try channels(house).first { $0.channel.index == index })
    }

    private let primary = Channel(index: 0, role: .primary, psk: [1])
    private let old = Channel(index: 1, role: .secondary, name: "Hikers", psk: psk)

    /// An app of before, which was shown the channel and writes it with another setting.
    @Test func byAClientThatDoesNotKnowIt() throws {
        let house = try house()
        let app = try house.connected()
        // settings { psk, name, uplink_enabled }
        let wanted: [UInt8] = [0x12, 16] + Self.psk + [0x1a, 6] + Array("Hikers".utf8) + [0x28, 1]
        let channel = [0x08, 1, 0x12, UInt8(wanted.count)] + wanted + [0x18, 2]
        app.administer(0xa1, [0x8a, 2, UInt8(channel.count)] + channel, at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xa1) == RoutingError.none } })
        let now = try slot(1, house)
        #expect(now.channel.usesAEAD && now.channel.uplinkEnabled)
        #expect(now.saysMore(than: RadioChannel(now.channel)), "99 is still there")
    }

    /// A client that gives the slot to another channel gets what it writes.
    @Test func butAnotherChannelIsAnotherOne() throws {
        let house = try house()
        let app = try house.connected()
        let wanted: [UInt8] = [0x12, 16] + Self.psk.map { $0 + 1 } + [0x1a, 5] + Array("Boats".utf8)
        let channel = [0x08, 1, 0x12, UInt8(wanted.count)] + wanted + [0x18, 2]
        app.administer(0xa2, [0x8a, 2, UInt8(channel.count)] + channel, at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xa2) == RoutingError.none } })
        #expect(try !slot(1, house).channel.usesAEAD)
    }

    @Test func byALinkThatReplacesWithoutKnowingIt() throws {
        let house = try house()
        var muted = old
        muted.isMuted = true
        let plan = try take([primary, muted], house, replaces: true)
        #expect(plan.isApplied)
        let now = try slot(1, house)
        #expect(now.channel.usesAEAD && now.channel.isMuted)
        #expect(now.saysMore(than: RadioChannel(now.channel)), "99 is still there")
        // And what is the same is not written at all.
        let again = try take([primary, muted], house, replaces: true, isPreview: true)
        #expect(again.slots.allSatisfy { !$0.isChange })
    }

    /// Whoever names it anywhere means it everywhere.
    @Test func exceptByALinkThatKnowsIt() throws {
        let house = try house()
        var boats = Channel(index: 2, role: .secondary, name: "Boats", psk: Self.psk)
        boats.usesAEAD = true
        _ = try take([primary, old, boats], house, replaces: true)
        #expect(try !slot(1, house).channel.usesAEAD)
        #expect(try slot(2, house).channel.usesAEAD)
    }

    /// On the air it is another channel than one with the same name and key that is not authenticated.
    @Test func itsTwinIsAddedBesideIt() throws {
        let house = try house()
        let plan = try take([primary, old], house, replaces: false)
        #expect(plan.known.map(\.index) == [0])
        #expect(try slot(1, house).channel.usesAEAD)
        let twin = try slot(2, house).channel
        #expect(!twin.usesAEAD && twin.name == "Hikers" && twin.psk == Self.psk)
        // And the other way round.
        var authenticated = old
        authenticated.usesAEAD = true
        let known = try take([primary, authenticated], house, replaces: false, isPreview: true)
        #expect(known.changesNothing && known.known.count == 2)
        // Its row says so.
        let source = house.source
        let stored = try house.store.read { try $0.channels(in: source) }
        #expect(stored.filter(\.usesAEAD).map(\.index) == [1])
        // And who is given a link has it.
        let shared = try answered { try house.gateway.channelLink(all: true, of: house.source) }
        #expect(try ChannelLink(parsing: shared.text).channels.map(\.usesAEAD) == [false, true, false])
    }
}
