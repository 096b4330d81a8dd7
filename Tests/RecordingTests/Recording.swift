import Foundation
import MeshModel
import MeshProtocol

/// A recording, cut where the recorded host asked for a handshake.
///
///     before | want_config | handshake … config_complete | live, with the host's texts in between | want_config | …
struct Recording {
    /// What one want_config brought.
    struct Segment {
        var nonce: UInt32
        /// What the port brought after it was opened and before the host asked.
        var before: [UInt8] = []
        /// To the end of the config_complete with ``nonce``.
        var handshake: [UInt8] = []
        var live: [Step] = []
    }

    enum Step {
        case bytes([UInt8])
        /// A text that the recorded host gave to the radio.
        case text(MeshPacket)
        case unplugged
    }

    let name: String
    let segments: [Segment]

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Recordings")

    // Without its recordings the test has no cases: better to say so at once.
    static let names = try! FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()

    init(named name: String) throws {
        self.name = name
        let stream = try RecordedStream(contentsOfFile: Self.folder.appendingPathComponent(name + ".jsonl").path)
        var cutter = Cutter()
        for entry in stream.entries { cutter.take(entry.kind) }
        segments = cutter.finished
    }

    /// Whether a radio that prints this has just started: the firmware's banner, or the `rebooted` frame of 2.7.
    static func boots(_ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array(#"//\ E S H T"#.utf8)) != nil
            || bytes.firstRange(of: [0x94, 0xC3, 0, 2, 0x40, 1] as [UInt8]) != nil
    }
}

extension Recording.Segment {
    var boots: Bool { live.contains { if case .bytes(let bytes) = $0 { Recording.boots(bytes) } else { false } } }

    var hasTexts: Bool { live.contains { if case .text = $0 { true } else { false } } }
}

/// Distributes a recording's entries over segments.
private struct Cutter {
    private var segments: [Recording.Segment] = []
    private var before: [UInt8] = []
    private var isOpen = true
    private var isInHandshake = false
    private var host = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })

    var finished: [Recording.Segment] { segments }

    mutating func take(_ entry: RecordedStream.Entry.Kind) {
        switch entry {
        case .received(let bytes): received(bytes)
        case .sent(let bytes):
            var messages: [ToRadio] = []
            bytes.withUnsafeBytes {
                host.feed($0, now: 0) { if case .frame(let message, _) = $0 { messages.append(message) } }
            }
            for message in messages { sent(message) }
        case .event(let event):
            if event.hasPrefix("port open") { return }
            isOpen = false
            if !segments.isEmpty { segments[segments.count - 1].live.append(.unplugged) }
        }
    }

    private mutating func received(_ bytes: [UInt8]) {
        guard !segments.isEmpty, isOpen else { return before += bytes }
        guard isInHandshake else { return append(bytes) }
        segments[segments.count - 1].handshake += bytes
        let soFar = segments[segments.count - 1].handshake
        let mark = StreamFrame.encode(FromRadio.configComplete(segments[segments.count - 1].nonce).encoded())
        guard let end = soFar.firstRange(of: mark)?.upperBound else { return }
        isInHandshake = false
        segments[segments.count - 1].handshake = Array(soFar[..<end])
        if end < soFar.count { append(Array(soFar[end...])) }
    }

    private mutating func append(_ bytes: [UInt8]) {
        if case .bytes(let earlier)? = segments[segments.count - 1].live.last {
            segments[segments.count - 1].live.removeLast()
            segments[segments.count - 1].live.append(.bytes(earlier + bytes))
        } else {
            segments[segments.count - 1].live.append(.bytes(bytes))
        }
    }

    private mutating func sent(_ message: ToRadio) {
        switch message {
        case .wantConfig(let nonce):
            precondition(!isInHandshake, "every handshake of the recordings is complete")
            segments.append(Recording.Segment(nonce: nonce, before: before))
            before = []
            (isOpen, isInHandshake) = (true, true)
        case .packet(let packet) where packet.decoded?.port == .textMessage:
            segments[segments.count - 1].live.append(.text(packet))
        default: break
        }
    }
}
