import Gateway
import MeshModel
import Testing

@testable import Rules
@testable import Store

/// Between firing and leaving, channels move and are renamed, keys come into doubt, and the radio goes.
@Suite struct AnActGoesWhereItsChannelIsNow {
    private let mesh: StoredMesh

    init() throws {
        mesh = try StoredMesh([:], beginLater: true)
        try mesh.hear(anna)
        try name(["LongFast", "Hikers"])
    }

    /// The radio has these channels, and no others.
    private func name(_ names: [String]) throws {
        try mesh.change { writer, source, now in
            let channels = (0..<8).map { index in
                let isThere = index < names.count
                let role: Channel.Role = index == 0 ? .primary : isThere ? .secondary : .disabled
                return Channel(index: index, role: role, name: isThere ? names[index] : "", psk: [1])
            }
            try writer.updateChannels(channels, in: source, at: now)
        }
    }

    /// The act of a text that has come on this channel; -1: to the radio.
    private func act(_ text: String, on channel: Int, encrypted: Bool = false) throws -> Act {
        let file = RuleFile(text, name: "rule", path: "rule.conf")
        let rule = try #require(file.rule, "\(file.mistakes)")
        var message = Message(
            id: "x_\(anna.rawValue)_7", from: anna, to: channel < 0 ? ownNode : .broadcast, text: "ping",
            channel: channel,
            packetID: 7, timestamp: mesh.now.at, createdAt: mesh.now.at, updatedAt: mesh.now.at)
        message.pkiEncrypted = encrypted
        var telling = Telling(nil, .node(anna), .init(source: mesh.source))
        (telling.message, telling.channelName) = (message, channel < 0 ? nil : ["LongFast", "Hikers"][channel])
        return try #require(Act(rule, telling, key: "message 7", at: mesh.now.at, now: mesh.now))
    }

    private func plan(_ act: Act, _ radio: ActRadio? = ActRadio(ownNode, nil, isTransmitDisabled: false)) throws
        -> ActPlan
    {
        let now = mesh.now
        return try mesh.store.readCommitted { reader in
            let planner = ActPlanner(
                reader: reader, facts: StoreFacts(reader, nil), radio: { _ in radio }, now: now, began: 0, version: "",
                zone: LocalZone { _ in 0 })
            return try #require(try planner.plan(act))
        }
    }

    private let reply = "when = message\nphrase = ping\nreply = heard"

    @Test func aChannelThatHasMovedIsFoundByItsName() throws {
        let act = try act(reply, on: 1)
        #expect(try plan(act).texts.map(\.destination) == [.channel(1)])
        try name(["LongFast", "Other", "Hikers"])
        #expect(try plan(act).texts.map(\.destination) == [.channel(2)])
        try name(["LongFast", "Walkers"])
        #expect(throws: Skipped.noChannel) { try plan(act) }
        try name(["LongFast"])
        #expect(throws: Skipped.noChannel) { try plan(act) }
    }

    @Test func aReplyRefersToItsText() throws {
        let plan = try plan(try act(reply + "\nreact = 👍", on: 1))
        #expect(plan.texts.map(\.replyID) == [7, 7] && plan.texts.map(\.isTapback) == [false, true])
        #expect(plan.claim.nodes == [anna] && plan.claim.channels.map(\.channel) == [1] && !plan.claim.isElsewhere)
        let direct = try self.plan(try act(reply + "\nreply-by = direct", on: 1))
        #expect(direct.texts.map(\.destination) == [.node(anna)] && direct.texts.map(\.replyID) == [7])
    }

    @Test func whatIsPassedOnRefersToNothing() throws {
        let own = try plan(try act("when = message\nphrase = ping\nsend = on\nto = Hikers", on: 1))
        #expect(own.texts.map(\.replyID) == [7] && !own.claim.isElsewhere)
        let other = try plan(try act("when = message\nphrase = ping\nsend = on\nto = 0", on: 1))
        #expect(other.texts.map(\.replyID) == [nil] && other.claim.isElsewhere)
        let sender = try plan(try act("when = message\nphrase = ping\nsend = on\nto = sender", on: 1))
        #expect(sender.texts.map(\.destination) == [.node(anna)] && sender.claim.isElsewhere)
    }

    @Test func whatCameEncryptedIsAnsweredEncryptedOrNotAtAll() throws {
        let direct = "when = direct message\nreply = heard"
        #expect(throws: Skipped.unencrypted) { try plan(try act(direct, on: -1, encrypted: true)) }
        #expect(try plan(try act(direct, on: -1)).texts.count == 1)
        let key = try #require(PublicKey((0..<32).map { UInt8($0) }))
        try mesh.change { writer, source, now in
            try writer.updateNode(anna, in: source, at: now) { $0.publicKey = key }
        }
        #expect(try plan(try act(direct, on: -1, encrypted: true)).texts.count == 1)
        // A licensed radio encrypts nothing.
        try mesh.change { writer, source, now in
            try writer.updateNode(ownNode, in: source, at: now) { $0.isLicensed = true }
        }
        #expect(throws: Skipped.unencrypted) { try plan(try act(direct, on: -1, encrypted: true)) }
        #expect(try plan(try act(direct, on: -1)).texts.count == 1)
    }

    @Test func noRadioAndATransmitterThatIsOffSendNothing() throws {
        let act = try act(reply, on: 1)
        #expect(throws: Skipped.noRadio) { try plan(act, nil) }
        #expect(throws: Skipped.transmitterOff) { try plan(act, ActRadio(ownNode, nil, isTransmitDisabled: true)) }
    }

    @Test func theChannelsUseIsThatOfTheLastHalfHour() throws {
        try mesh.report(ownNode, "channelUtilization", 40)
        #expect(try plan(try act(reply, on: 1)).claim.channelUse == 40)
        try mesh.pass(1_800_001)
        #expect(try plan(try act(reply, on: 1)).claim.channelUse == nil)
    }
}
