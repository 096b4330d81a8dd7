import MeshModel
import MeshProtocol
import RadioLink
import Store

// What clients may ask of the radio and do to it: one policy, whatever way they come.
//
// | | read | send | admin |
// |---|---|---|---|
// | getters | yes | yes | yes |
// | clock | taken, not done: the gateway sets it | | |
// | favourite, ignored, muted nodes | no | yes | yes |
// | settings, channels, nodes of its memory, restart | no | no | yes, merged into what the radio has |
// | far nodes | no | no | yes |
// | factory reset, shutdown, files, updates, keys | no | no | no |
//
// 1. A refusal is an answer at once. Silence hangs some clients for ever, and others take it for success.
// 2. A client writes sections as a whole, without the secrets that it was not shown and the fields that it does not know. Only
//    what differs from what it was shown is changed (MergedSettings). What the gateway shows otherwise than it is on purpose
//    (the flags that hide settings, the proxy for a broker) is always the radio's.
// 3. Changes are made one after the other, in a thread of their own: each waits for the radio's answer.
// 4. begin and commit belong to one client. Meanwhile others are refused; after a minute the edit ends by itself, so that a
//    client that has vanished leaves nothing open.

/// What a client may do.
public enum AdminRight: Int, Comparable, Sendable {
    case read, send, admin

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What a client is answered.
public enum Administration: Sendable {
    /// The payload of an ADMIN packet that answers its own.
    case answer([UInt8])
    /// ROUTING without an error.
    case done
    case refused(RoutingError)
    /// It is for another node, and goes there.
    case submitted(Submission)
}

extension Gateway {
    /// Takes a client's ADMIN packet. Returns at once.
    ///
    /// - Parameters:
    ///   - shown: what the client was shown of the settings; a getter's answer is added. Nil: nothing, and it may change
    ///     none.
    ///   - done: is called once, on any thread, within about a minute.
    public func administer(
        _ packet: ClientPacket, by sender: Sender, right: AdminRight, shown: ShownSettings?, of source: SourceID,
        done: @escaping @Sendable (Administration) -> Void
    ) {
        guard let content = packet.content, content.port == .admin else { return done(.refused(.badRequest)) }
        guard let radio = radios.feeding(source) else { return done(.refused(.noInterface)) }
        guard let own = radio.state.withLock({ $0.snapshot?.number }) ?? shown?.own else {
            return done(.refused(.noInterface))
        }
        guard packet.to == own else {
            // A radio obeys what goes to everybody, too; of the reserved numbers firmware takes 1 for everybody.
            guard right == .admin, packet.to.mayBeNode else { return done(.refused(.notAuthorized)) }
            return radio.submit(packet, by: sender, to: source) { done(.submitted($0)) }
        }
        guard content.payload.count <= ClientPacket.longestPayload else { return done(.refused(.tooLarge)) }
        guard let order = AdminOrder(content.payload) else { return done(.refused(.badRequest)) }
        radio.administer(order, by: sender, right: right, shown: shown, of: source, done: done)
    }

    /// A client has gone: the edit that it has begun ends.
    public func endEdit(by sender: Sender, of source: SourceID) {
        radios.feeding(source)?.endEdit { $0.owner == sender }
    }
}

/// What lies between a client's begin and commit.
struct OpenEdit: Sendable {
    /// Nanoseconds.
    static let lifetime: MonotonicTime = 60_000_000_000

    var owner: Sender
    var ends: MonotonicTime
    /// Something was written: the radio restarts, or has to be read again.
    var hasChanges = false
}

extension AttachedRadio {
    fileprivate func administer(
        _ order: AdminOrder, by sender: Sender, right: AdminRight, shown: ShownSettings?, of source: SourceID,
        done: @escaping @Sendable (Administration) -> Void
    ) {
        switch order.kind {
        case .getter: get(order, shown, of: source, done: done)
        case .clock: done(.done)
        // What it brackets is refused or needs none: nothing to write.
        case .begin where right < .admin, .commit where right < .admin:
            done(.done)
        case .everyday where right < .send, .setting where right < .admin, .forbidden: done(.refused(.notAuthorized))
        case .begin, .commit, .everyday, .setting:
            guard state.withLock({ $0.takesPackets(of: source) }) else { return done(.refused(.noInterface)) }
            let isTaken = orders.add { [self] in done(obey(order, by: sender, shown, of: source)) }
            if !isTaken { done(.refused(.rateLimitExceeded)) }
        }
    }

    // MARK: Getters

    private func get(
        _ order: AdminOrder, _ shown: ShownSettings?, of source: SourceID,
        done: @escaping @Sendable (Administration) -> Void
    ) {
        if let known = shown?.answer(to: order) { return done(.answer(known.withPasskey)) }
        let empty = order.asksForText ? shown?.emptyAnswer(to: order) : nil
        guard state.withLock({ $0.takesPackets(of: source) }) else {
            return done(empty.map { .answer($0.withPasskey) } ?? .refused(.noInterface))
        }
        ask(.passed(order)) { outcome in
            switch outcome {
            case .answered(.payload(let payload), _):
                shown?.note(payload)
                done(.answer(payload.withPasskey))
            case .answered(.refused(let error), _): done(empty.map { .answer($0.withPasskey) } ?? .refused(error))
            case .answered: done(empty.map { .answer($0.withPasskey) } ?? .done)
            case .silent: done(empty.map { .answer($0.withPasskey) } ?? .refused(.timeout))
            case .notConnected: done(empty.map { .answer($0.withPasskey) } ?? .refused(.noInterface))
            }
        }
    }

