import MeshModel
import MeshProtocol
import Testing

@Suite struct EveryByteIsExplained {
    /// from 0xA1B2C3D4, to everybody, decoded { TEXT_MESSAGE, "hi" }, id 7, hop limit 3.
    private static let text: [UInt8] =
        [0x0D, 0xD4, 0xC3, 0xB2, 0xA1, 0x15, 0xFF, 0xFF, 0xFF, 0xFF]
        + [0x22, 0x06, 0x08, 0x01, 0x12, 0x02, 0x68, 0x69, 0x35, 0x07, 0x00, 0x00, 0x00, 0x48, 0x03]

    @Test func aTextFieldByField() {
        let annotation = Annotation(Self.text, as: .meshPacket)
        let lines = annotation.fields.map {
            "\($0.offset)+\($0.length) \(String(repeating: ".", count: $0.depth))\($0.name) \($0.type) = \($0.value)"
        }
        #expect(
            lines == [
                "0+5 from fixed32 = !a1b2c3d4 (2712847316)", "5+5 to fixed32 = everybody (4294967295)",
                "10+2 decoded Data = 6 bytes", "12+2 .portnum PortNum = TEXT_MESSAGE_APP (1)",
                "14+4 .payload text = \"hi\"", "18+5 id fixed32 = 7", "23+2 hop_limit uint32 = 3",
            ])
        #expect(annotation.unexplained == 0)
        #expect(annotation.hexadecimal(of: annotation.fields[0]) == "0dd4c3b2a1")
    }

    @Test func theMessageIsGuessed() {
        #expect(Annotation(guessing: Self.text).kind == .meshPacket)
        #expect(Annotation(guessing: [0x12, UInt8(Self.text.count)] + Self.text).kind == .fromRadio)
        #expect(Annotation(guessing: [0x0A, UInt8(Self.text.count)] + Self.text).kind == .toRadio)
        #expect(Annotation(guessing: [0x08, 0x01, 0x12, 0x05] + Array("hello".utf8)).kind == .data)
    }

    @Test func aPayloadIsReadByItsPort() throws {
        let route = RouteDiscovery(route: [NodeNumber(0x12)], snrTowards: [24, -128])
        let packet = MeshPacket(
            from: NodeNumber(1), to: NodeNumber(2), id: 3,
            payload: .decoded(MeshData(port: .traceroute, payload: route.encoded(), requestID: 9)))
        let annotation = Annotation(packet.encoded(), as: .meshPacket)
        func value(_ name: String) -> String? { annotation.fields.first { $0.name == name }?.value }
        #expect(value("route") == "!00000012 (18)")
        #expect(value("snr_towards") == "24 (6.0 dB), unknown (-128)")
        #expect(value("request_id") == "9")
        #expect(annotation.unexplained == 0)
    }

    /// A radio without a clock writes 0, which is no moment in 1970.
    @Test func aTimeThatIsNotKnownIsNoTime() {
        // num 7, last_heard 0; then a waypoint that never expires.
        let info = Annotation([0x22, 0x07, 0x08, 0x07, 0x2D, 0, 0, 0, 0], as: .fromRadio)
        #expect(info.fields.first { $0.name == "last_heard" }?.value == "0 (unknown)")
        let data = Annotation([0x08, 0x08, 0x12, 0x04, 0x08, 0x07, 0x20, 0x00], as: .data)
        #expect(data.fields.first { $0.name == "expire" }?.value == "0 (never)")
    }

    @Test func whatIsUnknownOrCutShortIsSaid() throws {
        let unknown = Annotation([0x48, 0x03, 0xFA, 0x7F, 0x01, 0x2A], as: .meshPacket)
        #expect(unknown.fields.map(\.name) == ["hop_limit", "?"])
        #expect(unknown.unexplained == 4)
        let cut = Annotation(Array(Self.text.prefix(17)), as: .meshPacket)
        #expect(cut.fields.last?.value == "\"h\", cut short: 1 byte missing")
        #expect(Annotation([0x48], as: .meshPacket).fields.map(\.value) == ["no field of a message"])
        #expect(
            Annotation([0x4D, 1, 2, 3, 4], as: .meshPacket).fields.map(\.value) == [
                "not of the type that this field has"
            ])
    }

    /// A third of them noise, a third valid messages with some bytes changed, a third cut short.
    @Test func hostileBytesAreAllAccountedFor() throws {
        var random = SystemRandomNumberGenerator()
        let payloads: [(PortNumber, [UInt8])] = [
            (.position, Position(latitudeI: 461_234_567, longitudeI: -61_234_567, time: 1_787_300_000).encoded()),
            (.nodeInfo, User(id: "!00000001", longName: "Ridge 🏔", shortName: "RDG").encoded()),
            (.telemetry, Telemetry(kind: .device, values: [.init("voltage", 3.7)]).encoded()),
            (.admin, [0x32, 0x04, 0x42, 0x02, 0x12, 0x00]), (.routing, [0x18, 0x05]), (.privateApp, [1, 2, 3]),
        ]
        for round in 0..<6000 {
            let (port, payload) = payloads[round % payloads.count]
            let packet = MeshPacket(
                from: NodeNumber(1), to: NodeNumber(2), id: 3,
                payload: .decoded(MeshData(port: port, payload: payload)),
                rxSNR: 5.25, rxRSSI: -97, hopLimit: 3, hopStart: 3)
            var bytes = packet.encoded()
            switch round % 3 {
            case 0:
                bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            case 1: for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255) }
            default: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            }
            for kind in Annotation.Kind.allCases {
                let annotation = Annotation(bytes, as: kind)
                var next = 0
                for field in annotation.fields {
                    try #require(field.offset == next && field.length > 0, "\(bytes) as \(kind)")
                    next += field.length
                }
                try #require(next == bytes.count, "\(bytes) as \(kind)")
            }
        }
    }

    /// Wherever the bytes are cut or damaged, those of the key are never shown.
    @Test func secretsAreNeverShown() throws {
        let key = [UInt8](repeating: 0xC5, count: 32)
        let security: [UInt8] = [0x42, 0x24, 0x12, 0x20] + key + [0x28, 0x01]
        let admin: [UInt8] = [0x32, UInt8(security.count)] + security
        let data: [UInt8] = [0x08, 0x06, 0x12, UInt8(admin.count)] + admin
        let packet: [UInt8] = [0x0D, 1, 0, 0, 0, 0x22, UInt8(data.count)] + data
        let config: [UInt8] = [0x2A, UInt8(security.count)] + security
        let channel: [UInt8] = [0x52, 0x26, 0x12, 0x24, 0x12, 0x20] + key + [0x1A, 0x00]
        for (kind, whole) in [
            (Annotation.Kind.meshPacket, packet), (.fromRadio, [0x12, UInt8(packet.count)] + packet),
            (.fromRadio, config), (.fromRadio, channel),
        ] {
            let start = try #require(whole.firstIndex(of: 0xC5))
            for count in 0...whole.count { expectNoKey(Array(whole.prefix(count)), kind) }
            for place in 0..<start {
                // Numbers and lengths from outside to inside still lead to the key, or its message is opened no more.
                guard place > start - 5 else { continue }
                var damaged = whole
                damaged[place] ^= 0x01
                expectNoKey(damaged, kind)
            }
        }
    }

    private func expectNoKey(_ bytes: [UInt8], _ kind: Annotation.Kind) {
        let annotation = Annotation(bytes, as: kind)
        for field in annotation.fields where bytes[field.offset..<field.offset + field.length].contains(0xC5) {
            #expect(!annotation.hexadecimal(of: field).contains("c5"), "\(bytes) as \(kind): \(field)")
            #expect(!field.value.lowercased().contains("c5"))
        }
    }
}
