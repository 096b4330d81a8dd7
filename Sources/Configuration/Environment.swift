enum Environment {
    static let prefix = "MESH_GATEWAY_"

    /// The settings among the environment variables. An empty variable counts as unset. A variable with our prefix
    /// that is nearly one of ours is taken for a slip; others may belong to somebody's script.
    static func settings(_ environment: [String: String]) throws(ConfigurationError) -> [Setting] {
        var settings: [Setting] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) && !value.isEmpty
        {
            let origin = Origin.environment(name)
            guard let key = Key.allCases.first(where: { $0.environmentVariable == name }) else {
                if name == prefix + "CONFIG" { continue }
                if let nearest = nearestKey(to: String(name.dropFirst(prefix.count))) {
                    throw .unknownKey(name, nearest: nearest, origin: origin)
                }
                continue
            }
            let values = key.mayRepeat ? value.split { $0 == "," || $0 == " " }.map(String.init) : [value]
            settings.append(Setting(key: key, values: values, origin: origin))
        }
        return settings
    }
}
