import CMeshtastic

/// The names of the protocol's enumerated values, as in its definition: `HELTEC_V3`, `ROUTER_LATE`, `EU_868`.
/// Nil for a number that this version of the protocol does not have.
public enum EnumNames {
    public static func hardwareModel(_ number: UInt32) -> String? {
        name(of: number, in: meshtastic__hardware_model__descriptor)
    }

    public static func deviceRole(_ number: UInt32) -> String? {
        name(of: number, in: meshtastic__config__device_config__role__descriptor)
    }

    public static func region(_ number: UInt32) -> String? {
        name(of: number, in: meshtastic__config__lo_ra_config__region_code__descriptor)
    }

    public static func modemPreset(_ number: UInt32) -> String? {
        name(of: number, in: meshtastic__config__lo_ra_config__modem_preset__descriptor)
    }

    public static func port(_ number: UInt32) -> String? {
        name(of: number, in: meshtastic__port_num__descriptor)
    }

    public static func routingError(_ number: UInt32) -> String? {
        name(of: number, in: meshtastic__routing__error__descriptor)
    }

    public static func storeForward(_ number: UInt32) -> String? {
        name(of: number, in: meshtastic__store_and_forward__request_response__descriptor)
    }

    private static func name(of number: UInt32, in descriptor: ProtobufCEnumDescriptor) -> String? {
        guard let value = Int32(exactly: number) else { return nil }
        return withUnsafePointer(to: descriptor) { descriptor in
            protobuf_c_enum_descriptor_get_value(descriptor, value).map { String(cString: $0.pointee.name) }
        }
    }
}
