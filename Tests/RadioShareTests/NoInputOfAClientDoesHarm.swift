import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// Whatever comes from a client: it is read as a radio would read it, or thrown away; and others notice nothing.
@Suite struct NoInputOfAClientDoesHarm {
    private func frame(_ payload: [UInt8]) -> [UInt8] { StreamFrame.encode(payload) }
    private var wantConfig: [UInt8] { frame(ToRadio.wantConfig(7).encoded()) }

    /// What real clients send before their first frame, and how they cut frames.
    @Test func aFrameIsFoundWhereverItLies() throws {
        let house = try SharedHouse()
        let heartbeat = frame(ToRadio.heartbeat(nonce: 0).encoded())
        let inputs: [(name: String, pieces: [[UInt8]])] = [
            ("wake bytes of Android", [[0x94, 0x94, 0x94, 0x94] + wantConfig]),
            ("wake bytes of Python", [[UInt8](repeating: 0xC3, count: 32), wantConfig]),
            ("three segments", [Array(wantConfig[..<2]), Array(wantConfig[2..<4]), Array(wantConfig[4...])]),
            ("0x94 at a segment's end", [[0, 1, 0x94], Array(wantConfig.dropFirst())]),
            ("0x94 before", [[0x94], wantConfig]), ("byte by byte", wantConfig.map { [$0] }),
            ("an oversize frame", [[0x94, 0xC3, 0x02, 0x01] + [UInt8](repeating: 1, count: 513), wantConfig]),
            ("no protobuf", [frame([0x0A, 0xFF, 0xFF, 0xFF]), frame([0xFF]), wantConfig]),
            ("an empty frame", [frame([]), wantConfig]),
            // Rust's begin and commit: fields 64 and 65 of ToRadio.
            ("unknown fields", [frame([0x80, 4, 1]), frame([0x88, 4, 1]), wantConfig]),
            ("a file and a broker's message", [frame([0x2A, 2, 8, 1]), frame([0x32, 2, 0x0A, 0]), wantConfig]),
            ("a packet without anything", [frame([0x0A, 0]), wantConfig]),
        ]
        for (name, pieces) in inputs {
            let app = try house.connect()
            for piece in pieces {
                app.send(bytes: piece)
                // Segments of their own: what came before is taken.
                _ = eventually(seconds: 0.02) { false }
            }
            app.send(bytes: heartbeat)
            _ = try #require(app.wait { $0.contains { $0.message == .configComplete(7) } }, "\(name)")
            _ = try #require(app.wait { $0.contains { $0.status?.packetID == 0 } }, "\(name)")
            app.close()
            #expect(eventually { house.share.status[0].clients.isEmpty })
        }
        #expect(house.share.status[0].sent == 0)
    }

    @Test func floodsDelayNobody() throws {
        let house = try SharedHouse()
        let app = try house.connected()
        let floods: [[UInt8]] = [
            wantConfig, frame(ToRadio.heartbeat(nonce: 1).encoded()), [0x94, 0xC3], [0x94],
            frame([0x0A] + [UInt8(app.packet(0, port: 8, [1]).count)] + app.packet(0, port: 8, [1])),
        ]
        for flood in floods {
            let other = try house.connect(reads: false)
            other.send(bytes: [[UInt8]](repeating: flood, count: 65_536 / flood.count / 4).flatMap(\.self))
            try app.settle()
            other.close()
            #expect(eventually { house.share.status[0].clients.count == 1 })
        }
        try app.settle()
    }

    /// Firmware would announce itself to the mesh for a heartbeat of number 1.
    @Test func everyHeartbeatIsAnswered() throws {
        let house = try SharedHouse()
        let app = try house.connect()
        for nonce in 0...4 as ClosedRange<UInt32> { app.send(.heartbeat(nonce: nonce)) }
        let frames = try #require(app.wait { $0.count { $0.status?.packetID == 0 } == 5 })
        #expect(frames.allSatisfy { $0.status?.free == 16 && $0.status?.result == 0 })
        #expect(!house.tap.written.withLock { $0 }.contains([0x3A, 2, 8, 1]))
    }

    /// In nobody's or another node's name, with ten hops, and on a channel that there is not.
    @Test func aPacketSaysOnlyWhatItMay() throws {
        let house = try SharedHouse()
        let (app, other) = (try house.connected(), try house.connected())
        let friend = house.simulated.nodes[0].number
        app.send(packet: [0x0d] + App.bytes(friend.rawValue) + app.packet(0xb1, port: 8, [8, 5]) + [0x48, 10])
        let echo = try #require(
            other.wait { $0.contains { $0.packet?.id == 0xb1 } }?.compactMap(\.packet).first { $0.id == 0xb1 })
        #expect(echo.from == house.number && echo.hopLimit == 7)
        let written = try #require(house.written(0xb1).first.flatMap { ClientPacket(inToRadio: $0) })
        #expect(written.from == house.number && written.hopLimit == 7)
        app.send(packet: app.packet(0xb2, port: 8, [8, 5]) + [0x18, 9])
        _ = try #require(app.wait { $0.contains { $0.routing(0xb2) == .noChannel } })
        // The same field twice: one program reads the first, another the last.
        app.send(packet: app.packet(0xb3, port: 8, [8, 5]) + [0x15, 1, 0, 0, 0])
        _ = try #require(app.wait { $0.contains { $0.routing(0xb3) == .badRequest } })
        #expect(house.written(0xb2).isEmpty && house.written(0xb3).isEmpty)
    }
}
