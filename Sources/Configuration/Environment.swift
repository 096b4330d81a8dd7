enum Environment {
    static let prefix = "MESH_GATEWAY_"

    /// The settings among the environment variables, the strongest last. An empty variable counts as unset. A variable
    /// with our prefix that is nearly one of ours is taken for a slip; others may belong to somebody's script.
    static func settings(_ environment: [String: String]) -> FoundSettings {
        var found = FoundSettings(settings: meshMonitorSettings(environment))
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) && !value.isEmpty
        {
            let origin = Origin.environment(name)
            guard let key = Key.allCases.first(where: { $0.environmentVariable == name }) else {
                if name == prefix + "CONFIG" { continue }
                if let nearest = nearestKey(to: String(name.dropFirst(prefix.count))) {
                    found.mistakes.append(.unknownKey(name, nearest: nearest, origin: origin))
                }
                continue
            }
            found.settings.append(Setting(key: key, values: values(of: key, in: value), origin: origin))
        }
        return found
    }

    private static func meshMonitorSettings(_ environment: [String: String]) -> [Setting] {
        Key.allCases.compactMap { key in
            guard let name = key.meshMonitorVariable, let value = environment[name], !value.isEmpty else { return nil }
            // Many a shell has another program's BASE_URL, with a whole address in it; MeshMonitor's is a path.
            if key == .basePath, BasePath(value) == nil { return nil }
            return Setting(key: key, values: values(of: key, in: value), origin: .environment(name))
        }
    }

    private static func values(of key: Key, in text: String) -> [String] {
        if key == .device { return DeviceSetting.list(text) }
        return key.mayRepeat ? text.split { $0 == "," || $0 == " " }.map(String.init) : [text]
    }
}
