import CMeshtastic
import MeshModel
import MeshProtocol

/// A stretch of a radio's bytes: one whole frame, or what is between frames.
enum Piece {
    case frame(payload: [UInt8])
    /// Debug text, and the remains of frames that it has cut.
    case other([UInt8])

    var bytes: [UInt8] {
        switch self {
        case .frame(let payload): StreamFrame.encode(payload)
        case .other(let bytes): bytes
        }
    }

    /// Cuts bytes into pieces that together are the same bytes. Only what the schema can read is a frame.
    static func cut(_ bytes: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var other: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let payload = payload(in: bytes, at: index) {
                if !other.isEmpty { pieces.append(.other(other)) }
                other = []
                pieces.append(.frame(payload: payload))
                index += 4 + payload.count
            } else {
                other.append(bytes[index])
                index += 1
            }
        }
        return other.isEmpty ? pieces : pieces + [.other(other)]
    }

    private static func payload(in bytes: [UInt8], at index: Int) -> [UInt8]? {
        guard index + 4 <= bytes.count, bytes[index] == 0x94, bytes[index + 1] == 0xC3 else { return nil }
        let end = index + 4 + Int(bytes[index + 2]) << 8 + Int(bytes[index + 3])
        guard end <= bytes.count, end - index - 4 <= 512 else { return nil }
        let payload = Array(bytes[(index + 4)..<end])
        return RecordedFrame(payload) == nil ? nil : payload
    }
}

/// A FromRadio as the whole schema reads it, so that it can be changed in one place and lose nothing in others.
final class RecordedFrame {
    private let message: UnsafeMutablePointer<Meshtastic__FromRadio>

    init?(_ payload: [UInt8]) {
        guard let message = meshtastic__from_radio__unpack(nil, payload.count, payload) else { return nil }
        self.message = message
    }

    deinit { meshtastic__from_radio__free_unpacked(message, nil) }

    /// Replaces ids of the recorded host's packets.
    ///
    /// - Returns: the new ids that the frame now speaks of.
    func replaceIDs(_ replacement: (PacketID) -> PacketID?) -> [PacketID] {
        var replaced: [PacketID] = []
        func replace(_ id: inout UInt32) {
            guard let new = replacement(id) else { return }
            id = new
            replaced.append(new)
        }
        switch message.pointee.payload_variant_case {
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_QUEUE_STATUS:
            replace(&message.pointee.queuestatus.pointee.mesh_packet_id)
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_CLIENT_NOTIFICATION:
            replace(&message.pointee.clientnotification.pointee.reply_id)
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_PACKET:
            let packet = message.pointee.packet!
            if packet.pointee.payload_variant_case == MESHTASTIC__MESH_PACKET__PAYLOAD_VARIANT_DECODED {
                replace(&packet.pointee.decoded.pointee.request_id)
                replace(&packet.pointee.decoded.pointee.reply_id)
            }
        default: break
        }
        return replaced
    }

    /// What must not leave the radio, when this is the section of the settings that has it.
    var privateKey: [UInt8]? {
        guard message.pointee.payload_variant_case == MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_CONFIG,
            let config = message.pointee.config,
            config.pointee.payload_variant_case == MESHTASTIC__CONFIG__PAYLOAD_VARIANT_SECURITY,
            let security = config.pointee.security, security.pointee.private_key.len > 0
        else { return nil }
        return Array(
            UnsafeBufferPointer(start: security.pointee.private_key.data, count: security.pointee.private_key.len))
    }

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: meshtastic__from_radio__get_packed_size(message))
        meshtastic__from_radio__pack(message, &bytes)
        return bytes
    }
}
