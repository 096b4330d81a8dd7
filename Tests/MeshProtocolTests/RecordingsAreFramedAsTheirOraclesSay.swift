import JSON
import MeshProtocol
import Nettle
import Testing

@Suite struct RecordingsAreFramedAsTheirOraclesSay {
    @Test func allAreThere() {
        #expect(Recording.all.count == 19)
    }

    @Test(arguments: Recording.all) func framesAndText(_ recording: Recording) throws {
        let oracle = try recording.oracle()
        let listener = try recording.listen()
        let frames = try #require(oracle["frames_rx"] as? Int)
        let damaged = (oracle["frames_bad"] as? [Any])?.count ?? 0
        if damaged == 0 {
            #expect(listener.messages.count == frames)
            #expect(listener.textBytes.count == oracle["debug_text_bytes"] as? Int)
            #expect(hexadecimal(SHA256.digest(of: listener.textBytes)) == oracle["debug_text_sha256"] as? String)
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
