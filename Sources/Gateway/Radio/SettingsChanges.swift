import MeshModel
import MeshProtocol
import RadioLink
import Store

// Changing the radio's settings: a section is read, changed and written as a whole, because a field that is missing counts
// as 0 (SerialReference 4.14), and read again, because even a radio that says "done" may have put something else in
// its place.

/// What an edit does, or would do.
public struct SettingsChange: Sendable {
    public struct Row: Sendable {
        public var path: String
        /// Nil: the radio has no such field.
        public var old: SettingValue?
        /// Nil: it is refused, or a secret that stays.
        public var new: SettingValue?
        /// What the radio has after the change, if that was made and the radio has said so.
        public var taken: SettingValue?
        public var refusal: Refusal?
    }

    /// Why a field is not changed.
    public enum Refusal: Sendable {
        case setting(SettingRefusal)
        /// The radio does not have what the client has seen.
        case changedMeanwhile
    }

    /// In the order in which they were asked for, behind those of a link.
    public var rows: [Row]
    /// Nil: no channel was to be changed.
    public var channels: ChannelPlan?
    public var consequences: SettingsConsequences
    public var isApplied = false
    /// The radio refused one of several sections, or was silent about it: the rows say what it has taken of them.
    public var refusal: RadioRefusal?

    fileprivate mutating func refuseWhatIsNamedTwice() {
        for place in rows.indices where rows[..<place].contains(where: { $0.path == rows[place].path }) {
            rows[place].refusal = .setting(.badValue(path: rows[place].path, expected: "one value, not two"))
        }
    }

    /// Even a radio that says "done" may have put something else in its place.
    public var isTaken: Bool { rows.allSatisfy { $0.isTaken ?? true } }

    public var isRefused: Bool { rows.contains { $0.refusal != nil } }
}

/// Sections as they are, and as they are to be.
private struct PlannedSections {
    private(set) var sections: [(old: SettingsSection, new: SettingsSection)] = []

    mutating func add(_ old: SettingsSection, _ new: SettingsSection) { sections.append((old, new)) }

    /// The radio's build leaves these out.
    var missing: [SettingsName] = []

    func isMissing(_ change: SettingsEdit.Change) -> Bool { missing.contains { change.path.names($0) } }

    func place(of path: String) -> Int? { sections.firstIndex { path.names($0.old.name) } }

    /// The row of a change, which is planned unless it is refused.
    mutating func plan(_ change: SettingsEdit.Change) -> SettingsChange.Row {
        let path = change.path.lowercased()
        // A message of a list is not set by itself.
        if path.contains("[") { return SettingsChange.Row(path: path, refusal: .setting(.notHere(change.path))) }
        guard let place = place(of: path), let old = sections[place].old[path] else {
            // A field of which only the parts can be set, or none.
            let refusal = refusal(of: change) ?? .unknown(change.path)
            return SettingsChange.Row(path: path, refusal: .setting(refusal))
        }
        let (before, planned) = sections[place]
        var row = SettingsChange.Row(path: path, old: old)
        do throws(SettingRefusal) {
            if let was = change.was, try before.applying([(path, was)])[path] != old || old.secretBytes != nil {
                row.refusal = .changedMeanwhile
            } else if let text = change.text {
                let new = try planned.applying([(path, text)])
                (sections[place].new, row.new) = (new, new[path])
            } else if old.secretBytes == nil {
                throw .badValue(path: change.path, expected: "a value; null is for secrets that stay")
            }
        } catch {
            row.refusal = .setting(error)
        }
        return row
    }

    /// The same of a file; nil: the radio has this secret already.
    mutating func planOfFile(_ change: SettingsEdit.Change) -> SettingsChange.Row? {
        let path = change.path.lowercased()
        guard let place = place(of: path), let text = change.text else { return plan(change) }
        let (before, planned) = sections[place]
        do throws(SettingRefusal) {
            let new = try planned.applying([(path, text)])
            guard let after = new[path] else { throw .unknown(path) }
            if case .secret = after, try before.applying([(path, text)]).isSame(as: before) { return nil }
            sections[place].new = new
            // A message of a list that is new was nothing before.
            return SettingsChange.Row(path: path, old: before[path] ?? after.unset, new: after)
        } catch {
            return SettingsChange.Row(path: path, old: before[path], refusal: .setting(error))
        }
    }

    private func refusal(of change: SettingsEdit.Change) -> SettingRefusal? {
        guard let place = place(of: change.path), let text = change.text else { return nil }
        do throws(SettingRefusal) {
            _ = try sections[place].old.applying([(change.path, text)])
            return nil
        } catch {
            return error
        }
    }

