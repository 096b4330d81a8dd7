import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// What real clients wrote, byte for byte (Tests/ClientStreams/INDEX.md). The next piece follows as soon as the radio has
/// answered the last frame with its queue status, or the handshake is complete.
@Suite struct RealClientsAreAnswered {
    private static let lines = Result { try RecordedLine.lines("ClientStreams/streams.jsonl") }
    static let streams = Set(((try? lines.get()) ?? []).compactMap(\.stream)).sorted()

    @Test func thereAreStreams() { #expect(Self.streams.count == 23) }

    /// Without the radio's limits, which a stream without its pauses runs into: each packet has the ending that it can have.
    @Test(arguments: streams) func everyRequestHasItsAnswer(_ stream: String) throws {
        try play(stream, limitsRates: false, timeScale: 5) { radio, host, packets in
            for packet in packets {
                guard let ending = Self.ending(of: packet, radio) else { continue }
                #expect(host.wait { ending($0) ? true : nil } == true, "\(packet)")
                #expect(host.frames.count { ending($0) } == 1, "\(packet)")
            }
        }
    }

    /// With them a request that comes too soon has its queue status and nothing else.
    @Test(arguments: streams) func whatComesTooSoonIsDropped(_ stream: String) throws {
        try play(stream, limitsRates: true, timeScale: 1) { radio, host, packets in
            host.settle(radio)
            var seen: Set<PortNumber> = []
            for packet in packets {
                guard let port = packet.decoded?.port else { continue }
                let isLimited = [.telemetry, .position, .waypoint, .traceroute].contains(port)
                if isLimited, !seen.insert(port).inserted {
                    #expect(!host.frames.contains { Self.isAbout(packet.id, $0) }, "\(packet)")
                    let isExplained = host.frames.contains {
                        if case .clientNotification(let note) = $0 { note.replyID == packet.id } else { false }
                    }
                    #expect(isExplained == (port == .traceroute))
                } else if packet.to == radio.number {
                    #expect(host.frames.count { Self.isAbout(packet.id, $0) } == 1, "\(packet)")
                }
            }
        }
    }

    /// The first connection of a stream, up to its close; then `check` with the packets that were in it.
    private func play(
        _ stream: String, limitsRates: Bool, timeScale: Double,
        check: (SimulatedRadio, Host, [MeshPacket]) throws -> Void
    ) throws {
        let lines = try Self.lines.get().filter { $0.stream == stream && $0.conn == 1 }
            .prefix { $0.event == nil || $0.event == "open" }
        try withRadio {
            $0.firmware = stream.contains("-2.7") ? .v2_7 : .v2_8
            $0.limitsRates = limitsRates
            $0.timeScale = timeScale
        } _: { radio, _ in
            let host = try Host(tcp: try radio.listen())
            var (cutter, packets, handshakes) = (FrameCutter(), [MeshPacket](), 0)
            for (piece, frame) in lines.flatMap({ cutter.pieces($0.bytes) }) {
                let mark = host.frames.count
                let message = frame?.withUnsafeBytes { ToRadio(decoding: $0) }
                if message == .disconnect { break }
                host.write(piece)
                switch message {
                case .wantConfig(let nonce):
                    handshakes += 1
                    #expect(host.wait(since: mark) { $0 == .configComplete(nonce) ? true : nil } == true)
                case .packet(let packet):
                    let known = Set(packets.map(\.id))
                    let status = host.wait(since: mark) { Self.status($0, of: packet.id, besides: known) }
                    packets.append(packet)
                    packets[packets.count - 1].id = try #require(status, "\(packet)")
                case .heartbeat:
                    #expect(host.wait(since: mark) { Self.status($0, of: 0, besides: []) } == 0)
                default: break
                }
            }
            #expect(handshakes > 0)
            try check(radio, host, packets)
            let completed = host.frames.count { if case .configComplete = $0 { true } else { false } }
            #expect(completed == handshakes)
            for packet in packets {
                let statuses = host.frames.count { Self.status($0, of: packet.id, besides: []) != nil }
                #expect(statuses == 1, "\(packet)")
            }
        }
    }

    /// The id that the queue status of a packet names: its own, or the one that the radio gave it.
    private static func status(_ frame: FromRadio, of id: PacketID, besides known: Set<PacketID>) -> PacketID? {
        guard case .queueStatus(let status) = frame else { return nil }
        if id != 0 || known.isEmpty { return status.packetID == id ? id : nil }
        return status.packetID != 0 && !known.contains(status.packetID) ? status.packetID : nil
    }

    private static func isAbout(_ id: PacketID, _ frame: FromRadio) -> Bool {
        if case .packet(let packet) = frame { packet.decoded?.requestID == id } else { false }
    }

    /// How a packet ends, when it asks for that: nobody confirms what only a relay has repeated.
    private static func ending(of packet: MeshPacket, _ radio: SimulatedRadio) -> ((FromRadio) -> Bool)? {
        guard let data = packet.decoded, packet.wantAck || data.wantResponse else { return nil }
        // The radio itself has one word and no more.
        if packet.to == radio.number { return { isAbout(packet.id, $0) } }
        let own = radio.number
        let isRelayed = radio.nodes.contains { $0.number == packet.to && $0.behaviour == .isOnlyRelayed }
        let endsWithRepetition = packet.to.isBroadcast || isRelayed
        return { frame in
            guard isAbout(packet.id, frame), case .packet(let answer) = frame else { return false }
            guard let error = Host.routing(frame, packet.id)?.error else { return true }
            // The radio's own word is final when it is an error, or when there is nobody to hear from.
            if answer.from == own { return error != 0 || endsWithRepetition }
            // What is acknowledged first still has to be answered.
            return error != 0 || !data.wantResponse
        }
    }
}
