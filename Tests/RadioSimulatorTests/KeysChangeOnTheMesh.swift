import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// SerialReference 5.2, 5.4, 5.6 and 14.13: what the radio knows of a node and what the node has itself can differ.
@Suite struct KeysChangeOnTheMesh {
    private func direct(
        to node: NodeNumber, id: PacketID, key: PublicKey? = nil, from radio: SimulatedRadio
    ) -> ToRadio {
        let data = MeshData(port: .textMessage, payload: Array("hello".utf8))
        return .packet(
            MeshPacket(
                from: radio.number, to: node, id: id, payload: .decoded(data), wantAck: true, publicKey: key,
                pkiEncrypted: key != nil))
    }

    private func tell(_ message: AdminMessage, id: PacketID, _ radio: SimulatedRadio, _ host: Host) {
        host.send(
            .packet(
                MeshPacket(
                    from: radio.number, to: radio.number, id: id,
                    payload: .decoded(MeshData(port: .admin, payload: message.encoded(), wantResponse: true)))))
        #expect(host.waitForRouting(id, from: radio.number) == 0)
    }

    private func announced(by node: NodeNumber, _ host: Host) -> User? {
        host.wait { frame in
            guard case .packet(let packet) = frame, packet.from == node, let data = packet.decoded,
                case .nodeInfo(let user) = PacketContent(data)
            else { return nil }
            return user
        }
    }

    /// The node infos of a whole handshake.
    private func known(_ host: Host, _ nonce: UInt32) -> [NodeNumber: NodeInfo] {
        let infos = host.handshake(nonce).compactMap { if case .nodeInfo(let info) = $0 { info } else { nil } }
        return Dictionary(infos.map { ($0.number, $0) }) { $1 }
    }

    @Test func aNodeThatIsSetUpAnewCannotReadWhatIsForTheOldKey() throws {
        try withRadio({ $0.limitsRates = false }) { radio, host in
            let hiker = radio.nodes[0].number
            let old = try #require(known(host, 7)[hiker]?.user?.publicKey)
            let new = radio.changeKey(of: hiker)
            #expect(announced(by: hiker, host)?.publicKey == new && new != old)
            #expect(known(host, 8)[hiker]?.user?.publicKey == old, "the radio keeps the first")
            host.send(direct(to: hiker, id: 1, from: radio))
            #expect(host.waitForRouting(1, from: radio.number) == 5)
            // It cannot say anything to us either.
            radio.sendText(from: hiker, "do you hear me?", to: radio.number)
            host.settle(radio)
            #expect(!host.meshPackets.contains { $0.from == hiker && $0.pkiEncrypted })
            // Until the radio is told.
            let user = try #require(radio.nodes[0].user)
            var contact = SharedContact(number: hiker, user: user, isManuallyVerified: true)
            contact.user?.publicKey = new
            tell(.removeNode(hiker), id: 2, radio, host)
            #expect(known(host, 9)[hiker] == nil)
            tell(.addContact(contact), id: 3, radio, host)
            let info = try #require(known(host, 10)[hiker])
            #expect(info.user?.publicKey == new && info.isFavorite && info.isKeyManuallyVerified)
            host.send(direct(to: hiker, id: 4, key: new, from: radio))
            #expect(host.waitForRouting(4, from: hiker) == 0)
        }
    }

    @Test func aKeyThatIsDemandedMustBeTheRadios() throws {
        try withRadio({ $0.limitsRates = false }) { radio, host in
            let hiker = radio.nodes[0].number
            let own = try #require(known(host, 7)[hiker]?.user?.publicKey)
            let other = radio.swapKey(of: hiker)
            host.send(direct(to: hiker, id: 1, key: own, from: radio))
            #expect(host.waitForStatus(1)?.result == 34)
            host.send(direct(to: hiker, id: 2, key: other, from: radio))
            #expect(host.waitForStatus(2)?.result == 0)
            #expect(host.waitForRouting(2, from: radio.number) == 5, "and there is nobody who could read it")
        }
    }

    @Test func aForgottenNodeIsNotWrittenToUntilItIsKnownAgain() throws {
        for learns in [true, false] {
            try withRadio({ $0.limitsRates = false }) { radio, host in
                let hiker = radio.nodes[0].number
                let user = try #require(known(host, 7)[hiker]?.user)
                radio.forget(hiker)
                #expect(known(host, 8)[hiker] == nil)
                host.send(direct(to: hiker, id: 1, from: radio))
                #expect(host.waitForStatus(1)?.result == 39)
                if learns {
                    radio.announce(hiker)
                    #expect(announced(by: hiker, host)?.publicKey == user.publicKey)
                } else {
                    tell(.addContact(SharedContact(number: hiker, user: user, shouldIgnore: true)), id: 2, radio, host)
                    #expect(known(host, 9)[hiker]?.isIgnored == true)
                    tell(.removeIgnored(hiker), id: 3, radio, host)
                }
                host.send(direct(to: hiker, id: 4, from: radio))
                #expect(host.waitForRouting(4, from: hiker) == 0)
            }
        }
    }

    @Test func aNodeComesBackUnderAnotherNumber() throws {
        try withRadio {
            $0.limitsRates = false
            $0.firmware = .v2_7
        } _: { radio, host in
            let old = radio.nodes[0].number
            let key = try #require(known(host, 7)[old]?.user?.publicKey)
            let new = radio.renumber(old)
            #expect(new == key.nodeNumber && new != old)
            let user = try #require(announced(by: new, host))
            #expect(user.publicKey == key && user.macAddress.isEmpty)
            host.send(direct(to: new, id: 1, key: key, from: radio))
            #expect(host.waitForRouting(1, from: new) == 0)
            host.send(direct(to: old, id: 2, key: key, from: radio))
            #expect(host.waitForRouting(2, from: radio.number) == 5)
        }
    }
}
