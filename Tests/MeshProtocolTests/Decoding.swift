import MeshProtocol
import Testing

/// What a decoder said, in a form that can be compared and read.
enum Heard: Equatable, CustomStringConvertible {
    case frame([UInt8])
    case text(String)
    case garbage(Int)

    var description: String {
        switch self {
        case .frame(let payload): "frame(\(payload.map { String($0, radix: 16) }.joined(separator: " ")))"
        case .text(let line): "text(\(line))"
        case .garbage(let count): "garbage(\(count))"
        }
    }
}

/// A stream decoder for FromRadio that notes everything and keeps the books.
struct Listener {
    var decoder = StreamDecoder { FromRadio(decoding: $0) }
    var heard: [Heard] = []
    var messages: [FromRadio] = []
    /// The bytes of all text, with colours and line ends.
    var textBytes: [UInt8] = []
    private var bytesIn = 0
    private var bytesOut = 0

    mutating func feed(_ bytes: some Sequence<UInt8>, now: UInt64 = 0) {
        let bytes = Array(bytes)
        bytesIn += bytes.count
        var outputs: [StreamDecoder<FromRadio>.Output] = []
        bytes.withUnsafeBytes { decoder.feed($0, now: now) { outputs.append($0) } }
        outputs.forEach { note($0) }
    }

    mutating func expire(now: UInt64) {
        var outputs: [StreamDecoder<FromRadio>.Output] = []
        decoder.expire(now: now) { outputs.append($0) }
        outputs.forEach { note($0) }
    }

    /// Resets the decoder, and checks that every byte came out exactly once.
    mutating func end() {
        var outputs: [StreamDecoder<FromRadio>.Output] = []
        decoder.reset { outputs.append($0) }
        outputs.forEach { note($0) }
        #expect(bytesIn == bytesOut)
        #expect(decoder.deadline == nil)
        let counters = decoder.counters
        #expect(counters.frames == UInt64(messages.count))
        #expect(counters.textBytes == UInt64(textBytes.count))
        let garbage = heard.reduce(0) { if case .garbage(let count) = $1 { $0 + count } else { $0 } }
        #expect(counters.garbageBytes == UInt64(garbage))
    }

    private mutating func note(_ output: StreamDecoder<FromRadio>.Output) {
        switch output {
        case .frame(let message, let raw):
            heard.append(.frame(raw))
            messages.append(message)
            bytesOut += raw.count + 4
        case .text(let line, let raw):
            heard.append(.text(line))
            textBytes += raw
            bytesOut += raw.count
            #expect(raw.count <= 512)
        case .garbage(let count):
            heard.append(.garbage(count))
            bytesOut += count
        }
    }
}

/// Everything that is heard when `bytes` come in chunks of the sizes that `next` gives.
func listen(to bytes: [UInt8], inChunksOf next: () -> Int) -> Listener {
    var listener = Listener()
    var rest = bytes[...]
    while !rest.isEmpty {
        let chunk = rest.prefix(max(1, next()))
        listener.feed(chunk)
        rest = rest.dropFirst(chunk.count)
    }
    listener.end()
    return listener
}

/// A seeded generator (SplitMix64), so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
