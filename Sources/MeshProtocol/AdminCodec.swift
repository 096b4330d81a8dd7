import CMeshtastic
import MeshModel

extension AdminMessage {
    init(_ m: Meshtastic__AdminMessage) {
        switch m.payload_variant_case {
        case MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_SET_TIME_ONLY: self = .setTimeOnly(m.set_time_only)
        case MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_SET_FAVORITE_NODE:
            self = .setFavorite(NodeNumber(m.set_favorite_node))
        case MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_REMOVE_FAVORITE_NODE:
            self = .removeFavorite(NodeNumber(m.remove_favorite_node))
        case MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_SET_IGNORED_NODE:
            self = .setIgnored(NodeNumber(m.set_ignored_node))
        case MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_REMOVE_IGNORED_NODE:
            self = .removeIgnored(NodeNumber(m.remove_ignored_node))
        case MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_REMOVE_BY_NODENUM:
            self = .removeNode(NodeNumber(m.remove_by_nodenum))
        case MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_ADD_CONTACT:
            self = .addContact(SharedContact(m.add_contact.pointee))
        default: self = .other(m.payload_variant_case.rawValue)
        }
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__AdminMessage> {
        arena.make(meshtastic__admin_message__init) { m in
            switch self {
            case .setTimeOnly(let seconds):
                m.payload_variant_case = MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_SET_TIME_ONLY
                m.set_time_only = seconds
            case .setFavorite(let node):
                m.payload_variant_case = MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_SET_FAVORITE_NODE
                m.set_favorite_node = node.rawValue
            case .removeFavorite(let node):
                m.payload_variant_case = MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_REMOVE_FAVORITE_NODE
                m.remove_favorite_node = node.rawValue
            case .setIgnored(let node):
                m.payload_variant_case = MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_SET_IGNORED_NODE
                m.set_ignored_node = node.rawValue
            case .removeIgnored(let node):
                m.payload_variant_case = MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_REMOVE_IGNORED_NODE
                m.remove_ignored_node = node.rawValue
            case .removeNode(let node):
                m.payload_variant_case = MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_REMOVE_BY_NODENUM
                m.remove_by_nodenum = node.rawValue
            case .addContact(let contact):
                m.payload_variant_case = MESHTASTIC__ADMIN_MESSAGE__PAYLOAD_VARIANT_ADD_CONTACT
                m.add_contact = contact.wire(arena)
            case .other(let variant): Self.fillSmallest(variant, &m, arena)
            }
        }
    }

    /// A variant that is not modelled, with the least it can hold: true for a boolean (a bare request), else 0 or empty.
    private static func fillSmallest(_ variant: UInt32, _ m: inout Meshtastic__AdminMessage, _ arena: Arena) {
        guard let field = protobuf_c_message_descriptor_get_field(m.base.descriptor, variant),
            field.pointee.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0
        else { return }
        m.payload_variant_case = .init(rawValue: variant)
        switch field.pointee.type {
        case PROTOBUF_C_TYPE_MESSAGE: m.set_owner = arena.emptyMessage()
        case PROTOBUF_C_TYPE_STRING: m.delete_file_request = arena.array([0])
        case PROTOBUF_C_TYPE_BOOL: m.get_owner_request = 1
        default: break
        }
    }

    /// The payload of an ADMIN packet.
    public func encoded() -> [UInt8] { packed(wire) }
}

extension SharedContact {
    public func encoded() -> [UInt8] { packed(wire) }

    init(_ m: Meshtastic__SharedContact) {
        self.init(
            number: NodeNumber(m.node_num), user: m.user.map { User($0.pointee) }, shouldIgnore: m.should_ignore != 0,
            isManuallyVerified: m.manually_verified != 0)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__SharedContact> {
        arena.make(meshtastic__shared_contact__init) { m in
            (m.has_node_num, m.node_num) = implicit(number.rawValue)
            m.user = user?.wire(arena)
            (m.has_should_ignore, m.should_ignore) = implicit(shouldIgnore)
            (m.has_manually_verified, m.manually_verified) = implicit(isManuallyVerified)
        }
    }
}
