import Foundation
import Testing

@testable import ServedProgram

/// The web page at `/`: one document that holds nothing of the mesh. Tests/Browser uses it as people do.
@Suite struct APageIsServedAtTheRoot {
    @Test func oneDocumentThatAsksForNothingElsewhere() throws {
        let folders = try Folders()
        let file = try folders.file("mesh.conf", "name = Attic\n")
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        try gateway.waitUntilLive()
        let page = try gateway.client.get("/")
        #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["cache-control"] == "no-cache" && page.headers["referrer-policy"] == "no-referrer")
        let policy = try #require(page.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-"))
        #expect(policy.contains("require-trusted-types-for 'script'; trusted-types sw annex"))
        #expect(!policy.contains("unsafe") && !policy.contains("http"))
        #expect(page.body.count <= 250_000)
        // Without a word on codings it is plain; a browser says that it can read it packed.
        #expect(page.headers["content-encoding"] == nil)
        let packed = try gateway.client.get("/", ["Accept-Encoding: gzip"])
        #expect(packed.headers["content-encoding"] == "gzip" && packed.body.count <= 46_000)
        #expect(try unpacked(packed.body, in: folders) == page.body)
        for answer in [page, packed] { #expect(answer.headers["vary"] == "Origin, Accept-Encoding") }
        // Neither the source nor the radio: a stranger learns that there is a gateway.
        for name in ["Attic", "Simulated radio", "LongFast"] { #expect(!page.text.contains(name)) }
        let tag = try #require(page.headers["etag"])
        #expect(try gateway.client.get("/", ["If-None-Match: \(tag)"]).status == 304)
        #expect(packed.headers["etag"] != tag)
        #expect(try gateway.client.get("/", ["If-None-Match: \(tag)", "Accept-Encoding: gzip"]).status == 200)
        let packedTag = try #require(packed.headers["etag"])
        let known = try gateway.client.get("/", ["If-None-Match: \(packedTag)", "Accept-Encoding: gzip"])
        #expect(known.status == 304 && known.body.isEmpty && known.headers["etag"] == packedTag)
        // A part is not made: the whole comes, whatever range is asked for.
        let part = try gateway.client.get("/", ["Range: bytes=0-99"])
        #expect(part.status == 200 && part.body == page.body && part.headers["content-range"] == nil)
        // The head alone is that of a GET.
        for (whole, headers) in [(page, []), (packed, ["Accept-Encoding: gzip"])] {
            let head = try gateway.client.request("HEAD", "/", headers)
            #expect(head.status == 200 && head.body.isEmpty)
            for name in [
                "content-length", "content-type", "content-encoding", "etag", "vary", "content-security-policy",
            ] {
                #expect(head.headers[name] == whole.headers[name], "\(name)")
            }
        }
        for (path, type) in [
            ("/manifest.webmanifest", "application/manifest+json"), ("/icon.svg", "image/svg+xml"),
            ("/icon.png", "image/png"),
        ] {
            #expect(try gateway.client.get(path).headers["content-type"] == type)
        }
        #expect(try gateway.client.get("/icon.svg").headers["cache-control"] == "public, max-age=86400")
        // The service worker is asked for anew, so that an upgrade replaces it.
        let worker = try gateway.client.get("/sw.js", ["Accept-Encoding: gzip"])
        #expect(worker.status == 200 && worker.headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(worker.headers["cache-control"] == "no-cache" && worker.body.count <= 2_000)
        #expect(worker.headers["content-security-policy"] == "default-src 'none'; img-src 'self'")
        #expect(policy.contains("worker-src 'self'"))
        let workerTag = try #require(worker.headers["etag"])
        let same = try gateway.client.get("/sw.js", ["If-None-Match: \(workerTag)", "Accept-Encoding: gzip"])
        #expect(same.status == 304)
        // Clients of MeshMonitor probe for what there is.
        let unknown = try gateway.client.get("/index.html")
        #expect(unknown.status == 404 && unknown.text.contains("Cannot GET /index.html"))

        _ = try folders.file("mesh.conf", "name = Attic\nweb = no\n")
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: "web: yes -> no")
        #expect(try gateway.client.get("/").text.contains("Cannot GET /"))
        for path in ["/icon.svg", "/sw.js"] { #expect(try gateway.client.get(path).status == 404) }
        try gateway.program.stop()
    }

    private func unpacked(_ bytes: Data, in folders: Folders) throws -> Data {
        let file = "\(folders.root)/page.gz"
        try bytes.write(to: URL(filePath: file))
        let program = try Program(["-dc", file], in: folders, executable: "gzip")
        #expect(try program.exitCode() == 0)
        return program.output.data
    }

    /// Its settings may be others than those of the command, which knows no port here.
    @Test func theLinkLeadsToWhereTheDaemonServes() throws {
        let folders = try Folders()
        let file = try folders.file("mesh.conf", "base-path = /mesh\n")
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        let made = try Program.run("token", "create", "phone", "--qr", in: folders)
        let lines = made.output.split(separator: "\n")
        let token = try #require(lines.last)
        #expect(lines.contains("http://127.0.0.1:\(gateway.client.port)/mesh/#token=\(token)"))
        try gateway.program.stop()
    }

    /// What stands behind `#` is never sent.
    @Test func aTokenComesAsALinkToScan() throws {
        let folders = try Folders()
        let made = try Program.run(
            "token", "create", "phone", "--qr", "--url", "https://box.example/mesh", in: folders)
        let lines = made.output.split(separator: "\n")
        let token = try #require(lines.last)
        #expect(token.hasPrefix("mm_v1_"))
        #expect(lines.contains("https://box.example/mesh/#token=\(token)"))
        #expect(lines.count > 20, "the code is drawn")
        let refused = try Program.run("token", "create", "other", "--qr", "--url", "box", in: folders)
        #expect(refused.errors.contains("--url cannot be \"box\""))
    }
}
