import CMeshtastic
import MeshModel

extension User {
    init(_ m: Meshtastic__User) {
        let mac = m.macaddr.copy
        self.init(
            id: nameField(m.id), longName: nameField(m.long_name), shortName: nameField(m.short_name),
            macAddress: mac.count == 6 ? mac : [], hardwareModel: m.hw_model.rawValue, isLicensed: m.is_licensed != 0,
            role: m.role.rawValue, publicKey: PublicKey(m.public_key.copy),
            isUnmessagable: m.has_is_unmessagable != 0 ? m.is_unmessagable != 0 : nil)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__User> {
        arena.make(meshtastic__user__init) { m in
            m.id = arena.string(id)
            m.long_name = arena.string(longName)
            m.short_name = arena.string(shortName)
            (m.has_macaddr, m.macaddr) = arena.bytes(macAddress)
            (m.has_hw_model, m.hw_model) = implicit(enum: hardwareModel)
            (m.has_is_licensed, m.is_licensed) = implicit(isLicensed)
            (m.has_role, m.role) = implicit(enum: role)
            (m.has_public_key, m.public_key) = arena.bytes(publicKey?.bytes ?? [])
            (m.has_is_unmessagable, m.is_unmessagable) = explicit(isUnmessagable.map { $0 ? 1 : 0 })
        }
    }

    /// The payload of a NODEINFO packet.
    public func encoded() -> [UInt8] { packed(wire) }
}

extension NodeInfo {
    init(_ m: Meshtastic__NodeInfo) {
        self.init(
            number: NodeNumber(m.num), user: m.user.map { User($0.pointee) },
            position: m.position.map { Position($0.pointee) }, snr: finite(m.snr), lastHeard: m.last_heard,
            deviceMetrics: m.device_metrics.map { Telemetry(kind: .device, metrics: $0) }, channel: m.channel,
            viaMQTT: m.via_mqtt != 0, hopsAway: m.has_hops_away != 0 ? m.hops_away : nil,
            isFavorite: m.is_favorite != 0, isIgnored: m.is_ignored != 0,
            isKeyManuallyVerified: m.is_key_manually_verified != 0, isMuted: m.is_muted != 0,
            hasXEdDSASigned: m.has_xeddsa_signed != 0, heardOnCurrentLoRa: m.heard_on_current_lora != 0)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__NodeInfo> {
        arena.make(meshtastic__node_info__init) { m in
            (m.has_num, m.num) = implicit(number.rawValue)
            m.user = user?.wire(arena)
            m.position = position?.wire(arena)
            (m.has_snr, m.snr) = implicit(snr)
            (m.has_last_heard, m.last_heard) = implicit(lastHeard)
            m.device_metrics = deviceMetrics.map { metrics in
                arena.make(meshtastic__device_metrics__init) { metrics.fill(&$0) }
            }
            (m.has_channel, m.channel) = implicit(channel)
            (m.has_via_mqtt, m.via_mqtt) = implicit(viaMQTT)
            (m.has_hops_away, m.hops_away) = explicit(hopsAway)
            (m.has_is_favorite, m.is_favorite) = implicit(isFavorite)
            (m.has_is_ignored, m.is_ignored) = implicit(isIgnored)
            (m.has_is_key_manually_verified, m.is_key_manually_verified) = implicit(isKeyManuallyVerified)
            (m.has_is_muted, m.is_muted) = implicit(isMuted)
            (m.has_has_xeddsa_signed, m.has_xeddsa_signed) = implicit(hasXEdDSASigned)
            (m.has_heard_on_current_lora, m.heard_on_current_lora) = implicit(heardOnCurrentLoRa)
        }
    }
}

extension MyNodeInfo {
    init(_ m: Meshtastic__MyNodeInfo) {
        self.init(
            number: NodeNumber(m.my_node_num), rebootCount: m.reboot_count, minAppVersion: m.min_app_version,
            deviceID: m.device_id.copy, pioEnvironment: nameField(m.pio_env),
            firmwareEdition: m.firmware_edition.rawValue,
            nodeDBCount: m.nodedb_count)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__MyNodeInfo> {
        arena.make(meshtastic__my_node_info__init) { m in
            (m.has_my_node_num, m.my_node_num) = implicit(number.rawValue)
            (m.has_reboot_count, m.reboot_count) = implicit(rebootCount)
            (m.has_min_app_version, m.min_app_version) = implicit(minAppVersion)
            (m.has_device_id, m.device_id) = arena.bytes(deviceID)
            m.pio_env = arena.string(pioEnvironment)
            (m.has_firmware_edition, m.firmware_edition) = implicit(enum: firmwareEdition)
            (m.has_nodedb_count, m.nodedb_count) = implicit(nodeDBCount)
        }
    }
}

extension DeviceMetadata {
    init(_ m: Meshtastic__DeviceMetadata) {
        self.init(
            firmwareVersion: nameField(m.firmware_version), deviceStateVersion: m.device_state_version,
            canShutdown: m.canshutdown != 0, hasWiFi: m.haswifi != 0, hasBluetooth: m.hasbluetooth != 0,
            hasEthernet: m.hasethernet != 0, role: m.role.rawValue, positionFlags: m.position_flags,
            hardwareModel: m.hw_model.rawValue, hasRemoteHardware: m.hasremotehardware != 0, hasPKC: m.haspkc != 0,
            excludedModules: m.excluded_modules, hasXEdDSA: m.has_xeddsa != 0)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__DeviceMetadata> {
        arena.make(meshtastic__device_metadata__init) { m in
            m.firmware_version = arena.string(firmwareVersion)
            (m.has_device_state_version, m.device_state_version) = implicit(deviceStateVersion)
            (m.has_canshutdown, m.canshutdown) = implicit(canShutdown)
            (m.has_haswifi, m.haswifi) = implicit(hasWiFi)
            (m.has_hasbluetooth, m.hasbluetooth) = implicit(hasBluetooth)
            (m.has_hasethernet, m.hasethernet) = implicit(hasEthernet)
            (m.has_role, m.role) = implicit(enum: role)
            (m.has_position_flags, m.position_flags) = implicit(positionFlags)
            (m.has_hw_model, m.hw_model) = implicit(enum: hardwareModel)
            (m.has_hasremotehardware, m.hasremotehardware) = implicit(hasRemoteHardware)
            (m.has_haspkc, m.haspkc) = implicit(hasPKC)
            (m.has_excluded_modules, m.excluded_modules) = implicit(excludedModules)
            (m.has_has_xeddsa, m.has_xeddsa) = implicit(hasXEdDSA)
        }
    }
}
