import Foundation
import Testing

@testable import ServedProgram

/// Views that are not the first screen are scripts of their own. Each has its digest in its path: what is there never
/// changes, and the page's policy lets nothing else run.
@Suite struct WhatThePageFetchesLaterIsKeptByItsDigest {
    @Test func eachScriptIsTheOneThatThePolicyNames() throws {
        let folders = try Folders()
        let file = try folders.file("mesh.conf", "base-path = /mesh\n")
        let gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        try gateway.waitUntilLive()
        let page = try gateway.client.get("/mesh/")
        let policy = try #require(page.headers["content-security-policy"])
        let digests = try Self.digests(in: page.text)
        #expect(digests.keys.sorted() == ["air", "map", "node", "push", "settings", "setup", "talks", "told"])
        for (name, digest) in digests {
            #expect(policy.contains("'\(digest)'"), "\(name) would not run")
            let path = Self.path(of: name, digest)
            let script = try gateway.client.get("/mesh" + path)
            #expect(script.status == 200 && script.headers["content-type"] == "text/javascript; charset=utf-8")
            #expect(script.headers["cache-control"] == "public, max-age=31536000, immutable")
            #expect(script.headers["content-security-policy"] == "default-src 'none'")
            #expect(script.headers["x-content-type-options"] == "nosniff")
            #expect(try digest == "sha256-\(Self.digest(of: script.body, in: folders))", "\(name) is another one")
            let packed = try gateway.client.get("/mesh" + path, ["Accept-Encoding: gzip"])
            #expect(packed.headers["content-encoding"] == "gzip" && packed.body.count <= 16_000)
            #expect(packed.headers["vary"] == "Origin, Accept-Encoding")
            let tag = try #require(packed.headers["etag"])
            let known = ["If-None-Match: \(tag)", "Accept-Encoding: gzip"]
            #expect(try gateway.client.get("/mesh" + path, known).status == 304)
        }
        // An older version's: the page that asks for it has to be loaded anew.
        let gone = try gateway.client.get("/mesh" + Self.path(of: "map", "sha256-" + String(repeating: "A", count: 43)))
        #expect(gone.status == 404 && gone.headers["cache-control"] != "public, max-age=31536000, immutable")

        _ = try folders.file("mesh.conf", "base-path = /mesh\nweb = no\n")
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: "web: yes -> no")
        let map = Self.path(of: "map", try #require(digests["map"]))
        #expect(try gateway.client.get("/mesh" + map).status == 404)
        try gateway.program.stop()
    }

    /// As the page has them: `const annexDigests={node:"sha256-…",…};`.
    private static func digests(in page: String) throws -> [String: String] {
        let list = try #require(page.components(separatedBy: "const annexDigests={").last?.split(separator: "}").first)
        let pairs = list.split(separator: ",").map { $0.split(separator: ":") }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), $0[1].trimmingCharacters(in: ["\""])) })
    }

    private static func path(of name: String, _ digest: String) -> String {
        let letters = digest.dropFirst("sha256-".count).filter { $0.isLetter || $0.isNumber }
        return "/annex/\(name).\(letters).js"
    }

    private static func digest(of bytes: Data, in folders: Folders) throws -> String {
        let file = "\(folders.root)/annex.js"
        try bytes.write(to: URL(filePath: file))
        let program = try Program(
            ["dgst", "-sha256", "-binary", "-out", file + ".sha256", file], in: folders, executable: "openssl")
        #expect(try program.exitCode() == 0)
        return try Data(contentsOf: URL(filePath: file + ".sha256")).base64EncodedString()
    }
}
