import Foundation
import Testing

@testable import ServedProgram

/// The file of a gateway that shares its radio is changed so that less is allowed, and SIGHUP sent: whoever may no longer be
/// there is gone. What is allowed besides needs a restart.
@Suite struct AReloadEndsWhoMayNoLongerBeThere {
    private let folders: Folders
    private let gateway: ServedGateway
    private let port: UInt16
    private static let before = "share = 127.0.0.1:0/admin\nshare-networks = 127.0.0.0/8\n"

    init() throws {
        folders = try Folders()
        let gateway = try ServedGateway(
            device: "simulated", in: folders, ["--config", folders.file("mesh.conf", Self.before)])
        try gateway.waitUntilLive()
        let line = try gateway.program.errors.line(containing: "sharing the radio on 127.0.0.1:")
        port = try #require(UInt16(line.split(separator: ":").last!.split(separator: " ")[0]))
        self.gateway = gateway
    }

    private func connected() throws -> ScriptedHost {
        let host = try ScriptedHost(port: port)
        host.write(StreamBytes.wantConfig(7))
        try #require(host.wait { $0 == .configComplete(7) ? true : nil } == true)
        return host
    }

    /// Waits for the last line that a reload logs.
    private func reload(_ text: String, until said: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try folders.file("mesh.conf", text)
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: said, sourceLocation: sourceLocation)
    }

    private func shares() throws -> [JSON] {
        let status = try Program.run("status", "--json", in: folders)
        return try JSONDecoder().decode(JSON.self, from: Data(status.output.utf8))["sources"].rows[0]["shares"].rows
    }

    @Test func ofANetwork() throws {
        let host = try connected()
        try reload(
            "share = 127.0.0.1:0/admin\nshare-networks = 192.0.2.0/24\n", until: "share-networks: 127.0.0.0/8 -> ")
        #expect(host.waitForEnd() == .closed)
        let late = try ScriptedHost(port: port)
        #expect(late.waitForEnd() == .closed)
        try gateway.program.stop()
    }

    @Test func ofARight() throws {
        let host = try connected()
        try reload(
            Self.before.replacingOccurrences(of: "/admin", with: "/read"),
            until: "share: 127.0.0.1:0/admin -> 127.0.0.1:0/read, ")
        #expect(host.waitForEnd() == .closed)
        #expect(try shares().map { $0["right"] } == ["read"])
        let reader = try connected()
        // And more than that needs a restart.
        try reload(Self.before, until: "share cannot change while it runs (127.0.0.1:0/read -> 127.0.0.1:0/admin, ")
        #expect(try shares().map { $0["right"] } == ["read"])
        reader.write(StreamBytes.wantConfig(8))
        #expect(reader.wait { $0 == .configComplete(8) ? true : nil } == true)
        try gateway.program.stop()
    }

    @Test func ofAPort() throws {
        let host = try connected()
        try reload("share = 127.0.0.1:4404/read\n", until: "share cannot change while it runs (127.0.0.1:0/admin -> ")
        #expect(gateway.program.errors.text.contains("the radio is no longer shared on 127.0.0.1:0"))
        #expect(host.waitForEnd() == .closed)
        #expect(throws: (any Error).self) {
            // It is closed behind the log's line.
            for _ in 0..<1000 {
                _ = try ScriptedHost(port: port)
                usleep(10_000)
            }
        }
        #expect(try shares().isEmpty)
        try gateway.program.stop()
    }
}
