import Foundation
import MeshProtocol
import RadioLink
import Recordings
import Testing

/// Whatever the chunks are in which a radio's bytes come, what a recorder makes of them holds none of its secrets, and
/// every frame in it is as long as it was.
@Test(arguments: RecordingFiles.names) func noSecretEntersARecording(_ name: String) throws {
    let stream = try RecordingFiles.stream(name)
    let secrets = stream.secrets
    #expect(!secrets.isEmpty, "\(name): the radio sent its private key")
    for chunk in [1, 7, 64, 4096] {
        let kept = KeptTraffic()
        RecordedTraffic(stream: stream, chunk: chunk).play(to: TrafficRecorder(to: kept))
        let bytes = kept.entries.flatMap { entry -> [UInt8] in
            switch entry.kind {
            case .received(let bytes), .sent(let bytes): bytes
            case .event(let event): Array(event.utf8)
            }
        }
        let all = Data(bytes)
        for secret in secrets {
            for spelling in spellings(of: secret) {
                #expect(all.range(of: spelling) == nil, "\(name), chunks of \(chunk): a secret is in the recording")
            }
            // A part of one that was cut would do as well.
            for start in stride(from: 0, to: secret.count - 7, by: 4) {
                #expect(
                    all.range(of: Data(secret[start..<start + 8])) == nil,
                    "\(name), chunks of \(chunk): a part of a secret is in the recording")
            }
        }
        #expect(frameLengths(kept.entries) == frameLengths(stream.entries), "\(name), chunks of \(chunk)")
    }
}

/// The lengths of the frames from the radio.
private func frameLengths(_ entries: [RecordedStream.Entry]) -> [Int] {
    var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
    var lengths: [Int] = []
    func handle(_ output: StreamDecoder<FromRadio>.Output) {
        if case .frame(_, let raw) = output { lengths.append(raw.count) }
    }
    for entry in entries {
        switch entry.kind {
        case .received(let bytes): bytes.withUnsafeBytes { decoder.feed($0, now: 0, emit: handle) }
        case .event where entry.kind.isEndOfConnection: decoder.reset(emit: handle)
        default: break
        }
    }
    decoder.reset(emit: handle)
    return lengths
}
