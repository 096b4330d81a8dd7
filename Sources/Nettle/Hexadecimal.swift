/// Two lower-case digits a byte.
public func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    let digit = { (value: UInt8) in value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
    return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
        for (index, byte) in bytes.enumerated() {
            text[2 * index] = digit(byte >> 4)
            text[2 * index + 1] = digit(byte & 15)
        }
        return 2 * bytes.count
    }
}
