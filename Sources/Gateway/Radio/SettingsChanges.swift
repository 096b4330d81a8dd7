import MeshModel
import MeshProtocol
import RadioLink
import Store

// Changing the radio's settings: a section is read, changed and written as a whole, because a field that is missing counts
// as 0 (SerialReference 4.14), and read again, because even a radio that says "done" may have put something else in
// its place.

/// What a change does, or would do.
public struct SettingsChange: Sendable {
    public struct Row: Sendable {
        public var path: String
        public var old: SettingValue
        public var new: SettingValue
        /// What the radio has after the change, if that was made.
        public var taken: SettingValue?
    }

    /// In the order in which they were asked for.
    public var rows: [Row]
    public var consequences: SettingsConsequences
    public var isApplied: Bool
    /// The radio refused one of several sections, or was silent about it: the rows say what it has taken of them.
    public var refusal: RadioRefusal?
    /// Sections that the radio lacks, and that were passed over.
    public var missing: [SettingsName] = []
}

extension AttachedRadio {
    /// - Parameters:
    ///   - isPreview: nothing is written.
    ///   - isFile: sections that the radio lacks are passed over, and secrets that it has already.
    ///   - besides: what is written in the same edit, before the settings.
    func change(
        _ changes: [(path: String, text: String)], isPreview: Bool, isFile: Bool = false,
        besides: [AdminRequest] = [], of source: SourceID
    ) throws(RadioRefusal) -> SettingsChange {
        try refuseWhileEditIsOpen()
        var planned: [(old: SettingsSection, new: SettingsSection)] = []
        var (changes, missing) = (changes, [SettingsName]())
        for name in try sections(of: changes) {
            let old: SettingsSection
            do throws(RadioRefusal) {
                old = try settings(name, of: source)
            } catch {
                guard isFile, case .noSuchSection = error else { throw error }
                missing.append(name)
                changes.removeAll { $0.path.names(name) }
                continue
            }
            do throws(SettingRefusal) {
                planned.append((old, try old.applying(changes.filter { $0.path.names(name) })))
            } catch {
                throw .setting(error)
            }
        }
        var rows: [SettingsChange.Row] = []
        for (path, text) in changes {
            guard let (old, new) = planned.first(where: { path.names($0.old.name) }),
                let after = new[path.lowercased()]
            else { throw .setting(.unknown(path)) }
            if isFile, case .secret = after, let kept = try? old.applying([(path, text)]), kept.isSame(as: old) {
                continue
            }
            // A list's element that is new was nothing before.
            let before = old[path.lowercased()] ?? after.unset
            rows.append(SettingsChange.Row(path: path.lowercased(), old: before, new: after))
        }
        let firmware = attachment.snapshot?.firmwareVersion
        let consequences = SettingsConsequences(
            of: rows.filter(\.isChange), firmware: firmware, heard: heardMesh(of: source))
        let changed = planned.map(\.new).filter { new in rows.contains { $0.isChange && $0.path.names(new.name) } }
        guard !isPreview, !changed.isEmpty || !besides.isEmpty else {
            return SettingsChange(rows: rows, consequences: consequences, isApplied: false, missing: missing)
        }
        var refusal: RadioRefusal?
        do throws(RadioRefusal) {
            try write(besides, changed, of: source)
        } catch {
            guard changed.count + besides.count > 1, error != .notConnected else { throw error }
            refusal = error
        }
        if consequences.restarts { restartWasOrdered(in: Self.secondsToRestart) }
        for section in changed {
            let taken: SettingsSection
            do throws(RadioRefusal) {
                taken = try settings(section.name, of: source)
            } catch {
                // What was refused first is what the person has to know.
                if refusal == nil { throw error }
                continue
            }
            for place in rows.indices where rows[place].path.names(section.name) {
                rows[place].taken = taken[rows[place].path]
            }
        }
        readAgain()
        return SettingsChange(
            rows: rows, consequences: consequences, isApplied: refusal == nil, refusal: refusal,
            missing: missing)
    }

    /// After a change of settings (DEFAULT_REBOOT_SECONDS).
    static let secondsToRestart = 7

    private func sections(of changes: [(path: String, text: String)]) throws(RadioRefusal) -> [SettingsName] {
        var names: [SettingsName] = []
        for (path, _) in changes {
            guard let name = SettingsName(String(path.prefix { $0 != "." })) else { throw .setting(.unknown(path)) }
            if !names.contains(name) { names.append(name) }
        }
        return names
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
    /// A secret may be another one of the same length.
    public var isChange: Bool { if case .secret = new { true } else { old != new } }
}

extension String {
    fileprivate func names(_ section: SettingsName) -> Bool { lowercased().hasPrefix("\(section).") }
}

extension Gateway {
    /// Changes settings of the radio: reads them, writes what differs, and reads them again.
    ///
    /// - Parameters:
    ///   - changes: paths such as `lora.hop_limit`, and values as a person writes them.
    ///   - isPreview: nothing is written.
    public func change(
        _ changes: [(path: String, text: String)], isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> SettingsChange {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        return try radio.settingsChange.withLock { _ throws(RadioRefusal) in
            try radio.change(changes, isPreview: isPreview, of: source)
        }
    }
}
