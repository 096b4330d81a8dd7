import MeshProtocol
import Store

/// Sections of a radio's settings, read from it one after the other.
public struct SettingsReading: Sendable {
    public var sections: [SettingsSection] = []
    /// Those that the radio does not have: its build leaves the module out, or its firmware is older.
    public var missing: [SettingsName] = []

    /// Names what is read, for those who want the same; nil: all sections.
    public static func name(of sections: [SettingsName]?) -> String {
        sections.map { "settings " + $0.map(\.description).joined(separator: " ") } ?? "settings"
    }
}

extension Gateway {
    /// Blocks for up to some seconds a section.
    ///
    /// - Parameter names: nil: all of them.
    public func settings(_ names: [SettingsName]?, of source: SourceID) throws(RadioRefusal) -> SettingsReading {
        var read = SettingsReading()
        for name in names ?? SettingsName.all {
            do throws(RadioRefusal) {
                read.sections.append(try settings(name, of: source))
            } catch {
                guard case .noSuchSection = error else { throw error }
                read.missing.append(name)
            }
        }
        return read
    }
}
