import Foundation
import Testing

@testable import ServedProgram

/// The configuration file of a running gateway is changed, and SIGHUP sent.
@Suite struct AReloadTakesOverWhatItCan {
    private let folders: Folders
    private let file: String
    private let gateway: ServedGateway

    init() throws {
        folders = try Folders()
        file = try folders.file("mesh.conf", "rate-limit-messages = 1\ntrusted-proxies = 127.0.0.1\n")
        var gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        try gateway.waitUntilLive()
        try gateway.authorize()
        self.gateway = gateway
    }

    /// Waits for the last line that a reload logs.
    private func reload(_ text: String, until said: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try folders.file("mesh.conf", text)
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: said, sourceLocation: sourceLocation)
    }

    private func post() throws -> Int {
        try gateway.client.post("/api/v1/messages", ["text": "hello", "channel": 0]).status
    }

    /// A key's row of `config show --json`.
    private func shown(_ key: String) throws -> JSON {
        let show = try Program.run("config", "show", key, "--config", file, "--json", in: folders)
        return try #require(try JSONDecoder().decode(JSON.self, from: Data(show.output.utf8))["settings"].rows.first)
    }

    private func name() throws -> JSON? { try gateway.client.get("/api/v1/sources").data.rows.first?["name"] }

    @Test func withoutLosingTheRadio() throws {
        #expect(try [post(), post()] == [201, 429])
        let changed = """
            rate-limit-messages = unlimited
            allowed-origins = https://mesh.example.org
            name = Attic
            database-size = 300 MB
            flight-recorder = no
            device = /dev/ttyNONE
            log-level = warning
            push-hosts = push.home.arpa:8443
            push-contact = mailto:you@example.org
            """
        _ = try folders.file("mesh.conf", changed)
        let daemons = try shown("name")["running"]
        #expect(daemons["values"].rows == ["Default"] && daemons["kind"] == "built-in" && daemons["needs"] == "reload")
        #expect(try shown("flight-recorder")["running"]["needs"] == "restart")
        #expect(try shown("device")["running"]["needs"] == "start", "its option outweighs the file")

        try reload(changed, until: "push-contact: none -> mailto:you@example.org, \(file):9")
        let log = gateway.program.errors.text
        #expect(log.contains("database-size: 200 MB -> 300 MB, \(file):4"))
        #expect(log.contains("push-hosts: none -> push.home.arpa:8443, \(file):8"))
        #expect(log.contains("rate-limit-messages: 1 -> unlimited, \(file):1"))
        #expect(log.contains("trusted-proxies: 127.0.0.1 -> none, built in"))
        #expect(
            log.contains(
                "flight-recorder cannot change while it runs (yes -> no, \(file):5): sudo systemctl restart mesh-gateway"
            ))
        #expect(!log.contains("device:") && !log.contains("device cannot"), "the option is stronger: \(log)")

        #expect(try post() == 201)
        let page = try gateway.client.get("/api/status", ["Origin: https://mesh.example.org"])
        #expect(page.headers["access-control-allow-origin"] == "https://mesh.example.org")
        #expect(try gateway.client.get("/api/status", ["Origin: http://localhost:3001"]).status == 500)
        let outside = try gateway.client.get("/api/health", ["X-Forwarded-For: 203.0.113.7"])
        #expect(outside.headers["ratelimit-limit"] == nil, "the proxy is no longer believed")
        #expect(try name() == "Attic")
        let status = try Program.run("status", "--json", in: folders).output
        #expect(status.contains("\"limitBytes\":300000000"))
        #expect(try shown("name")["running"]["needs"] == .null)
        #expect(try shown("flight-recorder")["running"]["needs"] == "restart")

        // The new level counts from now on; what a reload with a mistake says is an error.
        _ = try folders.file("mesh.conf", changed + "\nkeep-packets = 3d\n")
        gateway.program.signal(SIGHUP)
        try gateway.eventually("it is taken over") { try running("keep-packets") == ["3d"] }
        try reload(changed + "\nkeep-packets = x", until: "\(file):10: keep-packets cannot be \"x\"")
        #expect(!gateway.program.errors.text.contains("keep-packets: 7d"))

        let links = gateway.program.errors.text.split(separator: "\n").filter { $0.contains("radio link") }
        #expect(links.count == 4, "searching, opening, configuring, live: \(links)")
        try gateway.program.stop()
    }

    /// What the daemon goes by, also while the file has a mistake.
    private func running(_ key: String) throws -> [JSON] {
        let correct = try folders.file("other.conf", "")
        let show = try Program.run("config", "show", key, "--config", correct, "--json", in: folders)
        let shown = try JSONDecoder().decode(JSON.self, from: Data(show.output.utf8))["settings"].rows
        return try #require(shown.first)["running"]["values"].rows
    }

    @Test func aMistakeLeavesEverySettingAsItWas() throws {
        try reload(
            "rate-limit-messages = 100\nname = Attic\nqueue-message = yes\nlisten = nowhere\n",
            until: "none of its settings changes")
        let log = gateway.program.errors.text
        #expect(log.contains("\(file):3: unknown key \"queue-message\"; did you mean \"queue-messages\"?"))
        #expect(log.contains("\(file):4: listen cannot be \"nowhere\""))
        #expect(try [post(), post()] == [201, 429])
        #expect(try name() == "Default")
        // Repaired, it counts.
        try reload("rate-limit-messages = 100\nname = Attic\n", until: "rate-limit-messages: 1 -> 100")
        #expect(try post() == 201)
        try reload("rate-limit-messages = 100\nname = Attic\n", until: "nothing has changed")
        try gateway.program.stop()
        // A restart says the same.
        let again = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        #expect(try Program.run("nodes", "--source", "Attic", "--json", in: folders).code == 0)
        try again.program.stop()
    }
}
