import Configuration
import Testing

@Suite struct ABasePathHasOneForm {
    /// Text, what stands before every path; nil for a mistake.
    @Test(
        arguments: [
            ("/", ""), ("/mesh", "/mesh"), ("mesh", "/mesh"), ("/mesh/", "/mesh"), ("/a/b-c.d_e~1", "/a/b-c.d_e~1"),
            ("", nil),
            ("//", nil), ("/a//b", nil), ("/a/../b", nil), ("/.", nil), ("https://box/mesh", nil), ("/me sh", nil),
            ("/m%C3%A9sh", nil), ("/mésh", nil), ("/a?b", nil), ("/a#b", nil), ("/{a}", nil),
            ("/" + String(repeating: "a", count: 100), nil),
        ] as [(String, String?)]) func howeverItIsWritten(text: String, path: String?)
    {
        #expect(BasePath(text)?.path == path, "\(text)")
        if let found = BasePath(text) { #expect(BasePath("\(found)") == found) }
    }

    /// MeshMonitor's container has it in a variable of its own. Another program's can be called the same.
    @Test func itComesFromMeshMonitorsVariable() throws {
        let directory = try ConfigurationDirectory("")
        #expect(try directory.load(environment: ["BASE_URL": "/mesh"]).basePath.path == "/mesh")
        #expect(try directory.load(environment: ["BASE_URL": "http://localhost:3000"]).basePath.path == "")
        #expect(throws: ConfigurationError.self) {
            try directory.load(environment: ["MESH_GATEWAY_BASE_PATH": "https://box/mesh"])
        }
    }
}
