import MeshModel
import MeshProtocol

/// What the host asks and tells the radio itself (serial reference 4.13, 4.14). The field numbers are AdminMessage's.
extension Radio {
    enum AdminAnswer {
        case response([UInt8])
        case done
        case ignored
        case refused(RoutingError)
    }

    /// After a change that needs it (DEFAULT_REBOOT_SECONDS).
    private static let rebootDelay = 7.0

    /// - Parameter frame: the ToRadio in which the order came: the codec leaves secrets out of what it decodes.
    mutating func answer(toAdmin payload: [UInt8], frame: [UInt8]) -> AdminAnswer {
        guard let (field, value) = firstField(of: payload), !isManaged else { return .ignored }
        let target = NodeNumber(UInt32(truncatingIfNeeded: value))
        func response(_ field: UInt32, _ content: [UInt8]) -> AdminAnswer {
            .response(WireWriter.message { $0.message(field, content) })
        }
        switch field {
        case 1 where (1...8).contains(value): return response(2, Self.inner(of: .channel(channel(Int(value) - 1))))
        case 3: return response(4, user.encoded())
        case 5 where value < 10: return response(6, settings.config(UInt32(value) + 1))
        case 7 where settings.moduleTags.contains(UInt32(clamping: value) &+ 1):
            return response(8, settings.moduleConfig(UInt32(value) + 1))
        case 12: return response(13, Self.inner(of: .metadata(metadata)))
        case 32: return setOwner(content(of: [1, 4, 2, 32], in: frame) ?? [])
        case 33: return setChannel(content(of: [1, 4, 2, 33], in: frame) ?? [])
        case 34: return setConfig(content(of: [1, 4, 2, 34], in: frame) ?? [])
        case 35: return setModuleConfig(content(of: [1, 4, 2, 35], in: frame) ?? [])
        case 38: forget(target)
        case 39: change(target) { $0.isFavorite = true }
        case 40: change(target) { $0.isFavorite = false }
        case 43: setClock(UInt32(truncatingIfNeeded: value))
        case 47: change(target) { $0.isIgnored = true }
        case 48: change(target) { $0.isIgnored = false }
        case 49: change(target) { $0.isMuted.toggle() }
        case 64: edit = Edit()
        case 65:
            let needsReboot = edit?.needsReboot ?? false
            edit = nil
            if needsReboot { restart(after: Self.rebootDelay) }
        case 66:
            guard case .admin(.addContact(let contact)) = PacketContent(MeshData(port: .admin, payload: payload)) else {
                return .ignored
            }
            add(contact)
        case 97: restart(after: Double(Int32(truncatingIfNeeded: value)))
        default: return .ignored
        }
        return .done
    }

    /// Between begin_edit_settings and commit_edit_settings.
    struct Edit { var needsReboot = false }

    private mutating func noteChange(needsReboot: Bool) {
        guard needsReboot else { return }
        if edit == nil { restart(after: Self.rebootDelay) } else { edit?.needsReboot = true }
    }

    /// A negative time takes it back.
    private mutating func restart(after seconds: Double) {
        agenda.removeAll { if case .reboot = $0 { true } else { false } }
        if seconds >= 0 { agenda.add(.reboot, at: now + seconds) }
    }

    /// Somebody administers the radio from afar: what is said at its ports does not count.
    private var isManaged: Bool { varintField(4, in: section(8, of: settings.config(8))) == 1 }

    private mutating func setOwner(_ bytes: [UInt8]) -> AdminAnswer {
        guard case .nodeInfo(var new) = PacketContent(MeshData(port: .nodeInfo, payload: bytes)) else {
            return .ignored
        }
        // nanopb has no room for more.
        guard content(of: [2], in: bytes)?.count ?? 0 < 40, content(of: [3], in: bytes)?.count ?? 0 < 5 else {
            return .ignored
        }
        for field: UInt32 in [2, 3] {
            if let name = content(of: [field], in: bytes), !name.isEmpty, name.allSatisfy({ $0 == 0x20 }) {
                return .refused(.badRequest)
            }
        }
        if options.firmware == .v2_8 {
            while new.longName.utf8.count > 24 { new.longName.removeLast() }
        }
        if !new.longName.isEmpty { user.longName = new.longName }
        if !new.shortName.isEmpty { user.shortName = new.shortName }
        (user.isLicensed, user.isUnmessagable) = (new.isLicensed, new.isUnmessagable ?? user.isUnmessagable)
        noteChange(needsReboot: true)
        return .done
    }

    private mutating func setChannel(_ bytes: [UInt8]) -> AdminAnswer {
        let frame = WireWriter.message { $0.message(10, bytes) }
        guard case .channel(let new) = frame.withUnsafeBytes({ FromRadio(decoding: $0) }), (0..<8).contains(new.index)
        else { return .ignored }
        channels.removeAll { $0.index == new.index }
        if new.role == .primary {
            for place in channels.indices where channels[place].role == .primary { channels[place].role = .secondary }
        }
        if new.role != .disabled { channels.append(new) }
        channels.sort { $0.index < $1.index }
        return .done
    }

    /// The section counts as it comes: what is missing is 0.
    private mutating func setConfig(_ bytes: [UInt8]) -> AdminAnswer {
        guard let tag = firstField(of: bytes)?.field, (1...8).contains(tag), let new = content(of: [tag], in: bytes)
        else { return .ignored }
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
        if tag == 6 { settings.region = UInt32(truncatingIfNeeded: varintField(7, in: new)) }
        if tag == 8, content(of: [2], in: new)?.count != 32 {
            renewKey()
            noteChange(needsReboot: true)
            return .done
        }
        settings.write(config: tag, new)
        noteChange(needsReboot: needsReboot)
        return .done
    }

    private mutating func setModuleConfig(_ bytes: [UInt8]) -> AdminAnswer {
        guard let tag = firstField(of: bytes)?.field, settings.moduleTags.contains(tag),
            let new = content(of: [tag], in: bytes)
        else { return .ignored }
        settings.write(module: tag, new)
        noteChange(needsReboot: tag != 13 && tag != 15)
        return .done
    }

    private func section(_ tag: UInt32, of config: [UInt8]) -> [UInt8] { content(of: [tag], in: config) ?? [] }

    /// The content of a FromRadio's variant, without its number and length: both are varints.
    private static func inner(of message: FromRadio) -> [UInt8] {
        let isLast = { (byte: UInt8) in byte & 0x80 == 0 }
        let bytes = message.encoded()
        guard let key = bytes.firstIndex(where: isLast),
            let length = bytes[(key + 1)...].firstIndex(where: isLast)
        else { return [] }
        return Array(bytes[(length + 1)...])
    }
}

/// A varint field; 0 without one.
private func varintField(_ field: UInt32, in message: [UInt8]) -> UInt64 {
    fields(of: message).last { $0.field == field }?.value ?? 0
}
