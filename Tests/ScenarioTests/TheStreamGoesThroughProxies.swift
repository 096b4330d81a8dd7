import Foundation
import Testing

@testable import ServedProgram

/// A program of Debian's that is installed, or lies where MESH_GATEWAY_TEST_NGINX and the like say.
private func installed(_ name: String) -> String? {
    let named = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_" + name.uppercased()]
    let found = (named.map { [$0] } ?? ["/usr/sbin/", "/usr/bin/"].map { $0 + name })
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    // The long run has to have them all.
    return found ?? (isFullRun ? name : nil)
}

/// The stream comes through proxies with no option set, and programs that everybody has go on where they were.
@Suite struct TheStreamGoesThroughProxies {
    private let folders: Folders
    private let here: RadioHere
    private let gateway: ServedGateway

    init() throws {
        folders = try Folders()
        here = try RadioHere { $0.nodes = 3 }
        var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(try here.radio.listen())", in: folders)
        try gateway.authorize()
        try gateway.waitUntilLive()
        self.gateway = gateway
    }

    private func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(descriptor, address, size)
                getsockname(descriptor, address, &size)
            }
            return UInt16(bigEndian: $0.pointee.sin_port)
        }
    }

    /// The first block, an event as it happens, and going on behind it.
    private func follow(through client: Client, sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try gateway.eventually("the proxy listens", sourceLocation: sourceLocation) {
            (try? client.get("/api/v1/ping")).map { $0.status == 200 } ?? false
        }
        let path = "/api/v1/events?kinds=message"
        let stream = try EventStreamClient(client, path)
        #expect(try stream.next()?.first?.kind == "start", sourceLocation: sourceLocation)
        try here.say("one", to: gateway)
        #expect(try stream.next()?.first?.data["text"] == "one", sourceLocation: sourceLocation)
        stream.cut()
        try here.say("two", to: gateway)
        let again = try EventStreamClient(client, path, after: stream.lastID)
        var texts: [JSON] = []
        while texts.isEmpty {
            texts = try #require(try again.next()).filter { $0.kind == "message" }.map { $0.data["text"] }
        }
        #expect(texts == ["two"], sourceLocation: sourceLocation)
    }

    @Test(.enabled(if: installed("nginx") != nil, "nginx is not installed")) func nginx() throws {
        let port = try freePort()
        let configuration = folders.root + "/nginx.conf"
        try """
        daemon off;
        master_process off;
        pid \(folders.root)/nginx.pid;
        error_log stderr;
        events {}
        http {
            access_log off;
            client_body_temp_path \(folders.root)/body;
            proxy_temp_path \(folders.root)/proxy;
            fastcgi_temp_path \(folders.root)/fastcgi;
            uwsgi_temp_path \(folders.root)/uwsgi;
            scgi_temp_path \(folders.root)/scgi;
            server {
                listen 127.0.0.1:\(port);
                location / { proxy_pass http://127.0.0.1:\(gateway.client.port); }
            }
        }
        """.write(toFile: configuration, atomically: false, encoding: .utf8)
        let proxy = try Program(
            ["-p", folders.root, "-c", configuration], in: folders, executable: try #require(installed("nginx")))
        try follow(through: Client(host: "127.0.0.1", port: port, token: gateway.client.token))
        withExtendedLifetime(proxy) {}
    }

    @Test(.enabled(if: installed("caddy") != nil, "Caddy is not installed")) func caddy() throws {
        let port = try freePort()
        let configuration = folders.root + "/Caddyfile"
        try """
        {
            admin off
        }
        http://127.0.0.1:\(port) {
            reverse_proxy 127.0.0.1:\(gateway.client.port)
        }
        """.write(toFile: configuration, atomically: false, encoding: .utf8)
        let proxy = try Program(
            ["run", "--config", configuration, "--adapter", "caddyfile"], in: folders,
            executable: try #require(installed("caddy")))
        try follow(through: Client(host: "127.0.0.1", port: port, token: gateway.client.token))
        withExtendedLifetime(proxy) {}
    }

    private var url: String { "http://127.0.0.1:\(gateway.client.port)/api/v1/events?kinds=message" }
    private var bearer: String { "Authorization: Bearer \(gateway.client.token ?? "")" }

    @Test func curlGoesOn() throws {
        func curl(_ more: String...) throws -> Program {
            try Program(["-sN", "-H", bearer] + more + [url], in: folders, executable: "/usr/bin/curl")
        }
        let first = try curl()
        _ = try first.output.line(containing: "event: start")
        try here.say("one", to: gateway)
        _ = try first.output.line(containing: #""text":"one""#)
        let id = try #require(first.output.text.split(separator: "\n").last { $0.hasPrefix("id: ") }).dropFirst(4)
        first.signal(SIGKILL)
        _ = try first.exitCode()
        try here.say("two", to: gateway)
        let again = try curl("-H", "Last-Event-ID: \(id)")
        _ = try again.output.line(containing: #""text":"two""#)
        #expect(!again.output.text.contains(#""text":"one""#))
        again.signal(SIGKILL)
    }

    @Test(.enabled(if: installed("node") != nil, "Node.js is not installed")) func fetchGoesOn() throws {
        // As a page does it: blocks across the borders of chunks, the last id, another request behind it.
        let script = """
            const [url, bearer] = process.argv.slice(1);
            let last = "", rest = "", count = 0;
            for (const wanted of [1, 2]) {
              const abort = new AbortController();
              const after = last ? "&after=" + encodeURIComponent(last) : "";
              const answer = await fetch(url + after, { headers: { Authorization: bearer }, signal: abort.signal });
              const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
              rest = "";
              while (count < wanted) {
                const { value } = await reader.read();
                rest += value;
                for (let end; (end = rest.indexOf("\\n\\n")) >= 0; rest = rest.slice(end + 2)) {
                  const fields = Object.fromEntries(rest.slice(0, end).split("\\n").map(line => line.split(/: (.*)/s)));
                  last = fields.id || last;
                  if (fields.event === "start") console.log("start", JSON.parse(fields.data).resumed);
                  if (fields.event === "message") { count += 1; console.log("message", JSON.parse(fields.data).text); }
                }
              }
              abort.abort();
            }
            """
        let node = try Program(
            ["--input-type=module", "-e", script, url, "Bearer \(gateway.client.token ?? "")"], in: folders,
            executable: try #require(installed("node")))
        _ = try node.output.line(containing: "start false")
        try here.say("one", to: gateway)
        _ = try node.output.line(containing: "start true")
        try here.say("two", to: gateway)
        #expect(try node.exitCode() == 0, "\(node.errors.text)")
        #expect(node.output.text == "start false\nmessage one\nstart true\nmessage two\n")
    }
}
