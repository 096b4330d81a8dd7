import MeshModel
import MeshProtocol
import RadioLink
import Store

// What a client orders is done, in the orders' thread.

extension AttachedRadio {
    /// - Parameter deadline: how long it waits for a radio that restarts as it was told.
    func obey(
        _ order: AdminOrder, by sender: Sender, _ shown: ShownSettings?, of source: SourceID,
        until deadline: MonotonicTime
    ) -> Administration {
        if let why = order.whyClosed(shown) { return .declined(.notAuthorized, why: why) }
        while true {
            guard awaitRestart(of: source, until: deadline) else {
                return .declined(
                    .noInterface,
                    why: "The radio has not come back from its restart within a minute, so that this was not done.")
            }
            guard administration.editor.map({ $0 == sender }) ?? true else {
                return .declined(
                    .notAuthorized,
                    why: "Another program is changing the radio's settings; try again when it has done.")
            }
            do throws(RadioRefusal) {
                try obey(order, by: sender, shown, of: source)
                return .done
            } catch {
                guard order.mayBeRepeated, isLostByRestart(error, before: deadline) else {
                    return .refused(error.routingError)
                }
            }
        }
    }

    private func obey(
        _ order: AdminOrder, by sender: Sender, _ shown: ShownSettings?, of source: SourceID
    ) throws(RadioRefusal) {
        try resumeEdit(of: sender, in: source)
        switch order.kind {
        case .begin: try beginEdit(by: sender, of: source)
        case .commit: try commitEdit(of: source)
        default: try carryOut(order, shown, of: source)
        }
    }

    private func carryOut(
        _ order: AdminOrder, _ shown: ShownSettings?, of source: SourceID
    ) throws(RadioRefusal) {
        switch order.variant {
        case 32, 34, 35, 46:
            guard let wanted = order.section else { throw .refused(.badRequest) }
            try write(wanted, shown, of: source)
        case 33:
            guard let wanted = order.channel else { throw .refused(.badRequest) }
            try write(wanted, shown, of: source)
        default:
            let mark = markChange(order, in: source)
            // It can have been obeyed although nothing says so.
            defer { administration.forgetAnswers() }
            try tell(.passed(order), of: source)
            if order.kind == .setting, order.mayBeRepeated { administration.noteWritten(.passed(order)) }
            if let seconds = order.reboot { restartWasOrdered(in: seconds) }
            // A fixed position is a setting, and the own node's place.
            if order.variant == 41 || order.variant == 42 { try changed(of: source) }
            mark?()
        }
    }

    /// What a client tells the radio about a node is in the node's row at once, as if it had been told on the command line.
    private func markChange(_ order: AdminOrder, in source: SourceID) -> (() -> Void)? {
        // nodedb_reset. Favourites may be kept: those are in the next handshake.
        if order.variant == 100 { return { [self] in forget(nil, in: source) } }
        guard let node = order.node else { return nil }
        let change: () throws -> Void
        switch order.variant {
        case 38: change = { [self] in forget(node, in: source) }
        case 39, 40:
            change = { [self] in _ = try set(.favorite, order.variant == 39, of: node, in: source, onRadio: false) }
        case 47, 48:
            change = { [self] in _ = try set(.ignored, order.variant == 47, of: node, in: source, onRadio: false) }
        // It is turned into its contrary. A handshake in between has the new one already.
        case 49:
            guard let isMuted = try? store.read({ try $0.node(node, in: source)?.isMuted }) else { return nil }
            change = { [self] in try mute(!isMuted, node, in: source) }
        default: return nil
        }
        return { [self] in
            // The radio has done it all the same, and tells so in its next handshake.
            do { try change() } catch { logger.error("not stored: \(error)") }
        }
    }

