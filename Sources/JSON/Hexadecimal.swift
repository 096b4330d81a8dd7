/// Two lower-case digits a byte.
public func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
        for (index, byte) in bytes.enumerated() {
            text[2 * index] = hexDigit(of: byte >> 4)
            text[2 * index + 1] = hexDigit(of: byte & 15)
        }
        return 2 * bytes.count
    }
}

/// At least so many lower-case digits.
public func hexadecimal(_ number: UInt32, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
}

/// The bytes that digits in either case stand for, two each; nil when they are anything else.
public func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let high = hexDigit(digits[place]), let low = hexDigit(digits[place + 1]) else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}

/// The value of a hexadecimal digit in either case.
@inlinable
public func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
}

/// The lower-case digit of a value from 0 to 15.
@inlinable
public func hexDigit(of value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
