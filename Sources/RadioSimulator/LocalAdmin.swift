import MeshModel
import MeshProtocol

/// What the host asks and tells the radio itself (SerialReference 4.13, 4.14). The field numbers are AdminMessage's.
///
/// A radio that is not managed from afar has a word for every message that it can read: the value, NONE, or the error. It
/// says NO_RESPONSE only where none of its modules says anything (recording 12-admin).
extension Radio {
    /// After a change that needs it (DEFAULT_REBOOT_SECONDS).
    static let rebootDelay = 7.0

    /// - Parameter frame: the ToRadio in which the order came: the codec leaves secrets out of what it decodes.
    mutating func answer(toAdmin payload: [UInt8], frame: [UInt8]) -> LocalAnswer {
        // The key of a remote session may stand before the order.
        let order = fields(of: content(of: [1, 4, 2], in: frame) ?? payload).first { $0.field != 101 }
        guard let order, !isManaged else { return .nobody }
        let number = Int32(truncatingIfNeeded: order.value)
        if let answer = answer(toGetter: order.field, order.value)
            ?? answer(toNodeOrder: order.field, NodeNumber(UInt32(bitPattern: number)))
            ?? answer(toPowerOrder: order.field, Double(number))
            ?? answer(toSetter: order.field, order.content)
        {
            return answer
        }
        switch order.field {
        case 24: keepBackup()
        case 25: return restoreBackup() ? .done : .word(.badRequest)
        case 26: backup = nil
        case 43: setClock(fromHost: UInt32(bitPattern: number))
        case 64: edit = Edit()
        case 65:
            let needsReboot = edit?.needsReboot ?? false
            edit = nil
            if needsReboot { restart(after: Self.rebootDelay) }
        // Buttons, files, sensors, key verification, updates: nothing of it shows in a simulated radio.
        default: break
        }
        return .done
    }

    private mutating func answer(toSetter field: UInt32, _ content: [UInt8]) -> LocalAnswer? {
        switch field {
        case 18: return setHamMode(content)
        case 32: return setOwner(content)
        case 33: return setChannel(content)
        case 34: return setConfig(content)
        case 35: return setModuleConfig(content)
        case 36: clientData.cannedMessages = content
        case 37: clientData.ringtone = content
        case 41: return fixPosition(content)
        case 42: unfixPosition()
        case 46: clientData.uiConfig = content
        case 66:
            let message = WireWriter.message { $0.message(66, content) }
            guard case .admin(.addContact(let contact)) = PacketContent(MeshData(port: .admin, payload: message))
            else { return .nobody }
            add(contact)
        default: return nil
        }
        return .done
    }

    private mutating func answer(toGetter field: UInt32, _ value: UInt64) -> LocalAnswer? {
        switch field {
        case 1:
            guard (1...8).contains(value) else { return .word(.badRequest) }
            return response(2, channelContent(Int(value) - 1))
        case 3:
            // Only the node infos of 2.8 hide it.
            var owner = user
            owner.macAddress = macAddress
            return response(4, owner.encoded())
        case 5: return response(6, value < 10 ? settings.config(UInt32(value) + 1) : [])
        // TAK is in the handshake, but the firmware does not know the question.
        case 7:
            let isKnown = value != 15 && settings.moduleTags.contains(UInt32(clamping: value) &+ 1)
            return response(8, isKnown ? settings.moduleConfig(UInt32(value) + 1) : [])
        case 10: return response(11, clientData.cannedMessages)
        case 12: return response(13, Self.inner(of: .metadata(metadata)))
        case 14: return response(15, clientData.ringtone)
        case 16: return response(17, connectionStatus)
        case 44: return .reply(.admin, WireWriter.message { $0.message(45, clientData.uiConfig) })
        default: return nil
        }
    }

    private mutating func response(_ field: UInt32, _ content: [UInt8]) -> LocalAnswer {
        let passkey = sessionPasskey()
        return .reply(
            .admin,
            WireWriter.message {
                $0.message(field, content); $0.message(101, passkey)
            })
    }

