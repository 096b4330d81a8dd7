import HeldWriter
import Testing

/// However late the disk is, a recording gives the same answers: no text that the radio has accepted is shown as failed, and
/// none is sent twice.
@Test(arguments: RecordingFiles.names, Hold.all) func theAnswersDoNotDependOnTheWriter(
    _ name: String, _ hold: Hold
) throws {
    let text = try ReplayedAnswers(RecordingFiles.stream(name), holding: hold).text
    if let difference = try ReplayedGolden.all.get().difference(of: text, named: name) {
        Issue.record("\(hold): \(difference)")
    }
}
