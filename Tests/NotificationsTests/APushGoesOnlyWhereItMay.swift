import Foundation
import JSON
import Platform
import Testing

@testable import Notifications
@testable import ServedProgram

/// A token of an app must not make this computer call the router, its neighbours or itself.
@Suite struct APushGoesOnlyWhereItMay {
    private static let hosts = PushHosts([("ntfy.lan", nil), ("192.168.1.10", 8443), ("fd00::1", 443), ("NAS.lan", 80)])

    @Test(arguments: [
        "https://fcm.googleapis.com/fcm/send/x:y", "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
        "https://web.push.apple.com/QabC", "https://wns2-par02p.notify.windows.com/w/?token=BQY%2b",
        "https://x.example:443/",
        "HTTPS://Fcm.Googleapis.Com/a", "https://8.8.8.8/up", "https://[2606:4700::1111]/up",
        "https://ntfy.lan/up1?up=1",
        "http://ntfy.lan/up1", "https://192.168.1.10:8443/up", "http://192.168.1.10:8443/up", "https://[fd00::1]/up",
        "http://nas.lan/up",
    ]) func there(endpoint: String) {
        #expect(PushEndpoint.refusal(endpoint, allowed: Self.hosts) == nil)
    }

    @Test(arguments: [
        ("http://push.example.org/", "without TLS"), ("https://push.example.org:8443/", "port 8443"),
        ("https://ntfy.lan:8443/", "push-hosts = ntfy.lan:8443"),
        ("https://192.168.1.10/up", "push-hosts = 192.168.1.10"),
        ("http://nas.lan:8080/", "push-hosts = nas.lan:8080"), ("https://127.0.0.1/", "no public address"),
        ("https://127.1/", "no public address"), ("https://2130706433/", "no public address"),
        ("https://0x7f.1/", "no public address"), ("https://10.0.0.1/", "no public address"),
        ("https://100.64.0.1/", "no public address"), ("https://169.254.169.254/latest", "no public address"),
        ("https://172.16.0.1/", "no public address"), ("https://[::1]/", "no public address"),
        ("https://[::ffff:192.168.0.1]/", "no public address"), ("https://[64:ff9b::a00:1]/", "no public address"),
        ("https://[2002:c0a8:1::]/", "no public address"), ("https://[fe80::1]/", "no public address"),
        ("https://[fd12::1]/", "no public address"),
        ("https://user:word@push.example.org/geheim", "a user and a password"),
        ("https://user@ntfy.lan/geheim", "a user and a password"), ("ftp://push.example.org/", "begins with none of"),
        ("javascript:alert(1)", "begins with none of"), ("", "begins with none of"),
        ("https:///geheim", "its host is none"),
        ("https://push.example.org/ geheim", "a blank"), ("https://push.example.org/\r\nX: y", "a blank"),
        ("https://push.example.org/#geheim", "a #"),
    ]) func notThere(endpoint: String, words: String) throws {
        let refusal = try #require(PushEndpoint.refusal(endpoint, allowed: Self.hosts))
        #expect(refusal.contains(words) && !refusal.contains("geheim"), "\(refusal)")
    }