    private func write(
        _ wanted: SettingsSection, _ shown: ShownSettings?, of source: SourceID
    ) throws(RadioRefusal) {
        guard let before = shown?.section(wanted.name) else { throw .refused(.badRequest) }
        guard !wanted.takesTheRadioAway(from: before) else { throw .refused(.notAuthorized) }
        // Written back as it was shown it is no order.
        guard !wanted.keeping(of: before).isSame(as: before) else { return }
        let isWritten = try settingsChange.withLock { _ throws(RadioRefusal) in
            let real = try settings(wanted.name, of: source)
            guard let changed = real.changed(from: before, to: wanted) else { throw .refused(.badRequest) }
            let merged = changed.keeping(of: real)
            guard changed != real, !merged.isSame(as: real) else { return false }
            try tell(.setSection(merged), of: source)
            administration.noteWritten(.setSection(merged))
            // Within an edit it restarts when that ends.
            if administration.editor == nil { restartWasOrdered(in: Self.secondsToRestart) }
            shown?.note(merged)
            return true
        }
        if isWritten { try changed(of: source) }
    }

    private func write(_ wanted: RadioChannel, _ shown: ShownSettings?, of source: SourceID) throws(RadioRefusal) {
        let index = wanted.channel.index
        guard (0...7).contains(index), let before = shown?.channel(index) else { throw .refused(.badRequest) }
        try settingsChange.withLock { _ throws(RadioRefusal) in
            guard case .channel(let real) = try ask(.channel(index), of: source).answer,
                let merged = real.changed(from: before, to: wanted)
            else { throw .refused(.badRequest) }
            guard merged != real else { return }
            try tell(.setChannel(merged), of: source)
            administration.noteWritten(.setChannel(merged))
            shown?.note(merged)
        }
        try changed(of: source)
    }

    /// Reads the settings again: at once, or when the edit has ended.
    private func changed(of source: SourceID) throws(RadioRefusal) {
        if !administration.noteChange() { readAgain() }
    }
}

extension AdminOrder {
    /// Twice it does the same as once.
    fileprivate var mayBeRepeated: Bool { variant != 49 && reboot == nil }

    /// Nil: nothing in it is the gateway's own business.
    fileprivate func whyClosed(_ shown: ShownSettings?) -> String? {
        let proxy = "mqtt.proxy_to_client_enabled"
        guard let wanted = section, wanted.name.description == "mqtt", let before = shown?.section(wanted.name),
            wanted[proxy] != before[proxy]
        else { return nil }
        return
            "This radio is shared by mesh-gateway, which passes no MQTT traffic through its clients; leave \"MQTT client "
            + "proxy\" off. A radio with a network of its own can reach its broker itself."
    }
}

extension SettingsSection {
    /// The private key, who administers the radio from afar, and its own serial port are not for clients to change. The old
    /// channel for administration lets everybody in who has its key: it can be switched off, not on.
    fileprivate func takesTheRadioAway(from shown: SettingsSection) -> Bool {
        guard name.description == "security" else { return false }
        let isOther = { (path: String) in self[path] != shown[path] }
        return setsSecret("private_key")
            || settings(below: "security.admin_key") != shown.settings(below: "security.admin_key")
            || isOther("security.public_key") || isOther("security.serial_enabled")
            || isOther("security.admin_channel_enabled") && self["security.admin_channel_enabled"] != .flag(false)
    }

    private func settings(below path: String) -> [Setting] { settings.filter { $0.path.hasPrefix(path) } }

    /// With what clients are shown otherwise than it is.
    fileprivate func keeping(of real: SettingsSection) -> SettingsSection {
        switch name.description {
        case "security": taking(["is_managed", "private_key", "public_key", "admin_key", "serial_enabled"], from: real)
        case "device": taking(["is_managed"], from: real)
        case "mqtt": taking(["proxy_to_client_enabled"], from: real)
        default: self
        }
    }
}

extension RadioRefusal {
    fileprivate var routingError: RoutingError {
        switch self {
        case .notConnected: .noInterface
        case .silent: .timeout
        case .refused(let error): error
        case .noSuchSection, .setting, .noFreeSlot, .hostClockUnset: .badRequest
        case .editIsOpen: .notAuthorized
        case .storage: .noInterface
        }
    }
}
