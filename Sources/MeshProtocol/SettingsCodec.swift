import CMeshtastic
import MeshModel

extension Channel {
    init(_ m: Meshtastic__Channel) {
        let role = Role(rawValue: m.role.rawValue) ?? .disabled
        if let settings = m.settings?.pointee {
            self.init(index: Int(m.index), role: role, settings: settings)
        } else {
            self.init(index: Int(m.index), role: role)
        }
    }

    init(index: Int, role: Role, settings: Meshtastic__ChannelSettings) {
        let module = settings.module_settings?.pointee
        self.init(
            index: index, role: role, name: nameField(settings.name), psk: settings.psk.copy, id: settings.id,
            uplinkEnabled: settings.uplink_enabled != 0, downlinkEnabled: settings.downlink_enabled != 0,
            positionPrecision: module?.position_precision, isMuted: module?.is_muted ?? 0 != 0,
            usesAEAD: settings.use_aead != 0)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Channel> {
        arena.make(meshtastic__channel__init) { m in
            (m.has_index, m.index) = implicit(Int32(truncatingIfNeeded: index))
            (m.has_role, m.role) = implicit(enum: role.rawValue)
            m.settings = settingsWire(arena)
        }
    }

    func settingsWire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__ChannelSettings> {
        arena.make(meshtastic__channel_settings__init) { settings in
            (settings.has_psk, settings.psk) = arena.bytes(psk)
            settings.name = arena.string(name)
            (settings.has_id, settings.id) = implicit(id)
            (settings.has_uplink_enabled, settings.uplink_enabled) = implicit(uplinkEnabled)
            (settings.has_downlink_enabled, settings.downlink_enabled) = implicit(downlinkEnabled)
            (settings.has_use_aead, settings.use_aead) = implicit(usesAEAD)
            if positionPrecision == nil, !isMuted { return }
            settings.module_settings = arena.make(meshtastic__module_settings__init) { module in
                (module.has_position_precision, module.position_precision) = implicit(positionPrecision ?? 0)
                (module.has_is_muted, module.is_muted) = implicit(isMuted)
            }
        }
    }
}

extension ConfigSection {
    init(_ m: Meshtastic__Config) {
        switch m.payload_variant_case {
        case MESHTASTIC__CONFIG__PAYLOAD_VARIANT_DEVICE: self = .device(role: m.device.pointee.role.rawValue)
        case MESHTASTIC__CONFIG__PAYLOAD_VARIANT_NETWORK:
            self = .network(enabledProtocols: m.network.pointee.enabled_protocols)
        case MESHTASTIC__CONFIG__PAYLOAD_VARIANT_LORA: self = .lora(LoRaSettings(m.lora.pointee))
        case MESHTASTIC__CONFIG__PAYLOAD_VARIANT_SECURITY: self = .security(SecuritySettings(m.security.pointee))
        default: self = .other(tag: m.payload_variant_case.rawValue)
        }
    }

    /// A section that is not modelled is written empty.
    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Config> {
        arena.make(meshtastic__config__init) { m in
            m.payload_variant_case = .init(rawValue: (1...10).contains(tag) ? tag : 0)
            switch self {
            case .device(let role):
                m.device = arena.make(meshtastic__config__device_config__init) { device in
                    (device.has_role, device.role) = implicit(enum: role)
                }
            case .network(let enabledProtocols):
                m.network = arena.make(meshtastic__config__network_config__init) { network in
                    (network.has_enabled_protocols, network.enabled_protocols) = implicit(enabledProtocols)
                }
            case .lora(let settings): m.lora = settings.wire(arena)
            case .security(let settings): m.security = settings.wire(arena)
            case .other: m.sessionkey = arena.emptyMessage()
            }
        }
    }
}

extension LoRaSettings {
    init(_ m: Meshtastic__Config__LoRaConfig) {
        self.init(
            usePreset: m.use_preset != 0, modemPreset: ModemPreset(rawValue: m.modem_preset.rawValue),
            region: m.region.rawValue, hopLimit: m.hop_limit, txEnabled: m.tx_enabled != 0)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Config__LoRaConfig> {
        arena.make(meshtastic__config__lo_ra_config__init) { m in
            (m.has_use_preset, m.use_preset) = implicit(usePreset)
            (m.has_modem_preset, m.modem_preset) = implicit(enum: modemPreset.rawValue)
            (m.has_region, m.region) = implicit(enum: region)
            (m.has_hop_limit, m.hop_limit) = implicit(hopLimit)
            (m.has_tx_enabled, m.tx_enabled) = implicit(txEnabled)
        }
    }
}

extension SecuritySettings {
    init(_ m: Meshtastic__Config__SecurityConfig) {
        self.init(
            publicKey: PublicKey(m.public_key.copy), isManaged: m.is_managed != 0,
            serialEnabled: m.serial_enabled != 0, debugLogAPIEnabled: m.debug_log_api_enabled != 0)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Config__SecurityConfig> {
        arena.make(meshtastic__config__security_config__init) { m in
            (m.has_public_key, m.public_key) = arena.bytes(publicKey?.bytes ?? [])
            (m.has_is_managed, m.is_managed) = implicit(isManaged)
            (m.has_serial_enabled, m.serial_enabled) = implicit(serialEnabled)
            (m.has_debug_log_api_enabled, m.debug_log_api_enabled) = implicit(debugLogAPIEnabled)
        }
    }
}

extension ModuleConfigSection {
    init(_ m: Meshtastic__ModuleConfig) {
        self.init(tag: m.payload_variant_case.rawValue)
        if tag == Self.storeForward, let module = m.store_forward?.pointee {
            isStoreForwardServer = module.enabled != 0 && module.is_server != 0
        }
        if tag == Self.neighborInfo, let module = m.neighbor_info?.pointee { hearsNeighbors = module.enabled != 0 }
    }

    /// The section is written empty, but for what is read of it.
    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__ModuleConfig> {
        arena.make(meshtastic__module_config__init) { m in
            m.payload_variant_case = .init(rawValue: (1...17).contains(tag) ? tag : 0)
            m.mqtt = arena.emptyMessage()
            if tag == Self.neighborInfo, hearsNeighbors {
                m.neighbor_info = arena.make(meshtastic__module_config__neighbor_info_config__init) { m in
                    (m.has_enabled, m.enabled) = implicit(true)
                }
            }
            guard tag == Self.storeForward, isStoreForwardServer else { return }
            m.store_forward = arena.make(meshtastic__module_config__store_forward_config__init) { m in
                (m.has_enabled, m.enabled) = implicit(true)
                (m.has_is_server, m.is_server) = implicit(true)
            }
        }
    }
}
