import MQTTBridge
import Store

/// What comes to a sealed conversation. Behind a first byte of 0 it is a payload as a stranger publishes it; behind any other it is what
/// somebody who has the key has sealed, and that byte is its nonce.
///
/// A stranger's is no text. The other one is at most as long as texts are, and none on another topic, cut or changed.
final class TextsUnderAKey: FuzzTarget {
    private static let topic = "club/talk"
    private static let key = ConversationKey("meshgw-key:1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")!

    private func shown(_ payload: [UInt8], on topic: String = TextsUnderAKey.topic) -> CarriedText? {
        CarriedText(payload, on: topic, with: Self.key)
    }

    func run(_ input: [UInt8]) throws {
        guard let first = input.first else { return }
        let rest = Array(input[1...])
        guard first > 0 else { return try check(shown(rest) == nil, "what nobody has sealed is a text") }
        let payload = CarriedText.payload(
            sealing: rest, nonce: [UInt8](repeating: first, count: 16), for: Self.topic, with: Self.key)
        if let text = shown(payload) {
            // A cut one ends in a character of three bytes.
            try check((1...16_387).contains(text.text.utf8.count), "a text of \(text.text.utf8.count) bytes")
            try check((1...259).contains(text.writer.utf8.count), "a writer of \(text.writer.utf8.count) bytes")
            try check(text.topic == Self.topic, "the topic \(text.topic)")
            try check(text.id.map { (1...128).contains($0.utf8.count) } ?? true, "the id \(text.id ?? "")")
            for scalar in (text.text + text.writer).unicodeScalars where scalar != "\n" && scalar != "\t" {
                try check(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value), "a control character")
            }
        }
        try check(shown(payload, on: "club/other") == nil, "it opens on another topic")
        try check(shown(Array(payload.dropLast())) == nil, "it opens though it is cut")
        var turned = payload
        turned[Int(first) % payload.count] ^= 1 << (first % 8)
        try check(shown(turned) == nil, "it opens though it is changed")
    }
}
