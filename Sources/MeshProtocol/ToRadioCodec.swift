import CMeshtastic
import MeshModel

extension ToRadio {
    /// Reads one message, as a simulated radio does; nil when `bytes` are not one. Secrets in it stay.
    public init?(decoding bytes: UnsafeRawBufferPointer) {
        let message = unpacked(bytes, meshtastic__to_radio__unpack, meshtastic__to_radio__free_unpacked) {
            ToRadio($0)
        }
        guard let message else { return nil }
        self = message
    }

    private init(_ m: Meshtastic__ToRadio) {
        switch m.payload_variant_case {
        case MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_PACKET: self = .packet(MeshPacket(m.packet.pointee))
        case MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_WANT_CONFIG_ID: self = .wantConfig(m.want_config_id)
        case MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_DISCONNECT: self = m.disconnect != 0 ? .disconnect : .empty
        case MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_HEARTBEAT: self = .heartbeat(nonce: m.heartbeat.pointee.nonce)
        case MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT__NOT_SET: self = .empty
        default: self = .other(variant: m.payload_variant_case.rawValue)
        }
    }

    private func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__ToRadio> {
        arena.make(meshtastic__to_radio__init) { m in
            switch self {
            case .packet(let packet):
                m.payload_variant_case = MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_PACKET
                m.packet = packet.wire(arena)
            case .wantConfig(let nonce):
                m.payload_variant_case = MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_WANT_CONFIG_ID
                m.want_config_id = nonce
            case .disconnect:
                m.payload_variant_case = MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_DISCONNECT
                m.disconnect = 1
            case .heartbeat(let nonce):
                m.payload_variant_case = MESHTASTIC__TO_RADIO__PAYLOAD_VARIANT_HEARTBEAT
                m.heartbeat = arena.make(meshtastic__heartbeat__init) { heartbeat in
                    (heartbeat.has_nonce, heartbeat.nonce) = implicit(nonce)
                }
            case .other(let variant):
                guard variant == 5 || variant == 6 else { return }
                m.payload_variant_case = .init(rawValue: variant)
                m.xmodempacket = arena.emptyMessage()
            case .empty: break
            }
        }
    }

    /// Writes the message; at most 512 bytes as long as a payload has at most 233.
    public func encoded() -> [UInt8] { packed(wire) }
}