    /// Eight bytes that remote administration repeats; the firmware makes new ones when they are older than 150 seconds.
    private mutating func sessionPasskey() -> [UInt8] {
        if let passkey, now - passkey.since < 150 { return passkey.bytes }
        var generator = SeededGenerator(seed: options.seed ^ UInt64(now * 1000), purpose: 6)
        let bytes = generator.bytes(8)
        passkey = (bytes, now)
        return bytes
    }

    /// WiFi, Bluetooth and serial line, as far as a session over one of them tells.
    private var connectionStatus: [UInt8] {
        let isNetworked = api.line == .tcp
        let wifi = WireWriter.message {
            $0.message(
                1,
                WireWriter.message {
                    $0.fixed32(1, isNetworked ? 0x0100_007F : 0)
                    $0.flag(2, isNetworked)
                })
            $0.text(2, isNetworked ? "Hut" : "")
        }
        let bluetooth = WireWriter.message { $0.number(1, UInt64(RadioSettings.bluetoothPIN)) }
        let serial = WireWriter.message {
            $0.number(1, 115_200)
            $0.flag(2, !isNetworked)
        }
        return WireWriter.message {
            $0.message(1, wifi)
            $0.message(3, bluetooth)
            $0.message(4, serial)
        }
    }

    private mutating func answer(toNodeOrder field: UInt32, _ node: NodeNumber) -> LocalAnswer? {
        switch field {
        case 38: forget(node)
        case 39: setFavorite(node)
        case 40: change(node) { $0.isFavorite = false }
        case 47: change(node) { $0.isIgnored = true }
        case 48: change(node) { $0.isIgnored = false }
        case 49: change(node) { $0.isMuted.toggle() }
        case 100:
            // Favourites are kept when it is true, as bool and as the number that it once was.
            for other in nodes where node.rawValue == 0 || !other.isFavorite { forget(other.number) }
            restart(after: Self.rebootDelay)
        default: return nil
        }
        return .done
    }

    /// A list that is full takes no more: the host is warned, and its order acknowledged all the same.
    private mutating func setFavorite(_ node: NodeNumber) {
        guard misbehaviour.contains(.fullFavorites) else { return change(node) { $0.isFavorite = true } }
        api.add(
            ClientNotification(
                time: epoch(at: now) ?? 0, level: 30, message: "Too many favorites, cannot add \(node.id)"))
    }

    private mutating func answer(toPowerOrder field: UInt32, _ seconds: Double) -> LocalAnswer? {
        switch field {
        case 94, 99:
            factoryReset = field == 94 ? .device : .config
            restart(after: Self.rebootDelay)
        case 95, 97: restart(after: seconds)
        case 98:
            agenda.removeAll { if case .shutdown = $0 { true } else { false } }
            if seconds >= 0 { agenda.add(.shutdown, at: now + seconds) }
        default: return nil
        }
        return .done
    }

    /// Between begin_edit_settings and commit_edit_settings.
    struct Edit { var needsReboot = false }

    mutating func noteChange(needsReboot: Bool) {
        guard needsReboot else { return }
        if edit == nil { restart(after: Self.rebootDelay) } else { edit?.needsReboot = true }
    }

    /// A negative time takes it back.
    private mutating func restart(after seconds: Double) {
        agenda.removeAll { if case .reboot = $0 { true } else { false } }
        if seconds >= 0 { agenda.add(.reboot, at: now + seconds) } else { factoryReset = nil }
    }

    /// Nothing that a host is waiting for is left without a word, which goes out before the restart.
    mutating func restartAsOrdered() {
        guard unconfirmed.isEmpty || isOff else {
            giveUpUnconfirmed()
            return agenda.add(.reboot, at: now + 0.2)
        }
        if let factoryReset {
            resetToFactory(factoryReset)
            self.factoryReset = nil
        }
        reboot(silently: misbehaviour.contains(.silentReboots))
    }

    mutating func shutDown() {
        reboot(silently: true)
        isOff = true
    }

    /// Somebody administers the radio from afar: what is said at its ports does not count.
    private var isManaged: Bool { varintField(4, in: section(8, of: settings.config(8))) == 1 }

    /// The firmware knows that no clock is older than itself, nor forty years ahead.
    private mutating func setClock(fromHost seconds: UInt32) {
        let built = options.firmware.buildEpoch
        if (built..<built + 40 * 31_557_600).contains(seconds) { setClock(seconds) }
    }
}