    // MARK: Changes, in the orders' thread

    private func obey(
        _ order: AdminOrder, by sender: Sender, _ shown: ShownSettings?, of source: SourceID
    ) -> Administration {
        let isOthers = state.withLock { $0.edit.map { $0.owner != sender } ?? false }
        guard !isOthers else { return .refused(.notAuthorized) }
        do throws(RadioRefusal) {
            switch order.kind {
            case .begin:
                try tell(.beginEdit, of: source)
                let ends = monotonic() + OpenEdit.lifetime
                state.withLock { $0.edit = OpenEdit(owner: sender, ends: ends) }
                wake()
            case .commit: try commitEdit(of: source)
            default: try carryOut(order, shown, of: source)
            }
            return .done
        } catch {
            return .refused(error.routingError)
        }
    }

    private func carryOut(
        _ order: AdminOrder, _ shown: ShownSettings?, of source: SourceID
    ) throws(RadioRefusal) {
        switch order.variant {
        case 32, 34, 35:
            // The user interface's settings and what else is no section is the radio's own business.
            guard let wanted = order.section else { throw .refused(.badRequest) }
            try write(wanted, shown, of: source)
        case 33:
            guard let wanted = order.channel else { throw .refused(.badRequest) }
            try write(wanted, shown, of: source)
        default:
            try tell(.passed(order), of: source)
            if let seconds = order.reboot { restartWasOrdered(in: seconds) }
            if order.variant == 36 || order.variant == 37 { shown?.forgetTexts() }
            // A fixed position is a setting, and the own node's place.
            if order.variant == 41 || order.variant == 42 { try changed(of: source) }
        }
    }

    private func write(
        _ wanted: SettingsSection, _ shown: ShownSettings?, of source: SourceID
    ) throws(RadioRefusal) {
        guard let before = shown?.section(wanted.name) else { throw .refused(.badRequest) }
        guard !wanted.takesTheRadioAway(from: before) else { throw .refused(.notAuthorized) }
        try questions.change.withLock { _ throws(RadioRefusal) in
            let real = try settings(wanted.name, of: source)
            guard let changed = real.changed(from: before, to: wanted) else { throw .refused(.badRequest) }
            let merged = changed.keeping(of: real)
            guard changed != real, !merged.isSame(as: real) else { return }
            try tell(.setSection(merged), of: source)
            shown?.note(merged)
        }
        try changed(of: source)
    }

    private func write(_ wanted: RadioChannel, _ shown: ShownSettings?, of source: SourceID) throws(RadioRefusal) {
        let index = wanted.channel.index
        guard (0...7).contains(index), let before = shown?.channel(index) else { throw .refused(.badRequest) }
        try questions.change.withLock { _ throws(RadioRefusal) in
            guard case .channel(let real) = try ask(.channel(index), of: source).answer,
                let merged = real.changed(from: before, to: wanted)
            else { throw .refused(.badRequest) }
            guard merged != real else { return }
            try tell(.setChannel(merged), of: source)
            shown?.note(merged)
        }
        try changed(of: source)
    }

    /// Reads the settings again: at once, or when the edit has ended.
    private func changed(of source: SourceID) throws(RadioRefusal) {
        let isOpen = state.withLock { state in
            state.edit?.hasChanges = true
            return state.edit != nil
        }
        if !isOpen { readAgain() }
    }

    private func commitEdit(of source: SourceID) throws(RadioRefusal) {
        let edit = state.withLock { $0.edit.take() }
        guard let edit else { return }
        try tell(.commitEdit, of: source)
        if edit.hasChanges { readAgain() }
    }

    // MARK: Edits that end by themselves

    /// Ends the open edit if it is such a one: what was written is kept, as its answers were.
    fileprivate func endEdit(where isMeant: @Sendable (OpenEdit) -> Bool) {
        let edit = state.withLock { state -> OpenEdit? in
            guard let edit = state.edit, isMeant(edit) else { return nil }
            state.edit = nil
            return edit
        }
        guard let edit else { return }
        ask(.commitEdit) { _ in }
        if edit.hasChanges { readAgain() }
    }

    /// - Returns: when the open edit ends.
    func expireEdit(at now: MonotonicTime) -> MonotonicTime? {
        endEdit { $0.ends <= now }
        return state.withLock { $0.edit?.ends }
    }
}

extension SettingsSection {
    /// The private key, who administers the radio from afar, and its own serial port are not for clients to change.
    fileprivate func takesTheRadioAway(from shown: SettingsSection) -> Bool {
        guard name.description == "security" else { return false }
        let isOther = { (path: String) in self[path] != shown[path] }
        return setsSecret("private_key")
            || settings(below: "security.admin_key") != shown.settings(below: "security.admin_key")
            || isOther("security.public_key") || isOther("security.serial_enabled")
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
        case .storage: .noInterface
        }
    }
}

extension [UInt8] {
    /// Clients keep the passkey and send it back; the radio asks for none over its own port, so that any will do.
    fileprivate var withPasskey: [UInt8] {
        self + [0xAA, 0x06, 8] + (0..<8).map { _ in UInt8.random(in: .min ... .max) }
    }
}
