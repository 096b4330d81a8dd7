import Configuration
import Diagnostics
import JSON

extension ShareFacts {
    /// What the configuration says.
    mutating func configure(_ configuration: Configuration) {
        ports = configuration.shares.map {
            Port(place: $0.place, port: $0.port, isAdmin: $0.right == .admin, isLoopback: $0.isLoopback)
        }
        isLimited = !configuration.shareNetworks.isEmpty
    }

    /// How the file that announces the radio compares with what the daemon knows of it.
    ///
    /// - Parameter sources: nil: not known. None may be shared with the network.
    mutating func compare(announced sources: [JSONValue]?, _ host: Host) {
        guard let wanted = sources?.compactMap({ ServiceFile($0) }).first else { return }
        let found = host.text("\(ServiceFile.folder)/\(ServiceFile.name)")
        // Read without the line's end behind the last line.
        announcement = found.map { wanted.text == $0 + "\n" ? .current : .stale } ?? .missing
    }
}
