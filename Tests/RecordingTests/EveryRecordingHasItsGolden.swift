import Foundation
import Goldens
import Synchronization
import Testing

/// A recording that is replayed gives the answers that a person has read, the same every time. `deploy/golden` writes
/// them anew.
@Test(arguments: RecordingFiles.names) func everyRecordingHasItsGolden(_ name: String) throws {
    let text = try ReplayedAnswers(RecordingFiles.stream(name)).text
    if ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] != nil {
        return try ReplayedGolden.write(text, named: name)
    }
    if let difference = try ReplayedGolden.all.get().difference(of: text, named: name) { Issue.record("\(difference)") }
}

@Test func everyGoldenHasItsRecording() throws {
    guard ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] == nil else { return }
    for name in try ReplayedGolden.all.get().texts.keys where !RecordingFiles.names.contains(name) {
        Issue.record("there is no recording \(name)")
    }
}

/// ReplayedGolden.txt: the answers about each recording, under its name.
enum ReplayedGolden {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ReplayedGolden.txt")

    static let all = Result { try Sections(contentsOf: file) }

    /// The recordings are replayed at the same time, and each writes its own section.
    private static let writer = Mutex(())

    static func write(_ text: String, named name: String) throws {
        try writer.withLock { _ in
            var sections = try Sections(contentsOf: file)
            sections.texts[name] = text
            sections.texts = sections.texts.filter { RecordingFiles.names.contains($0.key) }
            try sections.write(to: file)
        }
    }
}
