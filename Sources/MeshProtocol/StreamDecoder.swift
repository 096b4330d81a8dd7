import Glibc

// The problem. A radio's serial port carries frames (94 C3, length, payload) without checksum, sequence number or
// escaping, and on the same wire debug text:
//
//  1. Firmware up to 2.7 writes text between nearly all frames, and in the middle of some: the frame's declared length
//     then ends too early, and the rest of it looks like text.
//  2. A radio that loses power in mid-frame boots into the body of that frame: boot text and the first good frame lie
//     within its declared length.
//  3. 94 C3 can stand in a payload, and 94 can stand before a real 94 C3.
//  4. Any byte can be lost, doubled or invented, by the cable or on purpose.
//
// So nothing is believed until a whole payload decodes, and a candidate that fails costs one byte: the search goes on
// right behind its 94. Nothing is thrown away silently either: every byte comes out in exactly one output.
//
//      bytes -> candidate (94 C3 len body) -- decodes --> frame
//                   |  ^                    |
//                   |  +---- next 94 <------+ false magic, too long, undecodable, too slow
//                   v
//              DebugText --> text line | garbage

/// Turns any chunking of a radio's bytes into frames, lines of debug text and garbage. Does no I/O and reads no clock.
///
/// Holds at most one candidate frame and one line: less than 2 kB, whatever comes in.
public struct StreamDecoder<Message> {
    public enum Output {
        /// A payload that decoded, and its bytes.
        case frame(Message, raw: [UInt8])
        /// A line of debug text, or a part of one, without its end of line and its colours; and its bytes with both.
        case text(String, raw: [UInt8])
        /// So many bytes that were neither.
        case garbage(Int)
    }

    /// Since the decoder was made. Bytes are counted when they come out.
    public struct Counters: Hashable, Sendable {
        public var frames: UInt64 = 0
        public var textBytes: UInt64 = 0
        public var garbageBytes: UInt64 = 0
        /// Headers with a length above 512.
        public var oversize: UInt64 = 0
        /// Whole payloads that did not decode.
        public var undecodable: UInt64 = 0
        /// Frames whose rest did not come.
        public var timeouts: UInt64 = 0
    }

    public var counters: Counters {
        var counters = counted
        (counters.textBytes, counters.garbageBytes) = (outside.textBytes, outside.garbageBytes)
        return counters
    }

    private var counted = Counters()
    private let interByteTimeout: UInt64
    private let decode: (UnsafeRawBufferPointer) -> Message?
    /// A candidate frame from its 94 on, in `buffer[start..<end]`; empty while searching for one.
    private var buffer = [UInt8](repeating: 0, count: StreamFrame.headerLength + StreamFrame.maximumLength)
    private var start = 0
    private var end = 0
    private var outside = DebugText()
    private var lastByte: UInt64 = 0

    /// - Parameters:
    ///   - interByteTimeout: nanoseconds after which the rest of a frame is not expected any more. The longest frame
    ///     takes 45 ms at 115200 baud; the firmware itself may pause in between.
    ///   - decode: reads one payload; nil when it is none.
    public init(interByteTimeout: UInt64 = 1_000_000_000, decode: @escaping (UnsafeRawBufferPointer) -> Message?) {
        self.interByteTimeout = interByteTimeout
        self.decode = decode
    }

    /// Takes what one read brought, at `now` by a monotonic clock in nanoseconds.
    ///
    /// However long ago the last read was: the rest of a frame may have waited for the reader. A caller that has looked
    /// and found nothing says so with ``expire(now:emit:)``.
    // For another room the compiler makes only the general code. From Swift 6.3 on the name is @specialized.
    @_specialize(where Message == FromRadio)
    public mutating func feed(_ bytes: UnsafeRawBufferPointer, now: UInt64, emit: (Output) -> Void) {
        lastByte = now
        var rest = bytes[...]
        while !rest.isEmpty {
            if start == end {
                seek(&rest, emit)
            } else {
                let count = min(missing, rest.count)
                buffer.withUnsafeMutableBytes { $0[end..<end + count].copyBytes(from: rest.prefix(count)) }
                end += count
                rest = rest.dropFirst(count)
            }
            advance(emit)
        }
    }

