import CMeshtastic

/// A FromRadio as the whole schema reads it.
final class RecordedFrame {
    private let message: UnsafeMutablePointer<Meshtastic__FromRadio>

    init?(_ payload: [UInt8]) {
        guard let message = meshtastic__from_radio__unpack(nil, payload.count, payload) else { return nil }
        self.message = message
    }

    deinit { meshtastic__from_radio__free_unpacked(message, nil) }

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
}
