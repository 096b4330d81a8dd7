import MeshProtocol
import Testing

@Suite struct ARecordingIsRead {
    @Test func linesOfEveryKind() throws {
        let text = #"""
            {"t": 0.5, "dir": "ev", "hex": "", "event": "port \"open\" \u00fc\\"}
            {"dir":"rx","hex":"94C3","t":1e-3,"note":"x, y"}

            {"t": -1, "dir": "tx", "hex": ""}
            """#
        let entries = try RecordedStream(Array(text.utf8)).entries
        #expect(
            entries == [
                .init(time: 0.5, kind: .event(#"port "open" ü\"#)), .init(time: 0.001, kind: .received([0x94, 0xC3])),
                .init(time: -1, kind: .sent([])),
            ])
    }

    @Test(arguments: [
        "{", "{}", #"{"t": 1, "dir": "rx", "hex": "9"}"#, #"{"t": 1, "dir": "rx", "hex": "zz"}"#,
        #"{"t": 1, "dir": "xx", "hex": ""}"#, #"{"t": "", "dir": "rx", "hex": ""}"#, #"{"t": 1, "dir": "rx"}"#,
        #"{"t": 1, "dir": "rx", "hex": ""} x"#, #"{"t": nan, "dir": "rx", "hex": ""}"#, #"{"t": 1, "dir": "rx"#,
    ])
    func whatIsNoRecording(_ line: String) {
        let good = #"{"t": 1, "dir": "rx", "hex": "00"}"#
        #expect(throws: RecordedStream.Failure.malformed(line: 2)) {
            try RecordedStream(Array("\(good)\n\(line)\n".utf8))
        }
    }

    @Test func noFile() {
        #expect(throws: RecordedStream.Failure.unreadable(path: "/nowhere/a.jsonl", errno: 2)) {
            try RecordedStream(contentsOfFile: "/nowhere/a.jsonl")
        }
    }
}
