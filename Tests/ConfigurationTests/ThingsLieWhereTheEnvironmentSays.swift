import Configuration
import Testing

@Suite struct ThingsLieWhereTheEnvironmentSays {
    @Test(
        arguments: [
            ([:], "/run/mesh-gateway/mesh-gateway.sock"),
            (["XDG_RUNTIME_DIR": "/run/user/1000"], "/run/user/1000/mesh-gateway.sock"),
            (
                ["XDG_RUNTIME_DIR": "/run/user/1000", "RUNTIME_DIRECTORY": "/run/mg:/run/other"],
                "/run/mg/mesh-gateway.sock"
            ),
            (["XDG_RUNTIME_DIR": "/x/", "RUNTIME_DIRECTORY": ""], "/x/mesh-gateway.sock"),
            (["XDG_RUNTIME_DIR": "relative"], "/run/mesh-gateway/mesh-gateway.sock"),
        ] as [([String: String], String)]) func theSocket(environment: [String: String], path: String)
    {
        #expect(Paths.socket(environment) == path)
    }

    @Test(
        arguments: [
            ([:], []), (["HOME": "/home/a"], ["/home/a/.local/state/mesh-gateway/mesh.db"]),
            (["HOME": "/home/a", "XDG_STATE_HOME": "/s"], ["/s/mesh-gateway/mesh.db"]),
            (["HOME": "/home/a", "XDG_STATE_HOME": "s"], ["/home/a/.local/state/mesh-gateway/mesh.db"]),
        ] as [([String: String], [String])]) func theDatabase(environment: [String: String], own: [String])
    {
        #expect(Paths.databaseCandidates(environment) == ["/var/lib/mesh-gateway/mesh.db"] + own)
    }

    /// A service that cannot write where it should must not begin anew elsewhere.
    @Test func theDatabaseOfAService() {
        let environment = ["STATE_DIRECTORY": "/var/lib/mesh-gateway:/var/lib/other", "HOME": "/home/a"]
        #expect(Paths.databaseCandidates(environment) == ["/var/lib/mesh-gateway/mesh.db"])
        #expect(Paths.databaseCandidates(["STATE_DIRECTORY": ""]) == ["/var/lib/mesh-gateway/mesh.db"])
    }
}
