import MeshModel
import MeshProtocol
import RadioLink
import Recordings
import Testing

/// Firmware writes the PIN of Bluetooth into its log. Neither a recording has it, nor anybody who follows the log.
@Suite struct NoPINOfAPairingIsRecorded {
    /// As firmware writes it; as it is kept.
    static let lines = [
        (
            "INFO  | 12:00:07 31 [NimBLE] *** Enter passkey 482915 on the peer side ***",
            "INFO  | 12:00:07 31 [NimBLE] *** Enter passkey 000000 on the peer side ***"
        ),
        (
            "INFO  | ??:??:?? 4 BLE pair process started with passkey 482 915",
            "INFO  | ??:??:?? 4 BLE pair process started with passkey 000 000"
        ),
        ("DEBUG | ??:??:?? 2 Bluetooth pin set to '482915'", "DEBUG | ??:??:?? 2 Bluetooth pin set to '000000'"),
        // Others stay.
        ("INFO  | ??:??:?? 2 Use fixed passkey", "INFO  | ??:??:?? 2 Use fixed passkey"),
        (
            "DEBUG | 12:00:07 31 Use analog input 28 on pin 3, pinning 482915",
            "DEBUG | 12:00:07 31 Use analog input 28 on pin 3, pinning 482915"
        ),
    ]

    private func recorded(_ bytes: [UInt8], chunk: Int) -> [[UInt8]] {
        let stream = RecordedStream(entries: [RecordedStream.Entry(time: 1, kind: .received(bytes))])
        let kept = KeptTraffic()
        RecordedTraffic(stream: stream, chunk: chunk).play(to: TrafficRecorder(to: kept))
        return kept.entries.compactMap { if case .received(let bytes) = $0.kind { bytes } else { nil } }
    }

    @Test(arguments: lines, [1, 7, 4096]) func asText(_ line: (written: String, kept: String), chunk: Int) {
        let bytes = Array((line.written + "\r\n").utf8)
        let recorded = recorded(bytes, chunk: chunk)
        #expect(String(decoding: recorded.joined(), as: UTF8.self) == line.kept + "\r\n")
        var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
        var shown: [String] = []
        bytes.withUnsafeBytes {
            decoder.feed($0, now: 0) { if case .text(let line, _) = $0 { shown.append(line) } }
        }
        #expect(shown == [line.kept])
    }

    /// With `debug_log_api_enabled` it comes in frames.
    @Test(arguments: lines) func asARecord(_ line: (written: String, kept: String)) {
        func frame(_ text: String) -> [UInt8] {
            StreamFrame.encode(
                FromRadio.logRecord(LogRecord(message: text, time: 482_915, source: "NimBLE", level: 20)).encoded())
        }
        #expect(recorded(frame(line.written), chunk: 7) == [frame(line.kept)])
        let raw = Array(frame(line.written).dropFirst(4))
        #expect(Redaction.fromRadioFrame(raw) == Array(frame(line.kept).dropFirst(4)))
    }
}