    /// Nothing more has come until `now`. Gives up an unfinished frame, and lets an unfinished line go, after the timeout.
    public mutating func expire(now: UInt64, emit: (Output) -> Void) {
        guard let deadline, now >= deadline else { return }
        giveUp(emit)
    }

    /// When ``expire(now:emit:)`` has something to do, by the clock of ``feed(_:now:emit:)``.
    public var deadline: UInt64? {
        start == end && outside.isEmpty ? nil : lastByte &+ interByteTimeout
    }

    /// The port was lost: what comes next is not the continuation of anything.
    public mutating func reset(emit: (Output) -> Void) { giveUp(emit) }

    private mutating func giveUp(_ emit: (Output) -> Void) {
        if start < end { counted.timeouts += 1 }
        advance(isFinal: true, emit)
        outside.settle { emit($0.output()) }
    }

    /// How many bytes the candidate lacks before something can be said about it. At least 1.
    private var missing: Int {
        let count = end - start
        if count < 2 { return 2 - count }
        if count < StreamFrame.headerLength { return StreamFrame.headerLength - count }
        return StreamFrame.headerLength + declaredLength - count
    }

    private var declaredLength: Int { Int(buffer[start + 2]) << 8 | Int(buffer[start + 3]) }

    /// Moves everything before the next 94 out, and that into the buffer.
    private mutating func seek(_ rest: inout Slice<UnsafeRawBufferPointer>, _ emit: (Output) -> Void) {
        let magic = rest.firstIndex(of: StreamFrame.magic.0) ?? rest.endIndex
        outside.append(rest[..<magic]) { emit($0.output()) }
        rest = rest[magic...]
        guard rest.popFirst() != nil else { return }
        (start, end) = (0, 1)
        buffer[0] = StreamFrame.magic.0
    }

    /// Decides about candidates until one needs more bytes. When no more will come (`isFinal`), that one fails too.
    private mutating func advance(isFinal: Bool = false, _ emit: (Output) -> Void) {
        while start < end {
            let count = end - start
            if count >= 2, buffer[start + 1] != StreamFrame.magic.1 {
                reject(emit)
            } else if count >= StreamFrame.headerLength, declaredLength > StreamFrame.maximumLength {
                counted.oversize += 1
                reject(emit)
            } else if count >= StreamFrame.headerLength, missing <= 0 {
                tryDecoding(emit)
            } else if isFinal {
                reject(emit)
            } else {
                break
            }
        }
        compact()
    }

    private mutating func tryDecoding(_ emit: (Output) -> Void) {
        let body = start + StreamFrame.headerLength..<start + StreamFrame.headerLength + declaredLength
        let message = buffer.withUnsafeBytes { decode(UnsafeRawBufferPointer(rebasing: $0[body])) }
        guard let message else {
            counted.undecodable += 1
            reject(emit)
            return
        }
        outside.settle { emit($0.output()) }
        counted.frames += 1
        emit(.frame(message, raw: Array(buffer[body])))
        start = body.upperBound
        skipToMagic(emit)
    }

    /// The candidate is no frame. Its first byte is garbage; the others are looked at again.
    private mutating func reject(_ emit: (Output) -> Void) {
        outside.flush { emit($0.output()) }
        outside.isDamaged = true
        let next = start + 1
        buffer.withUnsafeBytes { bytes in
            outside.append(bytes[start..<next]) { emit($0.output()) }
        }
        start = next
        skipToMagic(emit)
    }

    private mutating func skipToMagic(_ emit: (Output) -> Void) {
        buffer.withUnsafeBytes { bytes in
            let magic = bytes[start..<end].firstIndex(of: StreamFrame.magic.0) ?? end
            outside.append(bytes[start..<magic]) { emit($0.output()) }
            start = magic
        }
    }

    private mutating func compact() {
        if start > 0, start < end {
            buffer.withUnsafeMutableBytes { bytes in
                _ = memmove(bytes.baseAddress!, bytes.baseAddress! + start, end - start)
            }
        }
        (start, end) = (0, end - start)
    }
}

extension DebugText.Output {
    fileprivate func output<Message>() -> StreamDecoder<Message>.Output {
        switch self {
        case .text(let line, let raw): .text(line, raw: raw)
        case .garbage(let count): .garbage(count)
        }
    }
}
