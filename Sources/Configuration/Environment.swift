import Folders

enum Environment {
    static let prefix = "MESH_GATEWAY_"

    /// The settings among the environment variables, the strongest last. An empty variable counts as unset, which is said
    /// where it allows more than its value would. A variable with our prefix that is nearly one of ours is taken for a slip;
    /// others may belong to somebody's script.
    static func settings(_ environment: [String: String]) -> FoundSettings {
        var found = FoundSettings(settings: meshMonitorSettings(environment))
        let ours = environment.filter { $0.key.hasPrefix(prefix) }
        for (name, value) in ours.sorted(by: { $0.key < $1.key }) {
            let origin = Origin.environment(name)
            let key = Key.allCases.first { $0.environmentVariable == name }
            if value.isEmpty {
                if let key, key.row.narrows != nil { found.emptied.append(.empty(key, origin: origin)) }
                continue
            }
            guard let key else {
                if name == prefix + "CONFIG" { continue }
                if let nearest = nearestKey(to: String(name.dropFirst(prefix.count))) {
                    found.mistakes.append(.unknownKey(name, nearest: nearest, origin: origin))
                }
                continue
            }
            found.settings.append(GivenSetting(key: key, values: key.row.parts?(value) ?? [value], origin: origin))
        }
        return found
    }

    private static func meshMonitorSettings(_ environment: [String: String]) -> [GivenSetting] {
        Key.allCases.compactMap { key in
            guard let name = key.meshMonitorVariable, let value = environment[name], !value.isEmpty else { return nil }
            // Many a shell has another program's BASE_URL, with a whole address in it; MeshMonitor's is a path.
            if key == .basePath, BasePath(value) == nil { return nil }
            return GivenSetting(key: key, values: key.row.parts?(value) ?? [value], origin: .environment(name))
        }
    }

    /// The values of a list: separated by commas or blanks, in quotation marks where one holds these.
    static func list(_ text: String) -> [String] { list(text) { $0 == "," || $0 == " " } }

    /// The same for values that may hold blanks themselves.
    static func commaList(_ text: String) -> [String] { list(text) { $0 == "," } }

    private static func list(_ text: String, isSeparator: (Character) -> Bool) -> [String] {
        var values: [String] = []
        var rest = text[...]
        while let start = rest.firstIndex(where: { !isSeparator($0) && $0 != " " }) {
            rest = rest[start...]
            // A mark that is not closed is part of the value, which an error then shows.
            if rest.first == "\"", let (value, after) = SettingLines.unquoted(rest.dropFirst()) {
                values.append(value)
                rest = after
            } else {
                let end = rest.firstIndex(where: isSeparator) ?? rest.endIndex
                let value = rest[..<end]
                values.append(String(value[...(value.lastIndex { $0 != " " } ?? value.startIndex)]))
                rest = rest[end...]
            }
        }
        return values
    }
}
