import MeshProtocol

/// The bytes of a serial port, through the framer and the codec.
///
/// The first byte chooses how the others are cut into reads; what is heard must not depend on that, and every byte must
/// come out once.
final class Stream: FuzzTarget {
    private enum Heard: Equatable {
        case frame([UInt8])
        case text(String, [UInt8])
        case garbage(Int)

        var count: Int {
            switch self {
            case .frame(let payload): StreamFrame.encode(payload).count
            case .text(_, let raw): raw.count
            case .garbage(let count): count
            }
        }
    }

    func run(_ input: [UInt8]) throws {
        guard let first = input.first else { return }
        let bytes = input[1...]
        let whole = hear(bytes, cutAfter: bytes.count)
        let heard = whole.reduce(0) { $0 + $1.count }
        try check(heard == bytes.count, "of \(bytes.count) bytes \(heard) came out")
        let size = Int(first % 16) + 1
        try check(hear(bytes, cutAfter: size) == whole, "it is something else in reads of \(size) bytes")
    }

    private func hear(_ bytes: ArraySlice<UInt8>, cutAfter size: Int) -> [Heard] {
        var decoder = StreamDecoder { FromRadio(decoding: $0) }
        var heard: [Heard] = []
        let take = { (output: StreamDecoder<FromRadio>.Output) in
            switch output {
            case .frame(_, let raw): heard.append(.frame(raw))
            case .text(let line, let raw): heard.append(.text(line, raw))
            case .garbage(let count):
                if case .garbage(let before)? = heard.last {
                    heard[heard.count - 1] = .garbage(before + count)
                } else {
                    heard.append(.garbage(count))
                }
            }
        }
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = min(start + max(size, 1), bytes.count)
                decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), now: 0, emit: take)
                start = end
            }
        }
        decoder.reset(emit: take)
        return heard
    }
}
