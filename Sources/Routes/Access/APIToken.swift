import Glibc
import JSON
import Nettle

/// A bearer token: `mm_v1_` and 32 lower-case hexadecimal digits, 128 bits of chance (Contract 2.2).
///
/// Only its SHA-256 is stored. A random token needs no slow hash: there is nothing to guess from a dictionary.
public struct APIToken: Sendable, Equatable {
    public let text: String

    /// Nil unless the text has exactly the form of a token.
    public init?(_ text: String) {
        var text = text
        let isToken = text.withUTF8 { bytes in
            bytes.count == 38 && bytes.starts(with: "mm_v1_".utf8)
                && bytes[6...].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        guard isToken else { return nil }
        self.text = text
    }

    /// A new token, from `getentropy(3)`, which is `getrandom(2)` that waits for the kernel's pool.
    public static func random() -> APIToken {
        var bytes = [UInt8](repeating: 0, count: 16)
        // It fails only for more than 256 bytes or on a kernel without the call: then there is no safe token.
        precondition(getentropy(&bytes, bytes.count) == 0, "getentropy(3) must work")
        return APIToken("mm_v1_" + hexadecimal(bytes))!
    }

    /// The start that may be shown, to tell tokens apart.
    public var prefix: String { String(text.prefix(12)) }

    public var hash: TokenHash { TokenHash(text) }
}

/// SHA-256 of a whole token.
public struct TokenHash: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }

    public init(_ token: String) {
        var hash = SHA256()
        var token = token
        token.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        bytes = hash.finish()
    }

    public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}
