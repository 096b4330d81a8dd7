import Foundation
import FuzzTargets
import Testing

/// What libFuzzer has collected, once through each target as an ordinary build has it. Tests/Fuzz/README.md.
@Suite struct NoInputOfTheCorpusBreaksAnything {
    @Test(arguments: FuzzTargets.names) func ofTarget(_ name: String) throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.path + "/fuzz-" + UUID().uuidString
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        let target = try #require(try FuzzTargets.target(named: name, folder: folder))

        let packed = try #require(files.contents(atPath: "\(corpus)/\(name)"), "the corpus of \(name) is missing")
        let inputs = try inputs(of: Array(packed))
        #expect(inputs.count >= 10, "the corpus of \(name) is nearly empty")
        for (index, input) in inputs.enumerated() {
            #expect(throws: Never.self, "input \(index) of \(name): \(input)") { try target.run(input) }
        }
    }

    @Test func everyPackedFileHasItsTarget() throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: corpus).sorted() == FuzzTargets.names)
    }

    private let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus").path

    /// Of each input its length, two bytes with the higher one first, and then its bytes: Tests/Fuzz/packed.py.
    private func inputs(of packed: [UInt8]) throws -> [[UInt8]] {
        var inputs: [[UInt8]] = []
        var place = 0
        while place < packed.count {
            let start = place + 2
            try #require(start <= packed.count, "the last length is cut off")
            place = start + Int(packed[start - 2]) << 8 + Int(packed[start - 1])
            try #require(place <= packed.count, "the last input is cut off")
            inputs.append(Array(packed[start..<place]))
        }
        return inputs
    }
}
