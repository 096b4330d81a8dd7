import Foundation
import MeshProtocol
import RadioLink
import Synchronization

@testable import Recordings

/// A link's thread that brings a recorder what a recording has, in any chunking.
struct RecordedTraffic {
    let stream: RecordedStream
    /// Bytes of a read, at most.
    let chunk: Int

    func play(to recorder: TrafficRecorder) {
        var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
        var isOpen = false
        var now: MonotonicTime = 0
        func open() {
            if !isOpen { recorder.opened("recorded", at: now) }
            isOpen = true
        }
        for entry in stream.entries {
            now = max(now, MonotonicTime(entry.time * 1e9))
            switch entry.kind {
            case .received(let bytes):
                open()
                for start in stride(from: 0, to: bytes.count, by: chunk) {
                    bytes[start..<min(start + chunk, bytes.count)].withUnsafeBytes { part in
                        recorder.arrived(part)
                        decoder.feed(part, now: now) { recorder.decoded($0, at: now) }
                        recorder.handedOn()
                    }
                }
            case .sent(let bytes):
                open()
                recorder.wrote(bytes, at: now)
            case .event where entry.kind.isEndOfConnection:
                decoder.reset { recorder.decoded($0, at: now) }
                recorder.closed("lost", at: now)
                isOpen = false
            case .event: break
            }
        }
        decoder.reset { recorder.decoded($0, at: now) }
    }
}

/// Keeps the entries of a recorder.
final class KeptTraffic: TrafficSink {
    private let kept = Mutex<[RecordedStream.Entry]>([])

    func add(_ kind: RecordedStream.Entry.Kind, at now: MonotonicTime) {
        kept.withLock { $0.append(RecordedStream.Entry(time: Double(now) / 1e9, kind: kind)) }
    }

    func begin(after handshake: [UInt8], at now: MonotonicTime) {}

    var entries: [RecordedStream.Entry] { kept.withLock { $0 } }
}

extension RecordedStream {
    /// Everything that was ever secret in it: the radio's private keys, the keys of its channels, WiFi and MQTT passwords,
    /// session passkeys. All that are long enough to be told from chance.
    var secrets: Set<[UInt8]> {
        var found: Set<[UInt8]> = [Array("large4cats".utf8)]
        var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
        for entry in entries {
            guard case .received(let bytes) = entry.kind else {
                if case .event = entry.kind { decoder.reset { _ in } }
                continue
            }
            bytes.withUnsafeBytes {
                decoder.feed($0, now: 0) { output in
                    guard case .frame(let message, let raw) = output else { return }
                    if case .channel(let channel) = message { found.insert(channel.psk) }
                    if let key = RecordedFrame(raw)?.privateKey { found.insert(key) }
                }
            }
        }
        return found.filter { $0.count >= 8 }
    }
}
