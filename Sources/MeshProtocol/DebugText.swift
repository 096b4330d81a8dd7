import JSON

// What lies between frames is mostly log lines, but it can also be pieces of frames that log text has cut: the bytes of
// a settings frame with the radio's private key or a WiFi password among them. Those must not reach a log. So a piece is
// text only when every byte of it is printable, and after a failed frame only when it also looks like the firmware's own
// lines: it begins with a colour (ESC [), or it is a whole line that ends in CR LF. All else is garbage: counted, not
// shown. That 32 random bytes are all printable happens once in 10^13.

/// Sorts the bytes outside frames into lines of text and garbage.
struct DebugText {
    enum Output {
        /// As it came, but for a PIN in it.
        case text(String, raw: [UInt8])
        case garbage(Int)
    }

    /// Bytes of a line that are kept together at most.
    static let maximumLength = 512

    private(set) var textBytes: UInt64 = 0
    private(set) var garbageBytes: UInt64 = 0
    /// A frame has failed, and no good one came since: pieces of it may follow.
    var isDamaged = false
    /// Bytes since the last output, all of one kind.
    private var piece: [UInt8] = []
    private var isPrintable = true
    private var beginsLine = true
    private var beginsWithColour = false
    /// Garbage that was counted, but not yet handed out: it comes out in one output, however it was chunked.
    private var pendingGarbage = 0

    init() { piece.reserveCapacity(Self.maximumLength) }

    var isEmpty: Bool { piece.isEmpty && pendingGarbage == 0 }

    mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>, emit: (Output) -> Void) {
        for byte in bytes {
            if byte == UInt8(ascii: "["), piece.last == Self.escape, !isText(endsLine: false) {
                splitBeforeColour(emit)
            }
            piece.append(byte)
            if !Self.isPrintable(byte) { isPrintable = false }
            if byte == UInt8(ascii: "\n") {
                flush(endsLine: true, emit)
            } else if piece.count == Self.maximumLength {
                flush(endsLine: false, emit)
            }
        }
    }

    /// Hands out an unfinished line.
    mutating func flush(_ emit: (Output) -> Void) { flush(endsLine: false, emit) }

    /// Hands out everything: a good frame begins, or nothing has come for long. What follows is whole again.
    mutating func settle(_ emit: (Output) -> Void) {
        flush(endsLine: false, emit)
        handOutGarbage(emit)
        isDamaged = false
    }

    private mutating func flush(endsLine: Bool, _ emit: (Output) -> Void) {
        guard !piece.isEmpty else { return }
        let isText = isText(endsLine: endsLine)
        // 0A is common in binary: there only CR LF ends a line.
        let nextBeginsLine = endsLine && (isText || piece.dropLast().last == UInt8(ascii: "\r"))
        if isText {
            handOutGarbage(emit)
            textBytes += UInt64(piece.count)
            let line = PairingPIN.blanked(piece)
            emit(.text(Self.shown(line), raw: line))
        } else {
            garbageBytes += UInt64(piece.count)
            pendingGarbage += piece.count
        }
        begin(atLineStart: nextBeginsLine)
    }

    private mutating func begin(atLineStart: Bool) {
        piece.removeAll(keepingCapacity: true)
        isPrintable = true
        beginsLine = atLineStart
        beginsWithColour = false
    }

    private func isText(endsLine: Bool) -> Bool {
        guard isPrintable else { return false }
        if !isDamaged || beginsWithColour { return true }
        return endsLine && beginsLine && piece.dropLast().last == UInt8(ascii: "\r")
    }

    /// What came before ESC [ is not text, what begins there may be.
    private mutating func splitBeforeColour(_ emit: (Output) -> Void) {
        piece.removeLast()
        if !piece.isEmpty {
            isPrintable = false
            flush(endsLine: false, emit)
        }
        piece.append(Self.escape)
        isPrintable = true
        beginsWithColour = true
    }

    private mutating func handOutGarbage(_ emit: (Output) -> Void) {
        if pendingGarbage > 0 { emit(.garbage(pendingGarbage)) }
        pendingGarbage = 0
    }

    private static let escape: UInt8 = 0x1B

    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20..<0x7F, UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), escape: true
        default: false
        }
    }

    /// Without end of line and colours; what could still move a cursor is written as `\x..`.
    private static func shown(_ raw: [UInt8]) -> String {
        var rest = raw[...]
        while let last = rest.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { rest.removeLast() }
        var shown: [UInt8] = []
        shown.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            if byte == escape, rest.first == UInt8(ascii: "[") {
                // A control sequence ends with a byte from @ to ~.
                rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
            } else if byte < 0x20 {
                shown += Array("\\x\(hexadecimal([byte]))".utf8)
            } else {
                shown.append(byte)
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
