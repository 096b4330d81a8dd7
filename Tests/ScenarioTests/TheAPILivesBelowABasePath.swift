import Foundation
import Testing

@testable import ServedProgram

@Suite struct TheAPILivesBelowABasePath {
    private let folders: Folders
    private var gateway: ServedGateway

    init() throws {
        folders = try Folders()
        let file = try folders.file("base.conf", "base-path = mesh/deep/\n")
        gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        try gateway.authorize(scopes: ["admin"])
        #expect(gateway.program.output.text.contains("  serving   http://127.0.0.1:\(gateway.client.port)/mesh/deep\n"))
    }

    @Test func andNowhereElse() throws {
        for path in ["/mesh/deep/api/status", "/MESH/deep/api/v1/nodes", "/mesh/deep/api/v1/nodes/", "/mesh%2Fdeep"] {
            #expect(try gateway.client.get(path).status == (path.contains("api") ? 200 : 404), "\(path)")
        }
        for path in [
            "/api/status", "/api/v1/nodes", "/", "/mesh", "/mesh/api/status", "/meshdeep/api/status",
            "/mesh/deeper/api/status",
        ] {
            let answer = try gateway.client.get(path)
            #expect(answer.status == 404, "\(path)")
            #expect(answer.text.contains("Cannot GET \(path)"))
        }
        // The local socket belongs to no proxy.
        #expect(try Program.run("status", in: folders).code == 0)
    }

    /// What is given out leads to where it is found.
    @Test func asItsDocumentsSay() throws {
        let base = "/mesh/deep"
        let index = try gateway.client.get("\(base)/api/v1").json
        guard case .object(let places) = index["endpoints"] else { throw NoAnswer() }
        #expect(places.count > 10)
        for place in places.values { #expect(place.string?.hasPrefix("\(base)/api/v1/") == true, "\(place)") }
        #expect(try gateway.client.get(index["documentation"].string ?? "").status == 200)
        let document = try gateway.client.get("\(base)/api/v1/docs/openapi.json").json
        #expect(document["servers"].rows.first?["url"] == .string(base))
        #expect(try gateway.client.get("\(base)/api/v1/docs/openapi.yaml").text.contains(/url"?: "?\/mesh\/deep/))
        let cookie = try gateway.client.get("\(base)/api/v1/nodes").headers["set-cookie"] ?? ""
        #expect(cookie.contains("; Path=\(base)/api;"), "\(cookie)")
    }

    /// Nothing else that any GET answers names a path of its own without the base.
    @Test func andNothingElseNamesAPath() throws {
        let document = try gateway.client.get("/mesh/deep/api/v1/docs/openapi.json").json
        guard case .object(let paths) = document["paths"] else { throw NoAnswer() }
        var asked = 0
        for (path, methods) in paths where methods["get"] != .null && !path.contains("{") && !path.contains("/docs") {
            if methods["get"].isStream { continue }
            let answer = try gateway.client.get("/mesh/deep\(path)")
            asked += 1
            #expect(!answer.text.contains(/"\/api\//), "\(path)")
            #expect(answer.headers["location"] == nil)
        }
        #expect(asked > 30)
    }

    @Test func andMovesWithAReload() throws {
        _ = try folders.file("base.conf", "base-path = /\n")
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: "base-path: /mesh/deep -> /")
        #expect(try gateway.client.get("/api/v1/nodes").status == 200)
        #expect(try gateway.client.get("/mesh/deep/api/v1/nodes").status == 404)
    }
}
