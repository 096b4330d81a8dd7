import MeshProtocol
import Testing

/// `"94 c3"` as bytes.
func bytes(_ hex: String) -> [UInt8] {
    var digits = hex.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }.map { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: preconditionFailure("no hexadecimal digit")
        }
    }[...]
    var result: [UInt8] = []
    while let high = digits.popFirst(), let low = digits.popFirst() { result.append(high << 4 | low) }
    return result
}

func fromRadio(_ bytes: [UInt8]) -> FromRadio? { bytes.withUnsafeBytes { FromRadio(decoding: $0) } }

func toRadio(_ bytes: [UInt8]) -> ToRadio? { bytes.withUnsafeBytes { ToRadio(decoding: $0) } }
