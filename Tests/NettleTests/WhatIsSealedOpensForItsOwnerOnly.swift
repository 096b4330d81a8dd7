import JSON
import Nettle
import Testing

@Suite struct WhatIsSealedOpensForItsOwnerOnly {
    private static let cipher = AESSIV(key: bytes("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    private static let owner = bytes("101112131415161718191a1b1c1d1e1f2021222324252627")
    private static let nonce = bytes("09f911029d74e35bd84156c5635688c0")
    private static let text = bytes("112233445566778899aabbccddee")

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
        }
    }

    /// RFC 5297: key, data and text of A.1 with the nonce of A.2, as OpenSSL seals them.
    @Test func asAnotherLibrarySealsIt() {
        let sealed = Self.cipher.seal(Self.text, nonce: Self.nonce, for: Self.owner)
        #expect(hexadecimal(sealed) == "b477a36b0d0f78987d985f3887a7572d52352f0ed261459e0de50f268260")
        #expect(Self.cipher.open(sealed, nonce: Self.nonce, for: Self.owner) == Self.text)
    }

    @Test func nothingElseOpensIt() {
        let sealed = Self.cipher.seal(Self.text, nonce: Self.nonce, for: Self.owner)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(Self.cipher.open(changed, nonce: Self.nonce, for: Self.owner) == nil)
        }
        #expect(Self.cipher.open(sealed, nonce: Self.nonce, for: [1]) == nil)
        #expect(Self.cipher.open(sealed, nonce: [1], for: Self.owner) == nil)
        let other = AESSIV(key: [UInt8](repeating: 7, count: AESSIV.keySize))
        #expect(other.open(sealed, nonce: Self.nonce, for: Self.owner) == nil)
        for count in [0, 1, AESSIV.overhead, sealed.count - 1] {
            #expect(Self.cipher.open(Array(sealed.prefix(count)), nonce: Self.nonce, for: Self.owner) == nil)
        }
        #expect(Self.cipher.open(sealed, nonce: [], for: Self.owner) == nil)
    }
}
