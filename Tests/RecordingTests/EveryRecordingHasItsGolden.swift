import Foundation
import Testing

/// A recording that is replayed gives the answers that a person has read, the same every time. `deploy/golden` writes
/// them anew.
@Test(arguments: RecordingFiles.names) func everyRecordingHasItsGolden(_ name: String) throws {
    let text = try ReplayedAnswers(RecordingFiles.stream(name)).text
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).json")
    if ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] != nil {
        return try text.write(to: file, atomically: false, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    if let difference = firstDifference(text, expected) { Issue.record("\(name): \(difference)") }
}
