import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// Who watches the radio's frames sees a text once, and hears of it under the id that it had first, although the radio
/// dropped it and it went out again as another packet.
@Suite struct AMessageThatGoesOutAgainStaysOne {
    @Test func forThoseWhoWatchItsFrames() throws {
        let test = try TestGateway()
        let listener = test.gateway.frames(of: try test.source, kinds: [.packet, .own]) {}
        let first = try test.sendAndHand("hello").packetID
        try test.hear(.report(.rateLimitExceeded, on: first, from: own))
        let again = try #require(test.radio.wait(for: 2).last).id
        #expect(again != first)
        try test.hear(.report(.none, on: again, from: own))

        let frames = listener.take().frames
        let shown = frames.compactMap { frame -> PacketID? in
            if case .own(let packet, let sender) = frame.value, sender == .cli { packet.id } else { nil }
        }
        #expect(shown == [first])
        let heard = frames.compactMap { frame -> (id: PacketID, error: RoutingError)? in
            guard case .packet(let packet) = frame.value, let data = packet.decoded,
                case .routing(.error(let error)) = PacketContent(data)
            else { return nil }
            // The bytes say the same as the value.
            guard case .packet(let raw) = frame.raw.withUnsafeBytes({ FromRadio(decoding: $0) }) else { return nil }
            #expect(raw.decoded?.requestID == data.requestID)
            return (data.requestID, error)
        }
        #expect(heard.map(\.id) == [first] && heard.map(\.error) == [.none])
    }

    /// The radio gets the key back that it had forgotten, and the text once more.
    @Test func whenTheRadioHasForgottenAKey() throws {
        let test = try TestGateway()
        let user = User(id: alice.id, longName: "A", shortName: "al", publicKey: key(1), isUnmessagable: false)
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: user, isFavorite: true)))
        test.radio.keepAdminPackets()
        let listener = test.gateway.frames(of: try test.source, kinds: [.packet]) {}
        let first = try test.sendAndHand("hello", to: .node(alice)).packetID
        // Twice: the second word is about a packet that has been replaced.
        try test.hear(.report(.pkiSendFailPublicKey, on: first, from: own))
        try test.hear(.report(.pkiSendFailPublicKey, on: first, from: own))
        let packets = test.radio.wait(for: 3)
        #expect(packets.map(\.port) == [.textMessage, .admin, .textMessage])
        #expect(listener.take().frames.isEmpty)
        // The second attempt is the last.
        let again = try #require(packets.last).id
        try test.hear(.report(.pkiSendFailPublicKey, on: again, from: own))
        let heard = listener.take().frames.compactMap { frame -> PacketID? in
            if case .packet(let packet) = frame.value { packet.decoded?.requestID } else { nil }
        }
        #expect(heard == [first])
    }

    /// What looks like a refusal that is tried again, and is not, is told when that is known.
    @Test func aRefusalThatNothingFollowsIsShown() throws {
        let test = try TestGateway()
        let listener = test.gateway.frames(of: try test.source, kinds: [.packet]) {}
        let first = try test.sendAndHand("hello", to: .node(bob)).packetID
        // Somebody has repeated it already.
        try test.hear(.report(.none, on: first, from: own))
        try test.hear(.report(.rateLimitExceeded, on: first, from: own))
        let heard = listener.take().frames.compactMap { frame -> RoutingError? in
            guard case .packet(let packet) = frame.value, let data = packet.decoded,
                case .routing(.error(let error)) = PacketContent(data)
            else { return nil }
            return error
        }
        #expect(heard == [.none, .rateLimitExceeded])
        #expect(test.radio.received.count == 1)
    }

    /// A refusal after which nothing more is tried is one.
    @Test func aRefusalThatIsFinalIsShown() throws {
        let test = try TestGateway()
        let listener = test.gateway.frames(of: try test.source, kinds: [.packet]) {}
        let first = try test.sendAndHand("hello").packetID
        try test.hear(.report(.noInterface, on: first, from: own))
        let heard = listener.take().frames.compactMap { frame -> PacketID? in
            if case .packet(let packet) = frame.value { packet.decoded?.requestID } else { nil }
        }
        #expect(heard == [first])
    }

    /// The recipient's rate limit ends the text, and what a stranger says of it changes nothing: neither is hidden.
    @Test func aRefusalOfSomebodyElseIsShown() throws {
        let test = try TestGateway()
        let listener = test.gateway.frames(of: try test.source, kinds: [.packet]) {}
        let first = try test.sendAndHand("hello", to: .node(bob)).packetID
        try test.hear(.report(.pkiUnknownPublicKey, on: first, from: alice))
        try test.hear(.report(.rateLimitExceeded, on: first, from: bob))
        let heard = listener.take().frames.compactMap { frame -> NodeNumber? in
            if case .packet(let packet) = frame.value { packet.from } else { nil }
        }
        #expect(heard == [alice, bob])
    }
}
