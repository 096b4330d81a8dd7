// Bytes in which what was there before is not repeated:
//
//     all bytes | bytes as they are | ... | repeated bytes | how far back they begin | bytes as they are | ... and so on
//
// Each number has seven bits a byte, the lowest first, and a further byte follows one with the highest bit. libz would make
// 11 kB less of the document, and be one library more.

/// What is embedded, and read from the executable alone.
package enum Repetitions {
    /// - Parameter packed: what ``packed(_:)`` has made.
    package static func unpacked(_ packed: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var rest = packed[...]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(number(from: &rest))
        while !rest.isEmpty {
            let new = number(from: &rest)
            bytes += rest.prefix(new)
            rest = rest.dropFirst(new)
            guard !rest.isEmpty else { break }
            let repeated = number(from: &rest)
            let start = bytes.count - number(from: &rest)
            // One by one: they may go on in what they make.
            for place in start..<start + repeated { bytes.append(bytes[place]) }
        }
        return bytes
    }

    private static func number(from rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var (number, bits) = (0, 0)
        while let byte = rest.popFirst() {
            number |= Int(byte & 0x7F) << bits
            bits += 7
            if byte < 0x80 { break }
        }
        return number
    }
}