    /// The rows of an edit.
    mutating func plan(_ edit: SettingsEdit) -> [SettingsChange.Row] {
        edit.changes.filter { !isMissing($0) }.compactMap { edit.isFile ? planOfFile($0) : plan($0) }
    }

    func changed(by rows: [SettingsChange.Row]) -> [SettingsSection] {
        sections.map(\.new).filter { new in rows.contains { $0.isChange && $0.path.names(new.name) } }
    }
}

extension SettingsEdit {
    /// Those to be read: of each field, and the LoRa settings with which channels come.
    fileprivate var sections: [SettingsName] {
        var names: [SettingsName] = concernsChannels ? [.lora] : []
        for change in changes {
            guard let name = SettingsName(String(change.path.prefix { $0 != "." })) else { continue }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// What no radio would take, which is known without asking one; nil: nothing of it.
    fileprivate var refused: SettingsChange? {
        var planned = PlannedSections()
        for blank in sections.map(SettingsSection.blank) { planned.add(blank, blank) }
        var edit = self
        for place in changes.indices { edit.changes[place].was = nil }
        var change = SettingsChange(rows: planned.plan(edit), consequences: SettingsConsequences())
        change.refuseWhatIsNamedTwice()
        // What the radio has was not asked.
        for place in change.rows.indices { change.rows[place].old = nil }
        return change.isRefused ? change : nil
    }
}

extension AttachedRadio {
    /// - Parameter isPreview: nothing is written.
    func change(
        _ edit: SettingsEdit, isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> SettingsChange {
        try refuseWhileEditIsOpen()
        let (planned, sections) = try planned(edit, of: source)
        var change = planned
        let changed = sections.changed(by: change.rows)
        var orders = change.channels?.orders ?? []
        orders += try additions(edit, to: &change, of: source)
        guard !isPreview, !change.isRefused, !changed.isEmpty || !orders.isEmpty else { return change }
        do throws(RadioRefusal) {
            try write(orders, changed, of: source)
        } catch {
            guard changed.count + orders.count > 1, error != .notConnected else { throw error }
            change.refusal = error
        }
        if change.consequences.restarts { restartWasOrdered(in: Self.secondsToRestart) }
        try read(changed, into: &change, of: source)
        change.isApplied = change.refusal == nil
        change.channels?.isApplied = change.isApplied
        readAgain()
        return change
    }

    /// What the edit comes to with what the radio has now.
    private func planned(
        _ edit: SettingsEdit, of source: SourceID
    ) throws(RadioRefusal) -> (SettingsChange, PlannedSections) {
        var change = SettingsChange(rows: [], consequences: SettingsConsequences())
        var planned = PlannedSections()
        for name in edit.sections {
            let old: SettingsSection
            do throws(RadioRefusal) {
                old = try settings(name, of: source)
            } catch {
                guard edit.isFile, case .noSuchSection = error else { throw error }
                planned.missing.append(name)
                continue
            }
            var new = old
            if name == .lora, edit.concernsChannels {
                let plan = try plan(edit, lora: old, of: source)
                new = plan.newLoRa ?? old
                change.rows += plan.newLoRa == nil ? [] : plan.lora
                change.channels = plan
            }
            planned.add(old, new)
        }
        let asked = planned.plan(edit)
        change.rows.removeAll { row in asked.contains { $0.path == row.path } }
        change.rows += asked
        change.refuseWhatIsNamedTwice()
        let heard = heardMesh(of: source)
        change.consequences = SettingsConsequences(
            of: change.rows.filter(\.isChange), firmware: attachment.snapshot?.firmwareVersion, heard: heard)
        change.consequences.warnings += change.channels?.warnings(heard) ?? []
        change.consequences.warnings += planned.missing.map {
            "This radio has no settings \"\($0)\"; those of the file are passed over."
        }
        return (change, planned)
    }

    /// After a change of settings (DEFAULT_REBOOT_SECONDS).
    static let secondsToRestart = 7

    /// What the radio has made of it.
    private func read(
        _ changed: [SettingsSection], into change: inout SettingsChange, of source: SourceID
    ) throws(RadioRefusal) {
        do throws(RadioRefusal) {
            for section in changed {
                let taken = try settings(section.name, of: source)
                for place in change.rows.indices where change.rows[place].path.names(section.name) {
                    change.rows[place].taken = taken[change.rows[place].path]
                }
            }
            if change.channels?.orders.isEmpty == false { change.channels?.take(try takenChannels(of: source)) }
            for place in change.rows.indices where change.rows[place].taken == nil {
                change.rows[place].taken = try takenAddition(change.rows[place], of: source)
            }
        } catch {
            // What was refused first is what the person has to know.
            if change.refusal == nil { throw error }
        }
    }

    /// The next reader of the list of channels sees what the radio has now, and not only when it has told all of its settings.
    private func takenChannels(of source: SourceID) throws(RadioRefusal) -> [RadioChannel] {
        let taken = try channels(of: source)
        let now = clock()
        _ = try? store.commit { try $0.updateChannels(taken.map(\.channel), in: source, at: now) }
        return taken
    }

    private func plan(
        _ edit: SettingsEdit, lora: SettingsSection, of source: SourceID
    ) throws(RadioRefusal) -> ChannelPlan {
        let channels = try channels(of: source)
        var plan =
            try edit.link.map { (link) throws(RadioRefusal) in
                try ChannelPlan(link, replaces: edit.replaces, channels: channels, lora: lora)
            } ?? ChannelPlan(channels)
        for slot in edit.slots { try plan.change(slot, from: channels) }
        if lora["lora.channel_num"] == .unsigned(0), let known = attachment.snapshot?.lora,
            let region = LoRaRegion.of(known.region)
        {
            plan.namesChooseFrequency = (region.to - region.from) * 1000 >= 2 * known.modem.bandwidth
        }
        return plan
    }

    /// Several at once, so that the radio restarts once. When one of them is refused, those before it stay.
    func write(
        _ others: [AdminRequest], _ sections: [SettingsSection], of source: SourceID
    ) throws(RadioRefusal) {
        let requests = others + sections.filter { !$0.holdsKeyPair }.map { .setSection($0) }
        let security = sections.filter(\.holdsKeyPair)
        guard requests.count + security.count > 1 else {
            for request in requests + security.map({ .setSection($0) }) { try tell(request, of: source) }
            return
        }
        do throws(RadioRefusal) {
            // Also when its answer gets lost, it may have obeyed.
            try tell(.beginEdit, of: source)
            for request in requests { try tell(request, of: source) }
            // A first region has given the radio its key pair meanwhile: without it in the section, it would make another one.
            for section in security {
                let keyPair = try settings(section.name, of: source)
                try tell(.setSection(section.takingKeyPair(from: keyPair)), of: source)
            }
        } catch {
            // An edit that stays open would keep everything that is set later from being saved.
            try? tell(.commitEdit, of: source)
            throw error
        }
        do throws(RadioRefusal) {
            try tell(.commitEdit, of: source)
        } catch {
            guard case .silent = error else { throw error }
            try tell(.commitEdit, of: source)
        }
    }
}

extension SettingsSection {
    fileprivate var holdsKeyPair: Bool { "\(name)" == "security" }

    fileprivate func takingKeyPair(from other: SettingsSection) -> SettingsSection {
        taking(["private_key", "public_key"], from: other)
    }
}

extension SettingsChange.Row {
    /// The radio has what it was to have; nil: nobody knows, or nothing was to change.
    public var isTaken: Bool? { new.flatMap { new in taken.map { $0 == new } } }

    /// A secret may be another one of the same length.
    public var isChange: Bool {
        guard let new else { return false }
        if case .secret = new { return true }
        return old != new
    }
}

extension String {
    fileprivate func names(_ section: SettingsName) -> Bool { lowercased().hasPrefix("\(section).") }
}

extension Gateway {
    /// Changes settings of the radio: reads them, writes what differs, and reads them again.
    ///
    /// - Parameter isPreview: nothing is written.
    public func change(
        _ edit: SettingsEdit, isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> SettingsChange {
        if let refused = edit.refused { return refused }
        let radio = try connected(source)
        return try radio.settingsChange.withLock { _ throws(RadioRefusal) in
            try radio.change(edit, isPreview: isPreview, of: source)
        }
    }

    /// The same for fields alone; the first that is refused is thrown.
    ///
    /// - Parameter changes: paths such as `lora.hop_limit`, and values as a person writes them.
    public func change(
        _ changes: [(path: String, text: String)], isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> SettingsChange {
        var edit = SettingsEdit()
        edit.changes = changes.map { SettingsEdit.Change(path: $0.path, text: $0.text) }
        let change = try change(edit, isPreview: isPreview, of: source)
        for row in change.rows { if case .setting(let refusal)? = row.refusal { throw .setting(refusal) } }
        return change
    }
}
