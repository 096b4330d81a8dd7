/// Where things lie when nobody says otherwise.
public enum Paths {
    /// The local socket: in $RUNTIME_DIRECTORY (systemd; the first when it lists several), else in $XDG_RUNTIME_DIR,
    /// else in /run/mesh-gateway. So a service and a user's own daemon can run side by side.
    public static func socket(_ environment: [String: String]) -> String {
        let runtime = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        let directory = absolute(runtime) ?? absolute(environment["XDG_RUNTIME_DIR"]) ?? "/run/mesh-gateway"
        return directory + "/mesh-gateway.sock"
    }

    /// Where the package's service has it.
    public static let serviceSocket = "/run/mesh-gateway/mesh-gateway.sock"

    /// Where a database may be, in the order of looking: the service's, then the user's own in $XDG_STATE_HOME,
    /// else in ~/.local/state. A service ($STATE_DIRECTORY, systemd) has one place: where it cannot write there, it must
    /// not begin a second database elsewhere.
    public static func databaseCandidates(_ environment: [String: String]) -> [String] {
        let own = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        if let own = absolute(own) { return [own + "/mesh.db"] }
        let state =
            absolute(environment["XDG_STATE_HOME"]) ?? absolute(environment["HOME"]).map { $0 + "/.local/state" }
        return ["/var/lib/mesh-gateway/mesh.db"] + (state.map { ["\($0)/mesh-gateway/mesh.db"] } ?? [])
    }

    /// The XDG base directory specification has relative paths ignored.
    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
