import JSON
import Nettle
import Testing

/// What the standards say comes out.
@Suite struct TheStandardsVectorsHold {
    /// FIPS 180-4, in one piece and in two.
    @Test func ofSHA256() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(hexadecimal(SHA256.digest(of: Array("abc".utf8))) == expected)
        var hash = SHA256()
        hash.update(Array("a".utf8))
        hash.update(Array("bc".utf8))
        #expect(hexadecimal(hash.finish()) == expected)
        // It has started anew.
        #expect(hexadecimal(hash.finish()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    /// RFC 4231, case 2.
    @Test func ofHMAC() {
        let seal = hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(hexadecimal(seal) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    /// RFC 3610, packet vector 1, with a tag of eight bytes.
    @Test func ofAESWithATag() {
        let (key, nonce) = (bytes("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"), bytes("00000003020100a0a1a2a3a4a5"))
        let (extra, text) = (Array(UInt8(0)...7), Array(UInt8(8)...0x1E))
        let sealed = aesCCMEncrypted(text, key: key, nonce: nonce, authenticating: extra, tagLength: 8)
        #expect(hexadecimal(sealed) == "588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0")
        let opened = { (bytes: [UInt8]) in
            aesCCMDecrypted(bytes, key: key, nonce: nonce, authenticating: extra, tagLength: 8)
        }
        #expect(opened(sealed) == text)
        #expect(opened(sealed.dropLast() + [0]) == nil && opened(Array(sealed.prefix(8))) == nil)
    }

    /// NIST SP 800-38A, F.5.1 and F.5.5: their first blocks.
    @Test(arguments: [
        ("2b7e151628aed2a6abf7158809cf4f3c", "874d6191b620e3261bef6864990db6ce"),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "601ec313775789a5b7a7f504bbf3d228"
        ),
    ])
    func ofAESInCounterMode(key: String, expected: String) {
        let (key, counter) = (bytes(key), Array(UInt8(0xF0)...0xFF))
        let sealed = aesCounterMode(bytes("6bc1bee22e409f96e93d7e117393172a"), key: key, counter: counter)
        #expect(hexadecimal(sealed) == expected)
        #expect(
            hexadecimal(aesCounterMode(sealed, key: key, counter: counter)) == "6bc1bee22e409f96e93d7e117393172a")
    }

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
    ])
    func ofBase64(text: String, expected: String) {
        #expect(Base64.encoded(Array(text.utf8)) == expected)
        #expect(Base64.decoded(expected) == Array(text.utf8))
        #expect(Base64.decodedLeniently(String(expected.filter { $0 != "=" })) == Array(text.utf8))
    }

    @Test func ofBothAlphabets() {
        #expect(Base64.linkEncoded([0xFB, 0xFF]) == "-_8")
        #expect(Base64.decodedLeniently("-_8") == [0xFB, 0xFF])
        #expect(Base64.decodedLeniently("+/8=") == [0xFB, 0xFF])
        #expect(Base64.decoded("-_8=") == nil)
    }

    /// Blanks, strange characters, bits that are left over, one character, padding where none belongs.
    @Test(arguments: ["Zm 9v", "Zm9v\n", "Zm9é", "Zh==", "Zm9", "Z", "Zg==Zg==", "Zg===", "===="])
    func whatIsNotExactlyBase64IsNone(text: String) {
        #expect(Base64.decoded(text) == nil)
    }

    @Test(arguments: ["Z", "Zh", "Zm 9v", "Zg===", "Zm9v=Zg", "Z_ü"])
    func alsoLeniently(text: String) { #expect(Base64.decodedLeniently(text) == nil) }

    private func bytes(_ digits: String) -> [UInt8] {
        var rest = digits[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16)!)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
