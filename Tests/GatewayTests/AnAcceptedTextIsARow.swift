import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct AnAcceptedTextIsARow {
    @Test func beforeTheRadioHasIt() throws {
        let test = try TestGateway()
        let message = try test.send("Grüezi")
        let stored = try #require(try test.messages().first)
        #expect(stored.id == message.id)
        #expect(stored.isOwn && stored.from == own && stored.to == .broadcast && stored.channel == 0)
        #expect(stored.timestamp == noon && stored.rxTime == noon)
        #expect(message.delivery == Delivery(state: .queued))
        let packet = try #require(test.radio.wait(for: 1).first)
        #expect(packet.id == message.packetID && packet.id != 0)
        #expect(packet.from == own && packet.to == .broadcast && packet.channel == 0)
        #expect(packet.wantAck && packet.hopLimit == 3 && !packet.pkiEncrypted)
        #expect(packet.decoded?.port == .textMessage)
        #expect(packet.decoded?.payload == Array("Grüezi".utf8))
        #expect(packet.decoded?.replyID == 0 && packet.decoded?.emoji == 0)
        #expect(stored.replyID == nil && !stored.isTapback)
    }

    @Test func onlyTheFirstPartIsAReply() throws {
        let test = try TestGateway()
        let text = OutgoingText(parts: ["one", "two"], destination: .channel(1), replyID: 7)
        let messages = try test.gateway.send(text, by: .cli, to: test.source)
        #expect(messages.map(\.replyID) == [7, nil])
        #expect(Set(messages.map(\.packetID)).count == 2)
        let packets = test.radio.wait(for: 2)
        #expect(packets.map { $0.decoded?.replyID } == [7, 0])
        #expect(packets.map(\.channel) == [1, 1])
    }

    /// For clients that read whole seconds; none of them lies in the future.
    @Test func partsHaveASecondEach() throws {
        let test = try TestGateway()
        let text = OutgoingText(parts: ["one", "two", "three"], destination: .channel(1))
        let messages = try test.gateway.send(text, by: .cli, to: test.source)
        #expect(messages.map(\.timestamp) == [noon - 2000, noon - 1000, noon])
        #expect(messages.map(\.rxTime) == [noon - 2000, noon - 1000, noon])
    }

    @Test func aReactionCarriesItsFlag() throws {
        let test = try TestGateway()
        let text = OutgoingText(parts: ["👍"], destination: .node(alice), replyID: 7, isTapback: true)
        #expect(try test.gateway.send(text, by: .cli, to: test.source).first?.isTapback == true)
        #expect(test.radio.wait(for: 1).first?.decoded?.emoji == 1)
    }

    /// The recipient's key, ours and theirs being an amateur's -> encryption is demanded
    @Test(arguments: [
        (true, false, false, true), (false, false, false, false), (true, true, false, false),
        (true, false, true, false),
    ])
    func encryptionIsDemandedWhenItIsPossible(_ hasKey: Bool, _ isTheirs: Bool, _ isOurs: Bool, _ expected: Bool) throws
    {
        let test = try TestGateway()
        try test.hear(
            .nodeInfo(
                NodeInfo(
                    number: alice, user: User(longName: "A", isLicensed: isTheirs, publicKey: hasKey ? key(1) : nil))),
            .nodeInfo(NodeInfo(number: own, user: User(longName: "O", isLicensed: isOurs, publicKey: key(2)))))
        #expect(try test.send("x", to: .node(alice)).pkiEncrypted == expected)
        #expect(test.radio.wait(for: 1).map(\.pkiEncrypted) == [expected])
        #expect(try test.messages().first?.channel == -1)
    }
}
