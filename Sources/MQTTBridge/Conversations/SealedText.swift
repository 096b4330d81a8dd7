import Nettle
import Store

/// A text of a sealed conversation, as it is published:
///
///     MG1 | nonce, 16 bytes | tag, 16 bytes | what is sealed, encrypted
///
/// It opens with the key and on the topic that it was sealed for.
struct SealedText: Hashable, Sendable {
    private static let mark = Array("MG1".utf8)
    private static let nonceSize = 16

    let nonce: [UInt8]
    /// With its tag.
    private let content: [UInt8]

    /// - Parameter topic: that it is published to.
    init(sealing content: [UInt8], nonce: [UInt8], for topic: String, with key: ConversationKey) {
        precondition(nonce.count == Self.nonceSize)
        self.nonce = nonce
        self.content = key.cipher.seal(content, nonce: nonce, for: Array(topic.utf8))
    }

    /// Nil: the message is in clear.
    init?(_ payload: [UInt8]) {
        guard payload.starts(with: Self.mark) else { return nil }
        let rest = payload.dropFirst(Self.mark.count)
        (nonce, content) = (Array(rest.prefix(Self.nonceSize)), Array(rest.dropFirst(Self.nonceSize)))
    }

    var payload: [UInt8] { Self.mark + nonce + content }

    /// What was sealed; nil: with another key, for another topic, or it was cut or changed since.
    func opened(for topic: String, with key: ConversationKey) -> [UInt8]? {
        nonce.count == Self.nonceSize ? key.cipher.open(content, nonce: nonce, for: Array(topic.utf8)) : nil
    }
}
