import Foundation
import JSON
import Store
import Testing

@testable import MQTTBridge

private let key = ConversationKey("meshgw-key:1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")!
private let nonce = [UInt8](0..<16)

private func sealed(_ content: String, for topic: String = "club/talk") -> [UInt8] {
    SealedText(sealing: Array(content.utf8), nonce: nonce, for: topic, with: key).payload
}

private func opened(
    _ payload: [UInt8], on topic: String = "club/talk", with key: ConversationKey = key
) -> HeardText? {
    guard let sealed = SealedText(payload), let content = sealed.opened(for: topic, with: key) else { return nil }
    return HeardText(content, of: sealed, on: topic)
}

/// A sealed text opens as it was sealed, for its topic and with its key, and in no other way.
@Suite struct WhatDoesNotOpenIsNoText {
    private let said = #"{"id":"a-1","from":"Ann","text":"Servus","at":1795831200000}"#

    @Test func whatOpensIsRead() {
        let text = opened(sealed(said))
        #expect(text?.text == "Servus" && text?.writer == "Ann" && text?.id == "a-1" && text?.nonce == nonce)
        #expect(text?.topic == "club/talk")
        // The key is what counts, not the form.
        let raw = opened(sealed("by hand"))
        #expect(raw?.text == "by hand" && raw?.writer == "club/talk" && raw?.id == nil && raw?.nonce == nonce)
    }

    @Test func cutAnywhereItIsNone() {
        let payload = sealed(said)
        for count in 0..<payload.count {
            #expect(opened(Array(payload.prefix(count))) == nil, "\(count)")
            #expect(opened(Array(payload.dropFirst(payload.count - count))) == nil, "the end of it, \(count)")
        }
        #expect(opened(payload + [0]) == nil && opened(payload + payload) == nil)
    }

    @Test func withAnyBitTurnedOverItIsNone() {
        let payload = sealed(said)
        for bit in 0..<8 * payload.count {
            var turned = payload
            turned[bit / 8] ^= 1 << (bit % 8)
            #expect(opened(turned) == nil, "bit \(bit)")
        }
    }

    @Test func onAnotherTopicOrWithAnotherKeyItIsNone() {
        let payload = sealed(said, for: "caf\u{E9}")
        #expect(opened(payload, on: "caf\u{E9}") != nil)
        for topic in ["cafe\u{301}", "café/", "club/talk", ""] {
            #expect(opened(payload, on: topic) == nil, "\(topic)")
        }
        #expect(opened(payload, on: "caf\u{E9}", with: .random()) == nil)
    }

    /// It is cut and cleaned as everybody's is.
    @Test func whoHasTheKeyMayWriteAnything() {
        #expect(opened(sealed(#"{"text":"\#(String(repeating: "x", count: 20_000))"}"#))?.text.utf8.count == 16_387)
        for (from, writer) in [
            ("!a1b2c3d4", "!a1b2c3d4"), (String(repeating: "n", count: 10_000), String(repeating: "n", count: 64)),
            ("", "club/talk"), ("\u{202E}nnA", "\u{202E}nnA"), (#"A\u0007\u001b[31mnn"#, "A[31mnn"),
        ] {
            #expect(opened(sealed(#"{"text":"Anna: Anna: x","from":"\#(from)"}"#))?.writer == writer)
        }
        #expect(opened(sealed(#"{"text":" "}"#)) == nil && opened(sealed("")) == nil)
        #expect(opened(sealed(#"{"text":"x","id":"\#(String(repeating: "i", count: 129))"}"#))?.id == nil)
        #expect(opened(sealed(String(repeating: "[", count: 20_000)))?.text.utf8.count == 16_387)
    }

    /// deploy/CONVERSATIONS.md says what is sealed how.
    @Test func thePageSaysWhatIsSealedHow() throws {
        let vectors = try SealedVector.onThePage()
        #expect(vectors.count == 3)
        for vector in vectors {
            let made = SealedText(
                sealing: Array(vector.content.utf8), nonce: vector.nonce, for: vector.topic, with: SealedVector.key)
            #expect(made.payload == vector.payload, "\(vector.content)")
            let found = SealedText(vector.payload)
            let content = found?.opened(for: vector.topic, with: SealedVector.key)
            #expect(found == made && content == Array(vector.content.utf8))
        }
    }

    /// With a second implementation, that of Debian's python3-cryptography.
    @Test func pythonSealsItInTheSameWay() throws {
        let program = """
            import base64, json, sys
            from cryptography.hazmat.primitives.ciphers.aead import AESSIV
            for topic, nonce, content, payload in json.load(sys.stdin):
                nonce = bytes.fromhex(nonce)
                made = b"MG1" + nonce + AESSIV(bytes(range(32))).encrypt(content.encode(), [topic.encode(), nonce])
                assert made == base64.b64decode(payload), content
            print("as it should be")
            """
        let vectors = try SealedVector.onThePage().map { vector in
            [vector.topic, hexadecimal(vector.nonce), vector.content, Data(vector.payload).base64EncodedString()]
        }
        let python = try RunningPython(["-c", program], input: try JSONEncoder().encode(vectors))
        python.waitForEnd()
        #expect(python.said == "as it should be\n" && python.complaints.isEmpty, "\(python.complaints)")
    }
}

@Suite struct WhatIsDroppedIsTheReasonWhileNothingElseComes {
    @Test func afterAMinuteWithoutAText() {
        var texts = UnreadableTexts()
        #expect(texts.reason(at: 0) == nil)
        // Nobody has the right key, for all that is known.
        texts.note(isSealed: true, isOpened: false, at: 1_000)
        #expect(texts.reason(at: 1_000) == "dropped: 1 that its key does not open")
        texts.note(isSealed: false, isOpened: false, at: 2_000)
        texts.note(isSealed: true, isOpened: false, at: 3_000)
        #expect(texts.reason(at: 3_000) == "dropped: 2 that its key does not open, 1 in clear")
        #expect(texts.unopened == 2 && texts.unsealed == 1)
        // Somebody has.
        texts.note(isSealed: true, isOpened: true, at: 4_000)
        #expect(texts.reason(at: 1_000_000) == nil)
        texts.note(isSealed: false, isOpened: false, at: 5_000)
        #expect(texts.reason(at: 63_999) == nil)
        #expect(texts.reason(at: 64_000) == "dropped: 2 that its key does not open, 2 in clear")
        texts.note(isSealed: true, isOpened: true, at: 65_000)
        #expect(texts.reason(at: 1_000_000) == nil && texts.unopened == 2 && texts.unsealed == 2)
    }
}
