import CMeshtastic
import MeshModel

extension FromRadio {
    /// Reads one message; nil when `bytes` are not one, which is how a damaged frame is known.
    ///
    /// Unknown fields are skipped, unknown enum numbers kept, text is repaired, secrets are left behind.
    public init?(decoding bytes: UnsafeRawBufferPointer) {
        let message = unpacked(bytes, meshtastic__from_radio__unpack, meshtastic__from_radio__free_unpacked) {
            FromRadio($0)
        }
        guard let message else { return nil }
        self = message
    }

    private init(_ m: Meshtastic__FromRadio) {
        switch m.payload_variant_case {
        // The answer to a getter can hold the private key: it stops here, like that of the handshake.
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_PACKET: self = .packet(MeshPacket(m.packet.pointee).withoutSecrets)
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_MY_INFO: self = .myInfo(MyNodeInfo(m.my_info.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_NODE_INFO: self = .nodeInfo(NodeInfo(m.node_info.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_CONFIG: self = .config(ConfigSection(m.config.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_LOG_RECORD: self = .logRecord(LogRecord(m.log_record.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_CONFIG_COMPLETE_ID: self = .configComplete(m.config_complete_id)
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_REBOOTED: self = m.rebooted != 0 ? .rebooted : .empty
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_MODULE_CONFIG:
            self = .moduleConfig(ModuleConfigSection(m.moduleconfig.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_CHANNEL: self = .channel(Channel(m.channel.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_QUEUE_STATUS:
            self = .queueStatus(QueueStatus(m.queuestatus.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_METADATA: self = .metadata(DeviceMetadata(m.metadata.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_CLIENT_NOTIFICATION:
            self = .clientNotification(ClientNotification(m.clientnotification.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_LOCKDOWN_STATUS:
            self = .lockdownStatus(LockdownStatus(m.lockdown_status.pointee))
        case MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT__NOT_SET: self = .empty
        default: self = .other(variant: m.payload_variant_case.rawValue)
        }
    }

    private func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__FromRadio> {
        arena.make(meshtastic__from_radio__init) { m in
            m.payload_variant_case = .init(rawValue: variant)
            switch self {
            case .packet(let value): m.packet = value.wire(arena)
            case .myInfo(let value): m.my_info = value.wire(arena)
            case .nodeInfo(let value): m.node_info = value.wire(arena)
            case .config(let value): m.config = value.wire(arena)
            case .moduleConfig(let value): m.moduleconfig = value.wire(arena)
            case .channel(let value): m.channel = value.wire(arena)
            case .configComplete(let nonce): m.config_complete_id = nonce
            case .rebooted: m.rebooted = 1
            case .queueStatus(let value): m.queuestatus = value.wire(arena)
            case .metadata(let value): m.metadata = value.wire(arena)
            case .logRecord(let value): m.log_record = value.wire(arena)
            case .clientNotification(let value): m.clientnotification = value.wire(arena)
            case .lockdownStatus(let value): m.lockdown_status = value.wire(arena)
            case .other: m.fileinfo = arena.emptyMessage()
            case .empty: break
            }
        }
    }

    /// The field number of the variant in FromRadio; 0 for an empty message.
    public var variant: UInt32 {
        switch self {
        case .packet: 2
        case .myInfo: 3
        case .nodeInfo: 4
        case .config: 5
        case .logRecord: 6
        case .configComplete: 7
        case .rebooted: 8
        case .moduleConfig: 9
        case .channel: 10
        case .queueStatus: 11
        case .metadata: 13
        case .clientNotification: 16
        case .lockdownStatus: 18
        case .other(let variant): [12, 14, 15, 17, 19].contains(variant) ? variant : 0
        case .empty: 0
        }
    }

    /// The field number of the variant in the payload of a FromRadio frame, also of one that this program's schema lacks;
    /// 0: it has none.
    public static func variant(of raw: [UInt8]) -> UInt32 {
        // Field 1 is FromRadio.id.
        WireField.all(in: raw[...])?.first { $0.number != 1 }?.number ?? 0
    }

    /// Writes the message, as a simulated radio does. What is not modelled is written empty.
    public func encoded() -> [UInt8] { packed(wire) }
}
