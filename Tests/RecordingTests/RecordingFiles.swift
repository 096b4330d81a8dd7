import Foundation
import MeshProtocol
import Recordings

/// The recordings that lie in Tests/Recordings.
enum RecordingFiles {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Recordings")

    // Without its recordings the test has no cases: better to say so at once.
    static let names = try! FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()

    static func stream(_ name: String) throws -> RecordedStream {
        try RecordedStream(contentsOfFile: folder.appendingPathComponent(name + ".jsonl").path)
    }
}
