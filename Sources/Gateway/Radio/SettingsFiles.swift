import MeshModel
import MeshProtocol
import Store

// All that a radio is set to, for a file and from one. What a file asks for is one edit, with one restart at most.

/// What a file of settings asks of a radio. What it does not name stays.
public struct SettingsImport: Sendable {
    /// Paths and values as a person writes them.
    public var changes: [(path: String, text: String)]
    /// Its channels take the place of the radio's; its LoRa settings count where ``changes`` name none.
    public var link: ChannelLink?
    public var texts: [RadioText: String]
    public var place: FixedPlace?

    public init(
        changes: [(path: String, text: String)], link: ChannelLink? = nil, texts: [RadioText: String] = [:],
        place: FixedPlace? = nil
    ) {
        (self.changes, self.link, self.texts, self.place) = (changes, link, texts, place)
    }
}

/// What a file changes, or would change.
public struct ImportedSettings: Sendable {
    /// Texts and the place have rows, too.
    public var change: SettingsChange
    public var channels: ChannelPlan?
}

extension Gateway {
    /// Everything that the radio is set to, read from it now.
    ///
    /// - Parameter withChannels: with a link that has the channels' keys.
    public func settingsFile(withChannels: Bool, of source: SourceID) throws(RadioRefusal) -> SettingsFile {
        let radio = try connected(source)
        var file = SettingsFile(sections: [])
        for name in SettingsName.all {
            do throws(RadioRefusal) {
                file.sections.append(try radio.settings(name, of: source))
            } catch {
                guard case .noSuchSection = error else { throw error }
            }
        }
        for text in RadioText.allCases { file.texts[text] = try radio.textIfAny(text, of: source) }
        let position = file.sections.first { "\($0.name)" == "position" }
        file.place = position.flatMap { radio.fixedPlace($0) }
        if withChannels { file.link = try channelLink(all: true, of: source) }
        return file
    }

    /// Takes over what a file says.
    ///
    /// - Parameter isPreview: nothing is written.
    public func importSettings(
        _ wanted: SettingsImport, isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> ImportedSettings {
        let radio = try connected(source)
        return try radio.settingsChange.withLock { _ throws(RadioRefusal) in
            try radio.refuseWhileEditIsOpen()
            var plan = try wanted.link.map { link throws(RadioRefusal) in
                try channelPlan(link, replaces: true, of: radio, in: source)
            }
            let named = Set(wanted.changes.map { $0.path.lowercased() })
            let linked = (plan?.lora ?? []).filter { !named.contains($0.path) }.map { ($0.path, $0.new.typed) }
            var (rows, orders, notes) = try radio.additions(wanted, in: source)
            var change = try radio.change(
                linked + wanted.changes, isPreview: isPreview, isFile: true,
                besides: (plan?.changedChannels ?? []) + orders, of: source)
            notes += change.missing.map { "This radio has no settings \"\($0)\"; those of the file are passed over." }
            if change.isApplied {
                if var applied = plan {
                    try settle(&applied, at: radio, in: source)
                    plan = applied
                }
                for place in rows.indices { rows[place].taken = radio.taken(rows[place], in: source) }
            }
            change.rows += rows
            for warning in (plan?.consequences.warnings ?? []) + notes
            where !change.consequences.warnings.contains(warning) {
                change.consequences.warnings.append(warning)
            }
            return ImportedSettings(change: change, channels: plan)
        }
    }
}

extension AttachedRadio {
    private static let place = "location"

    /// Firmware without that module may not know the question either.
    fileprivate func textIfAny(_ text: RadioText, of source: SourceID) throws(RadioRefusal) -> String? {
        do throws(RadioRefusal) {
            return try self.text(text, of: source)
        } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }

    /// What of a file is no setting: its rows, and the orders for what differs.
    fileprivate func additions(
        _ wanted: SettingsImport, in source: SourceID
    ) throws(RadioRefusal) -> (rows: [SettingsChange.Row], orders: [AdminRequest], notes: [String]) {
        var (rows, orders, notes) = ([SettingsChange.Row](), [AdminRequest](), [String]())
        for text in RadioText.allCases {
            guard let new = wanted.texts[text] else { continue }
            guard let old = try textIfAny(text, of: source) else {
                notes.append("This radio keeps no \(text.name); the one in the file is passed over.")
                continue
            }
            rows.append(SettingsChange.Row(path: text.name, old: .text(old), new: .text(new)))
            if old != new { orders.append(.setText(text, new)) }
        }
        if let new = wanted.place, let name = SettingsName("position") {
            let old = fixedPlace(try settings(name, of: source))
            rows.append(SettingsChange.Row(path: Self.place, old: .text(old?.words ?? ""), new: .text(new.words)))
            if old != new { orders.append(.fixPosition(new)) }
        }
        return (rows, orders, notes)
    }

    /// What the radio has of such a row afterwards; nil: it does not say.
    fileprivate func taken(_ row: SettingsChange.Row, in source: SourceID) -> SettingValue? {
        guard let text = RadioText.allCases.first(where: { $0.name == row.path }) else {
            // The place itself is in the next handshake.
            let section = SettingsName("position").flatMap { try? settings($0, of: source) }
            return section.map { $0["position.fixed_position"] == .flag(true) ? row.new : .text("") }
        }
        return (try? textIfAny(text, of: source)).flatMap { $0 }.map { .text($0) }
    }
}

extension FixedPlace {
    fileprivate var words: String { "\(latitude), \(longitude)" + (altitude.map { ", \($0) m" } ?? "") }
}

extension SettingValue {
    /// As a person types it.
    fileprivate var typed: String {
        switch self {
        case .flag(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .number(let number): "\(number)"
        case .text(let text), .choice(let text), .address(let text): text
        case .bytes, .secret, .list: ""
        }
    }
}
