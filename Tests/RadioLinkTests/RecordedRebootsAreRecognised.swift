import Foundation
import MeshProtocol
import RadioLink
import Testing

/// Real boot texts, and hours of other text that is none.
@Test(arguments: [
    ("01-handshake-serial", 0), ("02-handshake-two-stage", 0), ("07-reboot-mid-stream", 2), ("09-log-records", 0),
    ("10-rate-limit-queue-full", 0), ("27-serial-handshake", 1), ("27-serial-logrecord", 1), ("27-serial-reboot", 2),
    ("27-serial-text-in-frames-chunk64", 1),
])
func recordedRebootsAreRecognised(name: String, reboots: Int) throws {
    let recordings = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Recordings")
    let recording = try RecordedStream(contentsOfFile: recordings.appending(path: "\(name).jsonl").path)
    var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
    var session = RadioSession(pace: .serial, wallClock: { 0 })
    session.begin(at: 0)
    var found = 0
    for entry in recording.entries {
        guard case .received(let bytes) = entry.kind else { continue }
        let now = MonotonicTime(entry.time * 1e9)
        session.expire(at: now)
        bytes.withUnsafeBytes {
            decoder.feed($0, now: now) { output in
                switch output {
                case .frame(let message, let raw): session.receive(message, raw: raw, at: now)
                case .text(let line, _): session.receive(text: line, at: now)
                case .garbage: break
                }
            }
        }
        for case .event(.rebooted) in session.drain() { found += 1 }
    }
    #expect(found == reboots)
}
