import Glibc
import JSON
import Nettle

/// The key of a sealed conversation over a broker: 32 bytes of chance. Whoever has it reads and writes there.
///
/// Only ``text`` shows it. Printed, alone or within something else, it is its ``id``.
public struct ConversationKey: Hashable, Sendable, CustomStringConvertible {
    /// The number is that of the form of sealed texts.
    private static let beginning = "meshgw-key:1:"

    let bytes: [UInt8]

    /// Nil unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == AESSIV.keySize else { return nil }
        self.bytes = bytes
    }

    /// Nil unless the text is exactly how a key is written.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.beginning),
            let bytes = Base64.decodedLeniently(String(text.dropFirst(Self.beginning.count)))
        else { return nil }
        self.init(bytes)
        // The last character has room for two bits more.
        guard self.text == text else { return nil }
    }

    /// A new key, from `getentropy(3)`.
    public static func random() -> ConversationKey {
        var bytes = [UInt8](repeating: 0, count: AESSIV.keySize)
        // It fails only for more than 256 bytes or on a kernel without the call: then there is no safe key.
        precondition(getentropy(&bytes, bytes.count) == 0, "getentropy(3) must work")
        return ConversationKey(bytes)!
    }

    /// For those who are to have it: one line.
    public var text: String { Self.beginning + Base64.linkEncoded(bytes) }

    /// Tells keys apart and gives none away: the first eight hexadecimal digits of its SHA-256.
    public var id: String { hexadecimal(SHA256.digest(of: bytes).prefix(4)) }

    public var description: String { id }

    public var cipher: AESSIV { AESSIV(key: bytes) }
}
