import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct PacketsThatComeTooSoonAreDropped {
    private func packet(
        _ port: PortNumber, id: PacketID, from: NodeNumber, to: NodeNumber = .broadcast, hopLimit: UInt32 = 3
    ) -> ToRadio {
        .packet(
            MeshPacket(
                from: from, to: to, id: id, payload: .decoded(MeshData(port: port, payload: [1])), hopLimit: hopLimit))
    }

    @Test func firmware28RefusesATextWithinTwoSeconds() throws {
        try withRadio({ $0.timeScale = 5 }) { radio, host in
            host.handshake()
            host.send(text("one", to: .broadcast, id: 1, from: radio))
            host.send(text("two", to: .broadcast, id: 2, from: radio))
            #expect(host.waitForStatus(2)?.result == 0, "the queue status says nothing about it")
            #expect(host.waitForRouting(2, from: radio.number) == 38)
            // The implicit acknowledgement of the first takes longer than the two seconds.
            #expect(host.waitForRouting(1, from: radio.number) == 0)
            host.send(text("three", to: .broadcast, id: 3, from: radio))
            #expect(host.waitForRouting(3, from: radio.number) == 0)
        }
    }

    @Test func firmware27DropsItWithoutAWord() throws {
        try withRadio {
            $0.firmware = .v2_7
            $0.timeScale = 5
        } _: { radio, host in
            host.handshake()
            host.send(text("one", to: .broadcast, id: 1, from: radio))
            host.send(text("two", to: .broadcast, id: 2, from: radio))
            #expect(host.waitForStatus(2)?.result == 0)
            #expect(host.waitForRouting(1, from: radio.number) == 0)
            host.settle(radio)
            #expect(host.routing(2).isEmpty)
        }
    }

    /// The refusal goes to whom the packet names as its sender, and that is not us.
    @Test func withoutASenderThereIsNoRefusal() throws {
        try withRadio({ $0.timeScale = 1 }) { radio, host in
            host.handshake()
            host.send(packet(.textMessage, id: 1, from: NodeNumber(0)))
            host.send(packet(.textMessage, id: 2, from: NodeNumber(0)))
            #expect(host.waitForStatus(2)?.result == 0)
            host.settle(radio)
            #expect(host.routing(2).isEmpty)
        }
    }

    @Test func aTracerouteTooSoonIsExplained() throws {
        try withRadio({ $0.timeScale = 1 }) { radio, host in
            host.handshake()
            let target = radio.nodes[0].number
            host.send(packet(.traceroute, id: 1, from: radio.number, to: target))
            host.send(packet(.traceroute, id: 2, from: radio.number, to: target))
            host.send(packet(.traceroute, id: 3, from: radio.number))
            var about: Set<PacketID> = []
            while about.count < 2 {
                let notification = host.wait { frame -> ClientNotification? in
                    guard case .clientNotification(let note) = frame, !about.contains(note.replyID ?? 0) else {
                        return nil
                    }
                    return note
                }
                about.insert(try #require(notification?.replyID))
            }
            #expect(about == [2, 3])
        }
    }

    @Test func aNewSessionBeginsAnew() throws {
        try withRadio({ $0.timeScale = 1 }) { radio, host in
            host.handshake()
            host.send(text("one", to: .broadcast, id: 1, from: radio))
            host.send(.disconnect)
            host.handshake(8)
            host.send(text("two", to: .broadcast, id: 2, from: radio))
            #expect(host.waitForStatus(2)?.result == 0)
            host.settle(radio)
            #expect(host.routing(2).isEmpty)
        }
    }

    /// A repeated id gets nothing at all, not even a queue status.
    @Test func aRepeatedIdIsIgnored() throws {
        try withRadio({ $0.limitsRates = false }) { radio, host in
            host.handshake()
            host.send(text("one", to: .broadcast, id: 1, from: radio))
            #expect(host.waitForRouting(1, from: radio.number) == 0)
            let mark = host.frames.count
            host.send(text("one", to: .broadcast, id: 1, from: radio))
            host.settle(radio)
            let statuses = host.frames[mark...].filter {
                if case .queueStatus(let status) = $0 { status.packetID == 1 } else { false }
            }
            #expect(statuses.isEmpty)
            #expect(radio.received.filter { $0.id == 1 }.count == 2)
        }
    }
}
