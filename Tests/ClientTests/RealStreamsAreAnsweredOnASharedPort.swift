import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// What real clients wrote to a radio, byte for byte (Tests/ClientStreams/INDEX.md), to a shared port without their pauses.
@Suite struct RealStreamsAreAnsweredOnASharedPort {
    private struct Line: Decodable {
        var stream: String
        var conn: Int?
        var hex: String?
        var event: String?

        var bytes: [UInt8] {
            let digits = Array((hex ?? "").utf8).map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
            return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }
    }

    private static let lines = Result {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: tests.appending(path: "ClientStreams/streams.jsonl"), encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }
    static let streams = Set(((try? lines.get()) ?? []).map(\.stream)).sorted()

    @Test func thereAreStreams() { #expect(Self.streams.count == 23) }

    /// With each right: what is refused is answered as well.
    @Test(arguments: streams) func everyRequestHasItsAnswer(_ stream: String) throws {
        let right = stream.hasSuffix("2.7") ? "admin" : stream.hasPrefix("py") ? "read" : "send"
        let mesh = try SharedMesh(right: right) {
            $0.firmware = stream.contains("-2.7") ? .v2_7 : .v2_8
            $0.limitsRates = false
        }
        let pieces = try Self.lines.get().filter { $0.stream == stream && $0.conn == 1 }
            .prefix { $0.event == nil || $0.event == "open" }.map(\.bytes)
        let host = try mesh.connect()
        for piece in pieces where !piece.isEmpty { host.write(piece) }

        let sent = Self.messages(in: pieces.flatMap { $0 })
        let ends = sent.firstIndex(of: .disconnect) ?? sent.endIndex
        let (nonces, packets) = Self.parts(sent[..<ends])
        #expect(!nonces.isEmpty)
        // Each want_config has its end; one that comes before the end of the one before takes its place.
        let last = try #require(nonces.last)
        #expect(host.wait { $0 == .configComplete(last) ? true : nil } == true)
        for packet in packets where packet.id != 0 {
            #expect(host.wait { $0.status?.packetID == packet.id ? true : nil } == true, "\(packet)")
            guard packet.to == mesh.radio.number, packet.wantAck || packet.decoded?.wantResponse == true else {
                continue
            }
            #expect(host.wait { $0.isAbout(packet.id) ? true : nil } == true, "\(packet)")
        }
        // Somebody who has been served to the end is answered, and everything before is there.
        host.send(.heartbeat(nonce: 0))
        let mark = host.frames.count
        if ends == sent.endIndex { #expect(host.wait(since: mark) { $0.status?.packetID == 0 ? true : nil } == true) }
        for packet in packets where packet.id != 0 {
            let count = packets.count { $0.id == packet.id }
            #expect(host.frames.count { $0.status?.packetID == packet.id } == count, "\(packet)")
            guard packet.to == mesh.radio.number else { continue }
            #expect(host.frames.count { $0.isAbout(packet.id) } <= count, "\(packet)")
        }
        #expect(host.strays == 0)
        // What the radio alone may know.
        let secret = Data(mesh.radio.privateKey)
        #expect(secret.count == 32 && host.received.range(of: secret) == nil)
        if right != "admin" { #expect(mesh.radio.completedHandshakes <= 2, "a client causes none") }
        try mesh.gateway.program.stop()
    }

    private static func messages(in bytes: [UInt8]) -> [ToRadio] {
        var (found, rest) = ([ToRadio](), bytes[...])
        while let start = rest.firstIndex(of: 0x94), rest.endIndex >= start + 4 {
            let length = Int(rest[start + 2]) << 8 | Int(rest[start + 3])
            guard rest[start + 1] == 0xC3, rest.endIndex >= start + 4 + length else {
                rest = rest[(start + 1)...]
                continue
            }
            let frame = Array(rest[(start + 4)..<(start + 4 + length)])
            if let message = frame.withUnsafeBytes({ ToRadio(decoding: $0) }) { found.append(message) }
            rest = rest[(start + 4 + length)...]
        }
        return found
    }

    private static func parts(_ messages: ArraySlice<ToRadio>) -> (nonces: [UInt32], packets: [MeshPacket]) {
        var (nonces, packets) = ([UInt32](), [MeshPacket]())
        for message in messages {
            switch message {
            case .wantConfig(let nonce): nonces.append(nonce)
            case .packet(let packet): packets.append(packet)
            default: break
            }
        }
        return (nonces, packets)
    }
}
