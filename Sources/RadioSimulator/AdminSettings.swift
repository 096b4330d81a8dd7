import MeshModel
import MeshProtocol

/// The settings that the host writes, and what it leaves in the radio besides (SerialReference 4.14).
extension Radio {
    /// Texts and looks that clients keep in the radio.
    struct ClientData {
        /// Separated by `|`.
        var cannedMessages: [UInt8] = Array("Hi|On my way|At the hut|Need help".utf8)
        /// RTTTL.
        var ringtone: [UInt8] = Array("24:d=32,o=5,b=565:f6,p,f6,4p,p,f6,p,f6".utf8)
        /// DeviceUIConfig: brightness, seconds until the screen goes dark, and its PIN.
        var uiConfig = WireWriter.message {
            $0.number(1, 1); $0.number(2, 153); $0.number(3, 30); $0.number(6, UInt64(RadioSettings.screenPIN))
        }
    }

    /// What backup_preferences keeps.
    struct Backup {
        fileprivate let settings: RadioSettings
        fileprivate let channels: [Channel]
        fileprivate let user: User
    }

    mutating func keepBackup() { backup = Backup(settings: settings, channels: channels, user: user) }

    mutating func restoreBackup() -> Bool {
        guard let backup else { return false }
        (settings, channels, user) = (backup.settings, backup.channels, backup.user)
        noteChange(needsReboot: true)
        return true
    }

    /// A name that nanopb has no room for makes the message unreadable; nobody answers it then (recording 12-admin).
    private func fits(_ bytes: [UInt8], long: UInt32, short: UInt32) -> Bool {
        content(of: [long], in: bytes)?.count ?? 0 < 40 && content(of: [short], in: bytes)?.count ?? 0 < 5
    }

    mutating func setOwner(_ bytes: [UInt8]) -> LocalAnswer {
        guard case .nodeInfo(var new) = PacketContent(MeshData(port: .nodeInfo, payload: bytes)),
            fits(bytes, long: 2, short: 3)
        else { return .nobody }
        for field: UInt32 in [2, 3] {
            if let name = content(of: [field], in: bytes), !name.isEmpty, name.allSatisfy({ $0 == 0x20 }) {
                return .word(.badRequest)
            }
        }
        if options.firmware != .v2_7 {
            while new.longName.utf8.count > 24 { new.longName.removeLast() }
        }
        if !new.longName.isEmpty { user.longName = new.longName }
        if !new.shortName.isEmpty { user.shortName = new.shortName }
        (user.isLicensed, user.isUnmessagable) = (new.isLicensed, new.isUnmessagable ?? user.isUnmessagable)
        noteChange(needsReboot: true)
        return .done
    }

    /// HamParameters: the call sign becomes the name, and the first channel is open to be read.
    mutating func setHamMode(_ bytes: [UInt8]) -> LocalAnswer {
        guard let callSign = content(of: [1], in: bytes), !callSign.isEmpty else { return .word(.badRequest) }
        user.longName = String(decoding: callSign, as: UTF8.self)
        if let short = content(of: [4], in: bytes), !short.isEmpty {
            user.shortName = String(decoding: short, as: UTF8.self)
        }
        user.isLicensed = true
        for place in channels.indices where channels[place].role == .primary { channels[place].psk = [] }
        writtenChannels = [:]
        noteChange(needsReboot: true)
        return .done
    }

    mutating func setChannel(_ bytes: [UInt8]) -> LocalAnswer {
        let frame = WireWriter.message { $0.message(10, bytes) }
        guard case .channel(let new) = frame.withUnsafeBytes({ FromRadio(decoding: $0) }) else { return .nobody }
        guard (0..<8).contains(new.index) else { return .word(.badRequest) }
        channels.removeAll { $0.index == new.index }
        if new.role == .primary {
            for place in channels.indices where channels[place].role == .primary {
                channels[place].role = .secondary
                writtenChannels[channels[place].index] = nil
            }
        }
        if new.role != .disabled { channels.append(new) }
        channels.sort { $0.index < $1.index }
        // As it was written, with fields that the codec does not know.
        writtenChannels[new.index] = content(of: [2], in: bytes) == nil ? nil : bytes
        return .done
    }

    /// The content of a Channel.
    func channelContent(_ index: Int) -> [UInt8] {
        writtenChannels[index] ?? Self.inner(of: .channel(channel(index)))
    }

    /// The section counts as it comes: what is missing is 0.
    mutating func setConfig(_ bytes: [UInt8]) -> LocalAnswer {
        guard let tag = firstField(of: bytes)?.field, (1...10).contains(tag), let new = content(of: [tag], in: bytes)
        else { return .done }
        // session key and device_ui are no settings.
        guard tag <= 8 else { return .done }
        let old = section(tag, of: settings.config(tag))
        func changes(_ fields: [UInt32]) -> Bool {
            fields.contains { varintField($0, in: old) != varintField($0, in: new) }
        }
        let needsReboot: Bool
        switch tag {
        case 1: needsReboot = changes([1, 4, 5, 6])
        case 5: needsReboot = changes([1, 5, 7, 8])
        case 6: needsReboot = options.firmware == .v2_7 && changes([1, 2, 3, 4, 5, 7, 10, 11])
        case 8: needsReboot = changes([5, 6])
        default: needsReboot = true
        }
        // The owner says it, too.
        if tag == 1 { user.role = UInt32(truncatingIfNeeded: varintField(1, in: new)) }
        if tag == 6 { set(region: UInt32(truncatingIfNeeded: varintField(7, in: new))) }
        if tag == 8, settings.region != 0, content(of: [2], in: new)?.count != 32 {
            renewKey()
            noteChange(needsReboot: true)
            return .done
        }
        settings.write(config: tag, new)
        noteChange(needsReboot: needsReboot)
        return .done
    }

    mutating func setModuleConfig(_ bytes: [UInt8]) -> LocalAnswer {
        guard let tag = firstField(of: bytes)?.field, settings.moduleTags.contains(tag),
            let new = content(of: [tag], in: bytes)
        else { return .done }
        // MQTT of its own over TLS, which builds without TLS refuse (MQTT::isValidConfig).
        if tag == 1, varintField(1, in: new) != 0, varintField(7, in: new) != 0, varintField(9, in: new) == 0 {
            return .word(.badRequest)
        }
        settings.write(module: tag, new)
        noteChange(needsReboot: tag != 13 && tag != 15)
        return .done
    }

    func section(_ tag: UInt32, of config: [UInt8]) -> [UInt8] { content(of: [tag], in: config) ?? [] }

    /// The content of a FromRadio's variant, without its number and length: both are varints.
    static func inner(of message: FromRadio) -> [UInt8] {
        let isLast = { (byte: UInt8) in byte & 0x80 == 0 }
        let bytes = message.encoded()
        guard let key = bytes.firstIndex(where: isLast),
            let length = bytes[(key + 1)...].firstIndex(where: isLast)
        else { return [] }
        return Array(bytes[(length + 1)...])
    }
}

/// A varint field; 0 without one.
func varintField(_ field: UInt32, in message: [UInt8]) -> UInt64 {
    fields(of: message).last { $0.field == field }?.value ?? 0
}

extension SimulatorOptions.Firmware {
    var version: String {
        switch self {
        case .v2_7: "2.7.26.5eed001"
        case .v2_8: "2.8.0.5eed001"
        case .v2_8_1: "2.8.1.5eed001"
        }
    }

    /// When it was built, seconds since 1970: 23 June and 24 July 2026.
    var buildEpoch: UInt32 { self == .v2_7 ? 1_782_172_800 : 1_784_851_200 }
}
