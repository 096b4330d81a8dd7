import MeshProtocol
import Testing

@Suite struct RecordingsAreFramedAsTheirOraclesSay {
    @Test func allAreThere() {
        #expect(Recording.all.count == 19)
        #expect(sha256(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: Recording.all) func framesAndText(_ recording: Recording) throws {
        let oracle = try recording.oracle()
        let listener = try recording.listen()
        let frames = try #require(oracle["frames_rx"] as? Int)
        let damaged = (oracle["frames_bad"] as? [Any])?.count ?? 0
        if damaged == 0 {
            #expect(listener.messages.count == frames)
            #expect(listener.textBytes.count == oracle["debug_text_bytes"] as? Int)
            #expect(sha256(listener.textBytes) == oracle["debug_text_sha256"] as? String)
            #expect(listener.decoder.counters.garbageBytes == 0)
        } else {
            // The oracle takes payloads blindly: what searches damaged ones finds no fewer.
            #expect(listener.messages.count >= frames)
            #expect(listener.decoder.counters.undecodable >= UInt64(damaged))
        }
        for case .text(let line) in listener.heard {
            #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
    }

    @Test(arguments: Recording.all) func inAnyChunks(_ recording: Recording) throws {
        let whole = try recording.listen()
        var random = Seeded(7)
        #expect(try recording.listen { 7 }.heard == whole.heard)
        #expect(try recording.listen { Int.random(in: 1...300, using: &random) }.heard == whole.heard)
    }
}
