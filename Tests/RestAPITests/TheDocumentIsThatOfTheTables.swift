import Foundation
import JSON
import Testing

@testable import OpenAPI
@testable import RestAPI

/// What is served is embedded, packed; it was made of the tables of Sources/OpenAPI. After a change of those, `deploy/golden`
/// makes it again, for the next build.
@Suite struct TheDocumentIsThatOfTheTables {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/CWebPage/openapi.json.packed")

    private func made(_ version: String, _ base: String) -> [UInt8] {
        var json = JSONWriter()
        json.ordered(OpenAPIDocument(version: version, base: base).value)
        return json.bytes
    }

    @Test func theDocumentIsThatOfTheTables() throws {
        if ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] != nil {
            let document = made(ServedDocument.places.version, ServedDocument.places.base)
            return try Data(Repetitions.packed(document)).write(to: Self.file)
        }
        // Whatever stands in the two places.
        for (version, base) in [("1.2.3", ""), ("0", "/mesh"), ("\"2\" @base@", "/a\\b/ü")] {
            let served = ServedDocument(version: version, base: base).json
            let isThatOfTheTables = served == made(version, base)
            #expect(isThatOfTheTables, "run deploy/golden, and build again")
        }
    }

    @Test func whatIsPackedIsUnpackedAsItWas() {
        var generator = SystemRandomNumberGenerator()
        let short: [[UInt8]] = [[], [1], [1, 2, 3, 4, 5, 6], Array(repeating: 7, count: 1_000)]
        let long = (0..<20).map { count -> [UInt8] in
            (0..<count * 40).map { _ in .random(in: 0..<2, using: &generator) }
        }
        for bytes in short + long + [Array("abcdefgh".utf8) + (0...255) + Array("abcdefgh".utf8) + (0...255)] {
            let packed = Repetitions.packed(bytes)
            #expect(packed.withUnsafeBufferPointer(Repetitions.unpacked) == bytes)
        }
        #expect(Repetitions.packed(Array(repeating: 7, count: 1_000)).count < 12)
    }
}
