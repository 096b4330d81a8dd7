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
    @Test(arguments: streams.keys.sorted(), [ClientRight.read, .send, .admin])
    func asByARadio(_ name: String, _ right: ClientRight) throws {
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

    /// The radio gets a new key and with it a new number while the client is connected: it stays, and says everything again
    /// under the new number, as a client does that has been told `rebooted` and has read the radio again.
    @Test(arguments: streams.keys.sorted().filter { !$0.hasSuffix("-2.7") })
    func alsoWhenTheRadioBecomesAnotherNode(_ name: String) throws {
        let stream = try #require(Self.streams[name])
        let house = try SharedHouse([.send]) { $0.firmware = .v2_8_1 }
        let (app, old) = (try house.connect(), house.number)
        var (frames, nonces): ([[UInt8]], Int) = ([], 0)
        var ids: Set<PacketID> = []
        var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
        stream.withUnsafeBytes {
            decoder.feed($0, now: 0) { output in
                guard case .frame(let message, let raw) = output, message != .disconnect else { return }
                if case .wantConfig = message { nonces += 1 }
                if let id = ClientPacket(inToRadio: raw)?.id, id != 0 { ids.insert(id) }
                frames.append(raw)
            }
        }
        func play(_ round: Int, _ change: ([UInt8]) -> [UInt8]) throws {
            for frame in frames { app.send(payload: change(frame)) }
            _ = try #require(
                app.wait { $0.count { $0.message.variant == 7 } >= nonces * round }, "handshakes of round \(round)")
        }
        func answered(_ ids: some Collection<PacketID>, _ round: Int) throws {
            _ = try #require(
                app.wait(seconds: 180) { Set(ids).isSubset(of: $0.compactMap { $0.status?.packetID }) },
                "queue states of round \(round)")
            for id in ids { #expect(app.frames.count { $0.status?.packetID == id } == 1, "\(id)") }
        }
        try play(1) { $0 }
        try answered(ids, 1)

        house.simulated.misbehave(.liveNumberChange)
        _ = try #require(app.wait { $0.contains { $0.message == .rebooted } }, "it is told")
        #expect(eventually { house.gateway.handshake(of: house.source)?.own == house.number && house.number != old })
        let before = app.frames.count
        // Ids of its own, as each packet has.
        let renamed = Dictionary(uniqueKeysWithValues: ids.map { ($0, $0 ^ 0x0055_AA00) })
        try play(2) { frame in
            var frame = Self.replacing(old.rawValue, by: house.number.rawValue, in: frame)
            for (id, other) in renamed { frame = Self.replacing(id, by: other, in: frame) }
            return frame
        }
        try answered(renamed.values, 2)
        let numbers = app.frames[before...].compactMap { frame in
            if case .myInfo(let info) = frame.message { info.number } else { nil as NodeNumber? }
        }
        #expect(Set(numbers).isSubset(of: [house.number]) && numbers.isEmpty == (nonces == 0))
        // What it wrote after that reached the mesh as the new node, if anything.
        let texts = house.simulated.received.filter { packet in renamed.values.contains(packet.id) }
        #expect(texts.allSatisfy { [0, house.number.rawValue].contains($0.from.rawValue) })
        house.expectNoSecrets()
    }

    /// A fixed32 wherever it stands; a number of 32 bits is nothing else by chance.
    private static func replacing(_ number: UInt32, by other: UInt32, in frame: [UInt8]) -> [UInt8] {
        let bytes = { (number: UInt32) in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) } }
        var (frame, place) = (frame, 0)
        while place + 4 <= frame.count {
            if Array(frame[place..<place + 4]) == bytes(number) {
                frame.replaceSubrange(place..<place + 4, with: bytes(other))
                place += 3
            }
            place += 1
        }
        return frame
    }
}
