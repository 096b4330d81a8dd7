import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// What real clients of eight families wrote to a radio (Tests/ClientStreams), without their pauses: each is given a whole
/// handshake for each that it asked for, one queue status a packet, and at most one answer a request, a refusal being one.
@Suite struct RealClientsAreServed {
    private struct Line: Decodable { var stream: String, conn: Int, hex: String? }

    /// The bytes of the first connection of each.
    private static let streams: [String: [UInt8]] = {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "ClientStreams/streams.jsonl")
        var streams: [String: [UInt8]] = [:]
        for text in ((try? String(contentsOf: url, encoding: .utf8)) ?? "").split(separator: "\n") {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8)), line.conn == 1 else {
                continue
            }
            let digits = Array((line.hex ?? "").utf8)
            streams[line.stream, default: []] += stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
            }
        }
        return streams
    }()

    @Test func theStreamsAreThere() { #expect(Self.streams.count >= 20) }

    /// What a right does not allow is refused: of what goes on the air everything to those who only read, and to those who send
    /// the place that Rust's client tells everybody, alone.
    @Test(arguments: streams.keys.sorted(), [AdminRight.read, .send, .admin])
    func asByARadio(_ name: String, _ right: AdminRight) throws {
        let stream = try #require(Self.streams[name])
        var (packets, nonces): ([ClientPacket], [UInt32]) = ([], [])
        var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
        stream.withUnsafeBytes {
            decoder.feed($0, now: 0) { output in
                switch output {
                case .frame(.packet, let raw): if let packet = ClientPacket(inToRadio: raw) { packets.append(packet) }
                case .frame(.wantConfig(let nonce), _): nonces.append(nonce)
                default: break
                }
            }
        }
        let house = try SharedHouse([right]) { $0.firmware = name.hasSuffix("-2.7") ? .v2_7 : .v2_8 }
        let app = try house.connect()
        app.send(bytes: stream)
        _ = try #require(app.wait { $0.count { $0.message.variant == 7 } >= nonces.count }, "handshakes")
        let own = Set(packets.map(\.id)).subtracting([0])
        // Orders are done one after the other, and each is answered by the radio.
        _ = try #require(
            app.wait(seconds: 180) { own.isSubset(of: $0.compactMap { $0.status?.packetID }) }, "queue states")
        let asked = packets.filter { $0.id != 0 && $0.to == house.number && $0.content?.port == .admin }.map(\.id)
        let isAnswered = { (frames: [App.Frame], id: PacketID) in
            frames.contains { $0.packet?.decoded?.requestID == id }
        }
        _ = try #require(app.wait(seconds: 180) { frames in asked.allSatisfy { isAnswered(frames, $0) } }, "answers")
        #expect(app.frames.count { $0.message.variant == 7 } == nonces.count)
        for packet in packets where packet.id != 0 {
            #expect(app.frames.count { $0.status?.packetID == packet.id } == 1, "\(packet.id)")
        }
        for id in asked { #expect(app.frames.count { $0.packet?.decoded?.requestID == id } == 1, "\(id)") }
        for packet in packets where packet.id != 0 {
            guard let content = packet.content, content.port != .admin else { continue }
            let isPlaceForAll = content.port == .position && packet.to.isBroadcast
            let isRefused = { (frames: [App.Frame]) in frames.contains { $0.routing(packet.id) == .notAuthorized } }
            if right == .read || right == .send && isPlaceForAll {
                // It comes behind the queue status.
                #expect(app.wait(isRefused) != nil, "port \(content.port.rawValue)")
            } else {
                #expect(!isRefused(app.frames), "port \(content.port.rawValue)")
            }
            #expect(!isPlaceForAll || name.hasPrefix("rust"))
        }
        house.expectNoSecrets()
    }
}
