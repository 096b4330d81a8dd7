import Foundation
import Platform
import Testing

@testable import Notifications
@testable import ServedProgram

private func request(_ url: String, body: String? = "body") throws -> HTTPRequest {
    var request = HTTPRequest(address: try WebAddress(url), isLocalAllowed: true)
    request.body = body.map { Array($0.utf8) }
    return request
}

@Test func whatIsSentArrivesByteForByte() throws {
    let server = try LoopbackServer(status: 200)
    let body = String((1...126).map { Character(UnicodeScalar($0)) }) + "\u{0} \"\\ Grüße \u{1F600}"
    var sent = try request("http://anna:pass%20word@127.0.0.1:\(server.port)/secret?a=b%2Fc", body: body)
    sent.headers = [("X-Quoted", "a \"b\" \\ c"), ("Content-Type", "application/json")]
    #expect(Curl.unhurried.send(sent) == .answered(status: 200, retryAfter: nil))
    let got = try #require(server.received.first)
    #expect(got.line == "POST /secret?a=b%2Fc HTTP/1.1")
    #expect(got.text == body)
    #expect(got.headers["x-quoted"] == "a \"b\" \\ c")
    #expect(got.headers["content-type"] == "application/json")
    #expect(got.headers["authorization"] == "Basic " + Data("anna:pass word".utf8).base64EncodedString())
}

@Test func withoutABodyItIsAGet() throws {
    let server = try LoopbackServer(status: 204)
    #expect(
        Curl.unhurried.send(try request(server.url + "/ping", body: nil)) == .answered(status: 204, retryAfter: nil))
    #expect(server.received.first?.line == "GET /ping HTTP/1.1")
}

/// A proxy that the environment names would see everything. It gets none of ours, which ``noSecretIsInAnArgumentOrAnEnvironment``
/// shows; and one of its own would change nothing.
@Test func noProxyIsTakenFromTheEnvironment() throws {
    let (server, proxy) = (try LoopbackServer(status: 200), try LoopbackServer(status: 200))
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("curl-\(UUID().uuidString)").path
    try "#!/bin/sh\nhttp_proxy=\(proxy.url) exec /usr/bin/curl \"$@\"\n".write(
        toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o755)
    defer { unlink(path) }
    let sent = try request(server.url)
    #expect(
        outcome(of: sent, by: Curl(path: path, patience: Curl.unhurried.patience))
            == .answered(status: 200, retryAfter: nil))
    #expect(server.received.count == 1 && proxy.received.isEmpty)
}

@Test func aProxyThatATargetNamesIsUsed() throws {
    let proxy = try LoopbackServer(status: 200)
    var sent = try request("http://nobody.invalid/topic")
    sent.proxy = try WebAddress(proxy.url)
    #expect(Curl.unhurried.send(sent) == .answered(status: 200, retryAfter: nil))
    #expect(proxy.received.first?.line == "POST http://nobody.invalid/topic HTTP/1.1")
}

/// What other users can read of a running program.
@Test func noSecretIsInAnArgumentOrAnEnvironment() throws {
    let seen = Monitor<[String]>([])
    let server = try LoopbackServer { _, connection in
        var found: [String] = []
        for process in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let words = contents(of: "/proc/\(process)/cmdline"), words.contains("curl\0-q"),
                contents(of: "/proc/\(process)/status")?.contains("\nPPid:\t\(getpid())\n") == true
            else { continue }
            found.append(words + (contents(of: "/proc/\(process)/environ") ?? ""))
        }
        seen.withLock { $0 = found }
        say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
    }
    var sent = try request(server.url + "/secretpath", body: "secretbody")
    sent.headers = [("Authorization", "Bearer secrettoken")]
    #expect(Curl.unhurried.send(sent) == .answered(status: 200, retryAfter: nil))
    let found = seen.withLock { $0 }
    #expect(!found.isEmpty, "no curl was seen at work")
    #expect(!found.contains { $0.contains("secret") }, "\(found)")
    // Nothing of ours is in its environment, where tests always have this.
    #expect(getenv("PATH") != nil && !found.contains { $0.contains("PATH=") }, "\(found)")
}

/// A daemon's threads block signals, and SIGPIPE is ignored: both would be inherited.
@Test func aProgramStartsWithSignalsOfItsOwn() throws {
    signal(SIGPIPE, SIG_IGN)
    let result = Monitor<String?>(nil)
    Platform.Thread(named: "blocked") {
        let text = Subprocess.output(of: ["grep", "Sig", "/proc/self/status"], patience: 60_000_000_000)
        result.notify { $0 = text }
    }
    .join()
    let output = result.withLock { $0 }
    let lines = try #require(output).split(separator: "\n")
    for name in ["SigBlk:", "SigIgn:"] {
        let line = try #require(lines.first { $0.hasPrefix(name) })
        let mask = try #require(UInt64(line.dropFirst(name.count).drop { $0 == "\t" }, radix: 16))
        // posix_spawn(3) of glibc has its own two, 32 and 33, ignored.
        #expect(mask & ~0x1_8000_0000 == 0, "\(lines)")
    }
}

/// Without a port curl would ask at 1080, which is not the address that was checked.
@Test(arguments: [
    ("http://proxy.lan", "http://proxy.lan:80"), ("http://proxy.lan:80/", "http://proxy.lan:80"),
    ("https://a:b@proxy.lan", "https://a:b@proxy.lan:443"), ("socks5h://proxy.lan", "socks5h://proxy.lan:1080"),
])
func aProxyIsNamedWithItsPort(proxy: String, written: String) throws {
    var request = HTTPRequest(address: try WebAddress("http://nobody.invalid/topic"))
    request.proxy = try WebAddress(proxy, schemes: [.http, .https, .socks5h])
    let text = Curl.configuration(request, [NetworkAddress(ipv4: [192, 0, 2, 7])], seconds: 20)
    #expect(text.contains("proxy = \"\(written)\"\n"))
}
