import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// Recording 12-admin, of firmware 2.8.0: everything that the host asked and ordered, up to the radio's restart, is said
/// to the simulated radio, and both must answer the same.
@Suite struct TheOrdersOfARecordingAreAnsweredAsFirmwareDid {
    /// What differs, by the payload of the packet, and why.
    private static let differences: [(payload: [UInt8], simulated: String, reason: String)] = [
        (
            [0x50, 0x01], "own port 6 variant 11 passkey priority 70 hops 3 own status",
            "the simulated radio has canned messages built in, the recorded one did not"
        ),
        (
            [0x70, 0x01], "own port 6 variant 15 passkey priority 70 hops 3 own status",
            "the simulated radio has a ringtone, the recorded one had no external notification"
        ),
        (
            [0x38, 0x07], "own port 6 variant 8 passkey priority 70 hops 3 own status",
            "the simulated radio leaves audio out, the recorded one had it"
        ),
    ]

    @Test func allOfThem() throws {
        let recorded = try conversation()
        #expect(recorded.count > 70)
        // As slow as real: on a busy machine nothing is over before its turn.
        try withRadio({ $0.timeScale = 1 }) { radio, host in
            host.handshake()
            let friend = radio.nodes[0].number
            for exchange in recorded {
                var packet = exchange.packet
                packet.from = radio.number
                packet.to = packet.to == exchange.own ? radio.number : friend
                // Somebody whom the host has just made known.
                if exchange.packet.to == NodeNumber(0x12ab_34cd) { packet.to = exchange.packet.to }
                host.send(.packet(packet))
                #expect(host.waitForStatus(packet.id) != nil)
            }
            for exchange in recorded where !exchange.answers.isEmpty {
                let id = exchange.packet.id
                _ = host.wait { frame in Self.answered(id, frame) }
            }
            host.settle(radio)
            let answers = Self.answers(in: host.frames, host.rawFrames, own: radio.number)
            for exchange in recorded {
                let id = exchange.packet.id
                let payload = exchange.packet.decoded?.payload ?? []
                let simulated = answers[id, default: []].map(\.description)
                if let row = Self.differences.first(where: { $0.payload == payload }) {
                    #expect(simulated == [row.simulated], "\(payload): \(row.reason)")
                    #expect(exchange.answers.map(\.description) != [row.simulated], "\(payload): the same by now")
                } else {
                    #expect(simulated == exchange.answers.map(\.description), "\(payload)")
                }
            }
        }
    }

    private struct Exchange {
        var packet: MeshPacket
        var own: NodeNumber
        var answers: [SeenAnswer]
    }

    /// Packets of the host with what came about each, until the port was lost.
    private func conversation() throws -> [Exchange] {
        var (fromHost, fromRadio) = (FrameCutter(), FrameCutter())
        var (sent, frames, raw): ([MeshPacket], [FromRadio], [[UInt8]]) = ([], [], [])
        for line in try RecordedLine.lines("Recordings/12-admin.jsonl") {
            if line.event?.hasPrefix("port lost") == true { break }
            if line.dir == "tx" {
                for frame in fromHost.feed(line.bytes) {
                    if case .packet(let packet) = frame.withUnsafeBytes({ ToRadio(decoding: $0) }) {
                        sent.append(packet)
                    }
                }
            } else if line.dir == "rx" {
                for frame in fromRadio.feed(line.bytes) {
                    frames.append(try #require(frame.withUnsafeBytes { FromRadio(decoding: $0) }))
                    raw.append(frame)
                }
            }
        }
        let own = try #require(sent.first).from
        let answers = Self.answers(in: frames, raw, own: own)
        return sent.map { Exchange(packet: $0, own: own, answers: answers[$0.id, default: []]) }
    }

    private static func answered(_ id: PacketID, _ frame: FromRadio) -> Bool? {
        guard case .packet(let packet) = frame, packet.decoded?.requestID == id else { return nil }
        return true
    }

    /// By the id of the question, in order.
    private static func answers(
        in frames: [FromRadio], _ raw: [[UInt8]], own: NodeNumber
    ) -> [PacketID: [SeenAnswer]] {
        var answers: [PacketID: [SeenAnswer]] = [:]
        var statuses: [PacketID: Int] = [:]
        for (place, frame) in frames.enumerated() {
            if case .queueStatus(let status) = frame { statuses[status.packetID] = place }
        }
        for (frame, bytes) in zip(frames, raw) {
            guard case .packet(let packet) = frame, let id = packet.decoded?.requestID, id != 0,
                var answer = SeenAnswer(packet, in: bytes, to: own)
            else { continue }
            if let ofAnswer = statuses[packet.id], let ofQuestion = statuses[id] {
                answer.hasOwnStatus = ofAnswer < ofQuestion
            }
            answers[id, default: []].append(answer)
        }
        return answers
    }
}