    @Test func aLongOne() {
        func endpoint(_ bytes: Int) -> String {
            let start = "https://push.example.org/"
            return start + String(repeating: "x", count: bytes - start.utf8.count)
        }
        #expect(PushEndpoint.refusal(endpoint(1_000), allowed: PushHosts()) == nil)
        for bytes in [1_001, 10_000] {
            #expect(
                PushEndpoint.refusal(endpoint(bytes), allowed: PushHosts())?.contains("longer than 1000 bytes") == true)
        }
    }

    /// Its secret part is shown to nobody.
    @Test func whatIsShownOfIt() {
        #expect(PushEndpoint.shown("https://fcm.googleapis.com/fcm/send/geheim") == "https://fcm.googleapis.com/...")
    }

    @Test(arguments: [
        ("8.8.8.8", true), ("1.1.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true), ("192.167.1.1", true),
        ("100.63.0.1", true), ("100.128.0.1", true), ("198.17.0.1", true), ("[2606:4700::1111]", true),
        ("[2a00:1450::1]", true), ("[64:ff9b::808:808]", true), ("[::ffff:8.8.8.8]", true), ("[2002:808:808::]", true),
        ("0.0.0.0", false), ("10.255.255.255", false), ("127.0.0.1", false), ("169.254.1.1", false),
        ("172.31.255.1", false),
        ("192.168.0.1", false), ("192.0.2.1", false), ("198.51.100.1", false), ("203.0.113.1", false),
        ("198.18.0.1", false),
        ("192.0.0.8", false), ("224.0.0.1", false), ("255.255.255.255", false), ("240.0.0.1", false),
        ("100.64.0.1", false),
        ("[::]", false), ("[::1]", false), ("[fc00::1]", false), ("[fdff::1]", false), ("[fe80::1]", false),
        ("[ff02::1]", false),
        ("[2001:db8::1]", false), ("[3fff::1]", false), ("[100::1]", false), ("[64:ff9b::7f00:1]", false),
        ("[::ffff:10.0.0.1]", false), ("[2002:a00:1::]", false), ("[::ffff:0:192.168.1.1]", false),
        ("[4000::1]", false),
        ("[64:ff9b:1:c0a8:1:100::]", false),
    ]) func whatIsPublic(text: String, isPublic: Bool) throws {
        #expect(try #require(NetworkAddress(text: text)).isPublic == isPublic)
    }

    /// A name that leads somewhere else a moment later: each attempt looks, and curl is given the address that was looked at.
    @Test func aNameThatLeadsHereTheSecondTime() throws {
        let folder = try FolderOfItsOwn()
        let program = folder.path + "/curl"
        try "#!/bin/sh\ncat >>\(folder.path)/asked\nprintf 'HTTP/1.1 201 Created\\r\\n\\r\\n'\n".write(
            toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let isLater = Monitor(false)
        var curl = Curl(path: program, patience: 600_000_000_000)
        curl.lookup = { _, _, _ in
            let leadsHere = isLater.withLock { $0 }
            return [NetworkAddress(text: leadsHere ? "127.0.0.1" : "8.8.8.8")!]
        }
        var request = HTTPRequest(address: try WebAddress("https://push.example.org/geheim"))
        (request.body, request.isPublicOnly) = ([1], true)
        #expect(outcome(of: request, by: curl) == .answered(status: 201, retryAfter: nil))
        isLater.withLock { $0 = true }
        #expect(curl.send(request) == .failed(.notPublic(host: "push.example.org")))
        let asked = try String(contentsOfFile: folder.path + "/asked", encoding: .utf8)
        #expect(asked.contains("resolve = \"*:443:8.8.8.8\"") && asked.split(separator: "resolve").count == 2)
        #expect(asked.contains("proto = \"=http,https\"") && !asked.contains("location"))
    }

    /// Of several addresses only those are called that may be.
    @Test func aNameWithAPublicAndAPrivateAddress() throws {
        var request = HTTPRequest(address: try WebAddress("https://push.example.org/"))
        request.isPublicOnly = true
        let addresses = try ["10.0.0.1", "8.8.8.8", "[::1]"].map { try #require(NetworkAddress(text: $0)) }
        #expect(addresses.map { request.refusal(of: $0) == nil } == [false, true, false])
        (request.isPublicOnly, request.isLocalAllowed) = (false, true)
        #expect(addresses.allSatisfy { request.refusal(of: $0) == nil })
    }

    /// What was registered while a host was named.
    @Test func aHostIsNoLongerNamed() throws {
        let server = try LoopbackServer(status: 201)
        let (mesh, browser) = (try ToldMesh(), ToldBrowser())
        try mesh.start(push: .allowing(server))
        let one = try mesh.register(browser, at: "\(server.url)/push")
        try mesh.tell(one.target, "first")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        mesh.running.apply(PushSettings())
        #expect(mesh.running.refusal(of: one.address)?.contains("push-hosts = 127.0.0.1:\(server.port)") == true)
        try mesh.tell(one.target, "second")
        #expect(
            try mesh.eventually { mesh.running.registrationProgress(one.id)?.row.error?.contains("push-hosts") == true }
        )
        mesh.running.apply(.allowing(server))
        #expect(mesh.running.refusal(of: one.address) == nil)
        try mesh.tell(one.target, "third")
        #expect(
            try mesh.eventually {
                server.received.compactMap { browser.open($0.body)?["title"]?.string } == ["first", "third"]
            })
        #expect(try mesh.registrations.count == 1)
    }
}

/// A folder that goes with the test.
private final class FolderOfItsOwn {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("push-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
}
