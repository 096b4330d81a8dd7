import MeshModel
import MeshProtocol
import Store

// All that a radio is set to, for a file and from one. What a file asks for is one edit, with one restart at most.

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

    /// What is no setting: its rows, and the orders for what differs.
    func additions(
        _ edit: SettingsEdit, to change: inout SettingsChange, of source: SourceID
    ) throws(RadioRefusal) -> [AdminRequest] {
        var orders: [AdminRequest] = []
        for text in RadioText.allCases {
            guard let new = edit.texts[text] else { continue }
            guard let old = try textIfAny(text, of: source) else {
                change.consequences.warnings.append(
                    "This radio keeps no \(text.name); the one in the file is passed over.")
                continue
            }
            change.rows.append(SettingsChange.Row(path: text.name, old: .text(old), new: .text(new)))
            if old != new { orders.append(.setText(text, new)) }
        }
        if let new = edit.place, let name = SettingsName("position") {
            let old = fixedPlace(try settings(name, of: source))
            change.rows.append(
                SettingsChange.Row(path: Self.place, old: .text(old?.words ?? ""), new: .text(new.words)))
            if old != new { orders.append(.fixPosition(new)) }
        }
        return orders
    }

    /// What the radio has of such a row afterwards; nil: it does not say, or it is another row.
    func takenAddition(_ row: SettingsChange.Row, of source: SourceID) throws(RadioRefusal) -> SettingValue? {
        if let text = RadioText.allCases.first(where: { $0.name == row.path }) {
            return try textIfAny(text, of: source).map { .text($0) }
        }
        guard row.path == Self.place, let name = SettingsName("position") else { return nil }
        // The place itself is in the next handshake.
        return try settings(name, of: source)["position.fixed_position"] == .flag(true) ? row.new : .text("")
    }
}

extension FixedPlace {
    fileprivate var words: String { "\(latitude), \(longitude)" + (altitude.map { ", \($0) m" } ?? "") }
}
