import Configuration
import Diagnostics
import JSON

extension ShareFacts {
    /// What the configuration says.
    init(_ configuration: Configuration) {
        self.init()
        ports = configuration.shares.map {
            Port(place: $0.place, port: $0.port, isAdmin: $0.right == .admin, isLoopback: $0.isLoopback)
        }
        isLimited = !configuration.shareNetworks.isEmpty
    }

    /// How the file that announces the radio compares with what the daemon knows of it.
    ///
    /// - Returns: nil: no radio that is shared with the network is known.
    static func announcement(_ client: LocalClient, _ host: Host) -> Announcement? {
        guard let answer = try? client.request("GET", "/local/status"), answer.status == 200,
            let wanted = JSONValue(answer.body)?["sources"]?.array?.lazy.compactMap({ ServiceFile($0) }).first
        else { return nil }
        guard let found = host.text("\(ServiceFile.folder)/\(ServiceFile.name)") else { return .missing }
        // Read without the line's end behind the last line.
        return wanted.text == found + "\n" ? .current : .stale
    }
}
