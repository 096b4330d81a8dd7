import JSON
import Nettle
import Testing

/// P-256, and what keys are made of with it.
@Suite struct TheCurveKnowsItsKeys {
    private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    /// RFC 8291, appendix A.
    @Test func bothSidesGetOneSecret() throws {
        let sender = try link("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
        let receiver = try link("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
        let ofSender = try link(
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        let ofReceiver = try link(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
        let secret = try link("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
        #expect(P256.obstacle == nil)
        #expect(P256.publicKey(of: sender) == ofSender && P256.publicKey(of: receiver) == ofReceiver)
        #expect(P256.sharedSecret(of: sender, and: ofReceiver) == secret)
        #expect(P256.sharedSecret(of: receiver, and: ofSender) == secret)
    }

    /// RFC 6979, A.2.5, with SHA-256 and "sample".
    @Test func aSignatureOfAnotherIsGood() {
        let key = bytes("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
        let point =
            [4] + bytes("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
            + bytes("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
        let signature =
            bytes("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716")
            + bytes("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
        let text = Array("sample".utf8)
        #expect(P256.publicKey(of: key) == point)
        #expect(P256.isSignature(signature, of: text, by: point))
        for place in signature.indices {
            var changed = signature
            changed[place] ^= 1
            #expect(!P256.isSignature(changed, of: text, by: point))
        }
        #expect(!P256.isSignature(signature, of: Array("samplE".utf8), by: point))
        #expect(!P256.isSignature(signature.dropLast(), of: text, by: point))
        #expect(!P256.isSignature(signature, of: text, by: point.dropLast()))
        #expect(!P256.isSignature([UInt8](repeating: 0, count: 64), of: text, by: point))
    }

    /// Numbers that begin with zeros have as many bytes as others: of coordinates and signatures each 128th does.
    /// It goes on until it has seen one of each.
    @Test func noNumberIsShort() throws {
        var zeros = (key: 0, signature: 0)
        var number = 0
        while zeros.key == 0 || zeros.signature == 0 {
            number += 1
            let key = try #require(P256.makeScalar())
            let point = try #require(P256.publicKey(of: key))
            let text = Array("\(number)".utf8)
            let signature = try #require(P256.signature(of: text, by: key))
            #expect(point.count == 65 && P256.isPoint(point) && signature.count == 64)
            #expect(P256.isSignature(signature, of: text, by: point))
            if point[1] == 0 || point[33] == 0 { zeros.key += 1 }
            if signature[0] == 0 || signature[32] == 0 { zeros.signature += 1 }
        }
    }

    /// Never the same number twice: a signature that repeats its secret one gives the key away.
    @Test func noTwoSignaturesAreAlike() throws {
        let key = try #require(P256.makeScalar())
        let signatures = (0..<50).compactMap { _ in P256.signature(of: [1, 2, 3], by: key) }
        #expect(Set(signatures.map { Array($0.prefix(32)) }).count == 50)
    }

    @Test func whatIsNoKeyIsRefused() throws {
        let good = try #require(P256.makeScalar().flatMap { P256.publicKey(of: $0) })
        let key = [UInt8](repeating: 1, count: 32)
        var changed = good
        changed[64] ^= 1
        // Another y; compressed; of other forms and lengths; the point at infinity; beyond the field.
        var points: [[UInt8]] = [
            changed, [2] + good.dropFirst(), [6] + good.dropFirst(), Array(good.prefix(33)), Array(good.prefix(64)),
            good + [0], [], [0], [4] + [UInt8](repeating: 0, count: 64), [4] + [UInt8](repeating: 0xFF, count: 64),
        ]
        // The base of P-384, and its first 65 bytes.
        let foreign =
            [4]
            + bytes("aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38")
            + bytes("5502f25dbf55296c3a545e3872760ab7")
            + bytes("3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c0")
            + bytes("0a60b1ce1d7e819d7a431d7c90ea0e5f")
        points += [foreign, Array(foreign.prefix(65))]
        for point in points {
            #expect(!P256.isPoint(point), "\(point)")
            #expect(P256.sharedSecret(of: key, and: point) == nil)
        }
        let scalars: [[UInt8]] = [
            [], [UInt8](repeating: 0, count: 32), bytes(Self.order), [UInt8](repeating: 0xFF, count: 32),
            Array(key.prefix(31)), key + [1],
        ]
        for scalar in scalars {
            #expect(P256.publicKey(of: scalar) == nil && P256.signature(of: [1], by: scalar) == nil, "\(scalar)")
            #expect(P256.sharedSecret(of: scalar, and: good) == nil)
        }
        // One less than the order is the last key.
        #expect(P256.publicKey(of: bytes(Self.order.dropLast() + "0")) != nil)
    }

    /// RFC 5869, A.1 and A.3: the first block.
    @Test func keysAreMadeOfASecret() {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let key = hkdfSHA256(secret, salt: Array(0...12), info: Array(0xF0...0xF9), count: 32)
        #expect(hexadecimal(key) == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
        let plain = hkdfSHA256(secret, salt: [], info: [], count: 12)
        #expect(hexadecimal(plain) == "8da4e775a563c18f715f802a")
    }

    /// "The Galois/Counter Mode of Operation", test cases 1 to 3.
    @Test(arguments: [
        ("00000000000000000000000000000000", "000000000000000000000000", "", "58e2fccefa7e3061367f1d57a4e7455a"),
        (
            "00000000000000000000000000000000", "000000000000000000000000", "00000000000000000000000000000000",
            "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"
        ),
        (
            "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
                + "4d5c2af327cd64a62cf35abd2ba6fab4"
        ),
    ])
    func aTextIsSealedWithATag(key: String, nonce: String, text: String, sealed: String) {
        #expect(hexadecimal(aesGCMEncrypted(bytes(text), key: bytes(key), nonce: bytes(nonce))) == sealed)
    }

    private func link(_ text: String) throws -> [UInt8] { try #require(Base64.decodedLeniently(text)) }

    private func bytes(_ digits: some StringProtocol) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
        }
    }
}
