import MeshModel
import MeshProtocol
import Testing

/// Recorded frames, read into values and written again, are the same bytes: nothing is lost, added or reordered.
@Suite struct WhatIsReadIsWrittenBack {
    @Test(arguments: Recording.all) func fromRadio(_ recording: Recording) throws {
        let listener = try recording.listen()
        var count = 0
        for (message, raw) in zip(listener.messages, listener.frames) {
            // Not modelled in full, or secrets were cut out.
            switch message {
            case .config, .moduleConfig, .other, .clientNotification, .metadata, .logRecord: continue
            case .packet(let packet) where packet.decoded?.port == .admin: continue
            default: break
            }
            #expect(message.encoded() == raw)
            count += 1
        }
        #expect(count > 20)
    }

    @Test(arguments: Recording.all) func toRadio(_ recording: Recording) throws {
        var stream: [UInt8] = []
        for case .sent(let bytes) in try recording.stream().entries.map(\.kind) { stream += bytes }
        var sent: [(ToRadio, [UInt8])] = []
        var decoder = StreamDecoder { ToRadio(decoding: $0) }
        stream.withUnsafeBytes {
            decoder.feed($0, now: 0) { if case .frame(let m, let raw) = $0 { sent.append((m, raw)) } }
        }
        #expect(sent.count > 2)
        for (message, raw) in sent {
            if case .packet(let packet) = message, packet.decoded?.port == .admin { continue }
            // Protobuf's own library writes the zero in `heartbeat {}` and the like as we do: not at all.
            #expect(ToRadio(decoding: message.encoded()) == message)
            if case .packet = message { continue }
            #expect(message.encoded() == raw)
        }
    }

    /// What a packet carries. Zeros that a sender writes out although it need not make the bytes longer, so that only
    /// reading again must agree there.
    @Test(arguments: Recording.all) func payloads(_ recording: Recording) throws {
        for case .packet(let packet) in try recording.listen().messages {
            guard let data = packet.decoded else { continue }
            let content = PacketContent(data)
            guard let written = content.encoded() else { continue }
            var again = data
            again.payload = written
            #expect(PacketContent(again) == content)
            #expect(written.count <= max(data.payload.count, 2))
        }
    }
}

extension ToRadio {
    fileprivate init?(decoding bytes: [UInt8]) {
        guard let message = toRadio(bytes) else { return nil }
        self = message
    }
}

extension PacketContent {
    /// The payload again; nil for contents that are only read.
    fileprivate func encoded() -> [UInt8]? {
        switch self {
        case .position(let value): value.encoded()
        case .nodeInfo(let value): value.encoded()
        case .routing(let value): value.encoded()
        case .admin(let value): if case .other = value { nil } else { value.encoded() }
        case .waypoint(let value): value.encoded()
        case .telemetry(let value): value.encoded()
        case .traceroute(let value): value.encoded()
        case .neighborInfo(let value): value.encoded()
        case .paxcounter(let value): value.encoded()
        case .text, .nodeStatus, .storeForward, .raw, .undecodable: nil
        }
    }
}
