import Foundation
import HeldWriter
import MeshProtocol
import Platform
import RadioLink
import Testing

@testable import Recordings

/// Recorded, kept in the ring, saved and replayed: the answers are those of the recording, but for the keys of channels.
@Test(arguments: RecordedAgain.names)
func whatWasRecordedAgainSaysTheSame(_ name: String) throws {
    try RecordedAgain.compare(name, ReplayedAnswers(RecordedAgain.stream(name)))
}

/// And however late the disk is.
@Test(arguments: RecordedAgain.names, Hold.all)
func whatWasRecordedAgainSaysTheSame(_ name: String, _ hold: Hold) throws {
    try RecordedAgain.compare(name, ReplayedAnswers(RecordedAgain.stream(name), holding: hold))
}

private enum RecordedAgain {
    static let names = ["03-chat-channel", "07-reboot-mid-stream", "12-admin", "27-mixed-27"]

    /// What the ring has kept of a recording.
    static func stream(_ name: String) throws -> RecordedStream {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ring-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stream = try RecordingFiles.stream(name)
        let ring = Ring(folder: folder, device: "auto")
        let recorder = FlightRecorder(ring, group: nil)
        let start = WallClock.milliseconds()
        RecordedTraffic(stream: stream, chunk: 100).play(
            to: TrafficRecorder(to: OnTheClock(recorder, from: MonotonicClock.nanoseconds())))
        recorder.stop()

        let path = folder + "/capture.jsonl"
        let file = try RecordingFile(path)
        for entry in try ring.entries(since: start - 1000) { try file.append(entry.kind, at: entry.at) }
        try file.finish()
        var captured = try RecordedStream(contentsOfFile: path)
        captured.startedAt = try Recording(stream).startedAt

        return captured
    }

    static func compare(_ name: String, _ again: ReplayedAnswers) throws {
        let original = try ReplayedAnswers(RecordingFiles.stream(name))
        let difference = again.difference(to: original) { text in
            // Times of a capture are milliseconds, and rounded once more than those of its original.
            text.replacing(/"psk":"[^"]*"/, with: #""psk":"""#).replacing(/\b\d{13}\b/, with: "0")
                .replacing(/\b17(?:95|67)\d{6}\b/, with: "0").replacing(/\d\d:\d\d:\d\d\.\d{3}Z/, with: "")
        }
        if let difference { Issue.record("\(name): \(difference)") }
    }
}

/// Recorded times on this host's clock.
private struct OnTheClock: TrafficSink {
    let recorder: FlightRecorder
    let start: MonotonicTime

    init(_ recorder: FlightRecorder, from start: MonotonicTime) {
        self.recorder = recorder
        self.start = start
    }

    func add(_ kind: RecordedStream.Entry.Kind, at now: MonotonicTime) { recorder.add(kind, at: start + now) }
    func begin(after handshake: [UInt8], at now: MonotonicTime) { recorder.begin(after: handshake, at: start + now) }
}
