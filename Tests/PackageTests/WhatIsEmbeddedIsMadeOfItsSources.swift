import Foundation
import Testing

/// The documents in Sources/CWebPage are committed, so that building needs nothing but a compiler. What deploy/page makes of
/// Sources/WebPage now is the same, but for how another zlib would pack it.
@Suite struct WhatIsEmbeddedIsMadeOfItsSources {
    private static let embedded = Repository.root.appending(path: "Sources/CWebPage")

    @Test func makingItAgainGivesNoDifference() throws {
        let target = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: target) }
        let made = try output(Repository.root.appending(path: "deploy/page").path, ["--into", target.path])
        try #require(made.status == 0, "\(String(decoding: made.bytes, as: UTF8.self))")
        let names = try FileManager.default.contentsOfDirectory(atPath: target.path).sorted()
        #expect(names.filter { $0.hasSuffix(".gz") }.count == 3 + Self.annexes.count)
        #expect(names.contains("digests.h") && names.contains("annexes.h"))
        for name in names {
            let (ours, theirs) = (Self.embedded.appending(path: name), target.appending(path: name))
            #expect(try content(ours) == content(theirs), "\(name) is not what deploy/page makes")
        }
    }

    /// The scripts that the page fetches.
    private static let annexes = [
        "annex-node.js", "annex-map.js", "annex-air.js", "annex-told.js", "annex-setup.js", "annex-settings.js",
        "annex-talks.js", "annex-push.js",
    ]

    /// A browser that reads gzip and one that does not see the same page.
    @Test(arguments: ["page.html", "documentation.html", "sw.js"] + annexes)
    func bothFormsAreOneDocument(name: String) throws {
        let plain = try Data(contentsOf: Self.embedded.appending(path: name))
        let packed = Self.embedded.appending(path: name + ".gz")
        #expect(try content(packed) == plain)
        // No time of its making (RFC 1952, 2.3.1).
        #expect(try [UInt8](Data(contentsOf: packed)[4..<8]) == [0, 0, 0, 0])
    }

    /// The document is the first screen: as it is sent to a browser, and unpacked. Each script that it fetches is packed.
    @Test func thePageKeepsToItsBudget() throws {
        let annexes = Self.annexes.map { ($0 + ".gz", $0 == "annex-push.js" ? 8_000 : 16_000) }
        let worker = [("sw.js.gz", 2_000)]
        for (name, budget) in [("page.html.gz", 46_000), ("page.html", 250_000)] + worker + annexes {
            let size = try Data(contentsOf: Self.embedded.appending(path: name)).count
            #expect(size <= budget, "\(name) has \(size) bytes, and may have \(budget)")
        }
    }

    private func content(_ file: URL) throws -> Data {
        guard file.pathExtension == "gz" else { return try Data(contentsOf: file) }
        let unpacked = try output("/usr/bin/env", ["gzip", "--decompress", "--stdout", file.path])
        try #require(unpacked.status == 0)
        return unpacked.bytes
    }

    private func output(_ program: String, _ arguments: [String]) throws -> (status: Int32, bytes: Data) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, bytes)
    }
}
