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

        let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus/\(name)").path
        let inputs = try files.contentsOfDirectory(atPath: corpus).sorted()
        #expect(inputs.count >= 10, "the corpus of \(name) is missing")
        for input in inputs {
            let bytes = try #require(files.contents(atPath: "\(corpus)/\(input)"))
            #expect(throws: Never.self, "\(name) \(input)") { try target.run(Array(bytes)) }
        }
    }

    @Test func everyFolderHasItsTarget() throws {
        let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: corpus).sorted() == FuzzTargets.names)
    }
}
