import MeshModel
import MeshProtocol
import RadioLink
import Testing

@testable import RadioLink

/// A person waits for what becomes of a question to the radio: each has one outcome, and nobody else learns of it.
@Suite struct AQuestionIsAnsweredOrEnds {
    private let lora = SettingsName("lora")!

    private func live() -> SessionInVirtualTime {
        var test = SessionInVirtualTime()
        test.goLive()
        test.advance(seconds: 1)
        return test
    }

    private func asked(_ test: SessionInVirtualTime) throws -> MeshPacket {
        try #require(test.packets.last { $0.decoded?.port == .admin })
    }

    /// FromRadio { packet { from, to, decoded { ADMIN, payload, request_id } } }, as it comes.
    private func answer(_ payload: [UInt8], to packet: MeshPacket, from: NodeNumber? = nil) -> MeshPacket {
        MeshPacket(
            from: from ?? packet.to, to: packet.from, id: 4711,
            payload: .decoded(MeshData(port: .admin, payload: payload, requestID: packet.id)), rxTime: 1_790_000_000)
    }

    private func routing(_ error: RoutingError, to packet: MeshPacket) -> MeshPacket {
        MeshPacket(
            from: packet.to, to: packet.from, id: 4712,
            payload: .decoded(
                MeshData(port: .routing, payload: Routing.error(error).encoded(), requestID: packet.id)))
    }

    @Test func byASection() throws {
        var test = live()
        test.session.ask(.section(lora), token: 7, at: test.now)
        test.advance(seconds: 1)
        let packet = try asked(test)
        #expect(
            packet.from == packet.to && packet.decoded?.wantResponse == true && packet.decoded?.payload == [0x28, 5])
        let before = test.received.count
        test.receive(.packet(answer([0x32, 0x04, 0x32, 0x02, 0x38, 0x03], to: packet)))
        let (token, outcome) = try #require(test.outcomes.first)
        guard case .answered(.section(let section), let time) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(token == 7 && time == 1_790_000_000)
        #expect(section["lora.region"] == .choice("EU_868"))
        #expect(test.received.count == before, "the answer is handed on")
        test.advance(seconds: 30)
        #expect(test.outcomes.count == 1)
    }

    @Test func byAWord() throws {
        for (error, isDone) in [(RoutingError.none, true), (.noResponse, false)] {
            var test = live()
            test.session.ask(.reboot(5), token: 1, at: test.now)
            test.advance(seconds: 1)
            test.receive(.packet(routing(error, to: try asked(test))))
            switch try #require(test.outcomes.first).outcome {
            case .answered(.done, _): #expect(isDone)
            case .answered(.refused(let found), _): #expect(!isDone && found == error)
            case let other: Issue.record("\(other)")
            }
        }
    }

    @Test func orByNobody() throws {
        var test = live()
        test.session.ask(.metadata, token: 1, at: test.now)
        test.advance(seconds: 1)
        let packet = try asked(test)
        // Forged: over the air, and for another question.
        var forged = answer([0x32, 0x02, 0x32, 0x00], to: packet)
        forged.rxRSSI = -80
        test.receive(.packet(forged))
        var other = packet
        other.id += 2
        test.receive(.packet(routing(.none, to: other)))
        #expect(test.outcomes.isEmpty)
        test.advance(seconds: 5)
        guard case .silent = try #require(test.outcomes.first).outcome else {
            Issue.record("\(test.outcomes)")
            return
        }
    }

    @Test func whenTheRadioStartsOver() throws {
        var test = live()
        test.session.ask(.metadata, token: 1, at: test.now)
        test.advance(seconds: 0.5)
        test.receive(.rebooted)
        guard case .notConnected = try #require(test.outcomes.first).outcome else {
            Issue.record("\(test.outcomes)")
            return
        }
        // What is asked meanwhile goes out when the session is live again.
        let before = test.packets.count
        test.session.ask(.channel(2), token: 2, at: test.now)
        test.advance(seconds: 1)
        #expect(test.packets.count == before)
        test.advance(seconds: 1.5)
        test.goLive()
        #expect(test.packets.contains { $0.decoded?.payload == [0x08, 3] })
        #expect(test.outcomes.count == 1)
    }

    @Test func whenNobodyIsThere() throws {
        var test = live()
        test.session.end()
        test.session.ask(.metadata, token: 3, at: test.now)
        test.pump()
        guard case .notConnected = try #require(test.outcomes.first).outcome else {
            Issue.record("\(test.outcomes)")
            return
        }
    }

    @Test func theSettingsAreReadAgain() {
        var test = live()
        let before = test.nonces.count
        test.session.readAgain(at: test.now)
        test.pump()
        test.goLive()
        #expect(test.nonces.count == before + 2)
        #expect(test.reboots.isEmpty)
    }

    /// The gateway reads the settings again by itself: that must cost nobody an order.
    @Test func beforeTheSettingsAreReadAgain() throws {
        var test = live()
        let before = test.nonces.count
        test.session.ask(.metadata, token: 1, at: test.now)
        test.session.readAgain(at: test.now)
        test.session.ask(.channel(2), token: 2, at: test.now)
        test.advance(seconds: 1)
        #expect(test.nonces.count == before && test.outcomes.isEmpty)
        test.receive(.packet(routing(.none, to: try asked(test))))
        guard case .answered(.done, _) = try #require(test.outcomes.first).outcome else {
            Issue.record("\(test.outcomes)")
            return
        }
        // What was asked meanwhile goes out behind that.
        test.advance(seconds: 0.1)
        #expect(test.nonces.count == before + 1)
        #expect(!test.packets.contains { $0.decoded?.payload == [0x08, 3] })
        test.goLive()
        #expect(test.packets.contains { $0.decoded?.payload == [0x08, 3] })
        #expect(test.nonces.count == before + 2 && test.outcomes.count == 1)
    }

    /// A radio that does not answer is read again all the same.
    @Test func orTheSettingsAreReadAgainWithoutIt() throws {
        var test = live()
        let before = test.nonces.count
        test.session.ask(.metadata, token: 1, at: test.now)
        test.advance(seconds: 1)
        test.session.readAgain(at: test.now)
        test.advance(seconds: 5)
        guard case .silent = try #require(test.outcomes.first).outcome else {
            Issue.record("\(test.outcomes)")
            return
        }
        test.goLive()
        #expect(test.nonces.count == before + 2)
    }
}
