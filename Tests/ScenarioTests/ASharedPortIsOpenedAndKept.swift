import Foundation
import Testing

@testable import ServedProgram

/// The ports of `share` around the daemon: taken ones, restarts, and what systemd keeps.
@Suite struct ASharedPortIsOpenedAndKept {
    private let folders: Folders

    init() throws { folders = try Folders() }

    /// A socket that listens on the loopback, and its port.
    private func listener() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) | listen(descriptor, 8) | getsockname(descriptor, $0, &size)
            }
        }
        try #require(code == 0)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private func status() throws -> JSON {
        let status = try Program.run("status", "--json", in: folders)
        return try JSONDecoder().decode(JSON.self, from: Data(status.output.utf8))
    }

    /// Whether a client is told something, as the first byte of a frame shows.
    private func isServed(_ port: UInt16) throws -> Bool {
        let host = try ScriptedHost(port: port)
        host.write(StreamBytes.wantConfig(7))
        return host.wait { $0 == .configComplete(7) ? true : nil } == true
    }

    @Test func aTakenPortIsToldAndTriedAgain() throws {
        let (other, port) = try listener()
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--share", "127.0.0.1:\(port)"])
        _ = try gateway.program.errors.line(
            containing: "The radio is not shared on 127.0.0.1:\(port), because ")
        try gateway.waitUntilLive()
        let page = try status()
        #expect(page["problems"].rows.map { $0["name"] } == ["share-closed"])
        let shares = page["sources"].rows[0]["shares"].rows
        #expect(shares.map { $0["address"] } == [.string("127.0.0.1:\(port)")])
        let text = try Program.run("status", in: folders)
        #expect(text.code == 0 && text.output.contains("share-closed: The radio is not shared on 127.0.0.1:\(port)"))
        let doctor = try Program.run("doctor", "--device", "simulated", in: folders)
        #expect(doctor.output.contains("The radio is not shared on 127.0.0.1:\(port)"))

        close(other)
        _ = try gateway.program.errors.line(containing: "sharing the radio on 127.0.0.1:\(port) (send)")
        #expect(try isServed(port))
        #expect(try status()["problems"].rows.isEmpty)
        try gateway.program.stop()
    }

    @Test func anUnknownSourceIsWaitedFor() throws {
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--share", "127.0.0.1:0/read@Attic"])
        _ = try gateway.program.errors.line(containing: "because there is no source \"Attic\" yet")
        try gateway.program.stop()
        let named = try ServedGateway(
            device: "simulated", in: folders, ["--share", "127.0.0.1:0/read@Attic"],
            environment: ["MESH_GATEWAY_NAME": "Attic"])
        _ = try named.program.errors.line(containing: "sharing the radio on 127.0.0.1:")
        try named.program.stop()
    }

    /// As systemd does it: the socket outlives the process, and whoever connects in between waits.
    @Test func systemdKeepsTheSocketOverARestart() throws {
        let systemd = try NotifySocket(in: folders)
        let shared = ["--share", "127.0.0.1:0/admin"]
        let first = try ServedGateway(device: "simulated", in: folders, shared, environment: systemd.environment)
        let line = try first.program.errors.line(containing: "sharing the radio on 127.0.0.1:")
        let port = try #require(UInt16(line.split(separator: ":").last!.split(separator: " ")[0]))
        let name = "mesh-gateway-share-127.0.0.1_0"
        try systemd.wait(for: "it is to be kept") { $0 == "FDSTORE=1\nFDNAME=\(name)" }
        #expect(try isServed(port))
        let before = try ScriptedHost(port: port)
        try first.program.stop()
        #expect(before.waitForEnd() == .closed)

        // Nobody serves, nobody is refused.
        let between = try ScriptedHost(port: port)
        between.write(StreamBytes.wantConfig(8))
        let kept = try #require(systemd.descriptors[name])
        let second = try start(shared, handing: [kept], named: [name], systemd)
        _ = try second.errors.line(containing: "sharing the radio on 127.0.0.1:\(port) (admin)")
        #expect(between.wait { $0 == .configComplete(8) ? true : nil } == true)
        #expect(systemd.messages.count { $0.hasPrefix("FDSTORE=1") } == 1)
        try second.stop()

        // Another right, another source: the same socket. Without its line it goes.
        let third = try start(["--share", "127.0.0.1:0/read"], handing: [kept], named: [name], systemd)
        _ = try third.errors.line(containing: "sharing the radio on 127.0.0.1:\(port) (read)")
        try third.stop()
        let fourth = try start([], handing: [kept], named: [name], systemd)
        try systemd.wait(for: "it is no longer kept") { $0 == "FDSTOREREMOVE=1\nFDNAME=\(name)" }
        #expect(throws: (any Error).self) { try ScriptedHost(port: port) }
        try fourth.stop()
    }

    /// The sockets of the API are none of the share's, and the other way round.
    @Test func theyAreToldApartByTheirNames() throws {
        let systemd = try NotifySocket(in: folders)
        let (web, webPort) = try listener()
        let (kept, port) = try listener()
        defer { [web, kept].forEach { close($0) } }
        let program = try start(
            ["--listen", "systemd", "--share", "127.0.0.1:\(port)"], handing: [web, kept],
            named: ["mesh-gateway.socket", "mesh-gateway-share-127.0.0.1_\(port)"], systemd)
        _ = try program.errors.line(containing: "sharing the radio on 127.0.0.1:\(port) (send)")
        #expect(try isServed(port))
        #expect(try Client(host: "127.0.0.1", port: webPort).get("/api/status").status == 200)
        #expect(program.output.text.components(separatedBy: "  serving ").count == 3, "\(program.output.text)")
        #expect(!program.errors.text.contains("sockets that are not used"))
        try program.stop()
    }

    private func start(
        _ words: [String], handing sockets: [Int32], named names: [String], _ systemd: NotifySocket
    ) throws -> Program {
        let shell =
            "export LISTEN_PID=$$ LISTEN_FDS=\(sockets.count) LISTEN_FDNAMES='\(names.joined(separator: ":"))'; "
            + "exec \"$0\" \"$@\""
        let listen = words.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
        return try Program(
            ["-c", shell, Program.path, "serve", "--device", "simulated"] + listen + words, in: folders,
            handed: sockets, environment: systemd.environment, executable: "/bin/sh")
    }

    @Test func whoMayConnectIsReloaded() throws {
        let file = try folders.file("mesh.conf", "share = 127.0.0.1:0\nshare-networks = 192.0.2.0/24\n")
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        let line = try gateway.program.errors.line(containing: "sharing the radio on 127.0.0.1:")
        let port = try #require(UInt16(line.split(separator: ":").last!.split(separator: " ")[0]))
        try gateway.waitUntilLive()
        let refused = try ScriptedHost(port: port)
        refused.write(StreamBytes.wantConfig(7))
        #expect(refused.waitForEnd() == .closed, "held for a while, and closed without a reset")
        #expect(refused.frames.isEmpty)
        let counts = try status()["sources"].rows[0]["shares"].rows[0]["refused"]
        #expect(counts["connections"] == 1)

        _ = try folders.file("mesh.conf", "share = 127.0.0.1:0/admin\nshare-networks = 127.0.0.0/8\n")
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: "share-networks: 192.0.2.0/24 -> 127.0.0.0/8")
        #expect(gateway.program.errors.text.contains("share cannot change while it runs (127.0.0.1:0/send -> "))
        #expect(try isServed(port))
        try gateway.program.stop()
    }

    @Test func thePhonesAreToldWhereItIs() throws {
        let services = "\(folders.root)/services"
        try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
        let none = try Program.run("share", "avahi", in: folders)
        #expect(none.code == 69 && none.errors.contains("no daemon is running"))
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--share", "0.0.0.0:0"])
        let line = try gateway.program.errors.line(containing: "sharing the radio on 0.0.0.0:")
        let port = try #require(UInt16(line.split(separator: ":").last!.split(separator: " ")[0]))
        try gateway.waitUntilLive()
        let source = try status()["sources"].rows[0]
        let (short, id) = (try #require(source["shortName"].string), try #require(source["nodeId"].string))

        let printed = try Program.run("share", "avahi", in: folders)
        #expect(printed.code == 0)
        for part in [
            "<name>mesh-gateway \(short)</name>", "<type>_meshtastic._tcp</type>", "<port>\(port)</port>",
            "<txt-record>shortname=\(short)</txt-record>", "<txt-record>id=\(id)</txt-record>",
        ] { #expect(printed.output.contains(part), "\(part): \(printed.output)") }
        let installed = try Program.run("share", "avahi", "--install", "--folder", services, in: folders)
        #expect(installed.code == 0, "\(installed.errors)")
        let path = "\(services)/mesh-gateway-radio.service"
        #expect(try String(contentsOfFile: path, encoding: .utf8) == printed.output)
        #expect(try FileManager.default.contentsOfDirectory(atPath: services) == ["mesh-gateway-radio.service"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        let missing = try Program.run("share", "avahi", "--install", "--folder", "\(services)/none", in: folders)
        #expect(missing.code == 73 && missing.errors.contains("sudo apt install avahi-daemon"))
        try gateway.program.stop()
    }

    @Test func whatIsForThisComputerAloneIsNotAnnounced() throws {
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--share", "127.0.0.1:0"])
        try gateway.waitUntilLive()
        let local = try Program.run("share", "avahi", in: folders)
        #expect(local.code == 66 && local.errors.contains("with this computer alone"))
        try gateway.program.stop()
        let unshared = try ServedGateway(device: "simulated", in: folders)
        let nothing = try Program.run("share", "avahi", in: folders)
        #expect(nothing.code == 66 && nothing.errors.contains("the radio is not shared"))
        try unshared.program.stop()
    }
}
