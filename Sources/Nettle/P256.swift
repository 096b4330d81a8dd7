import CHogweed
import Glibc

// The curve of browsers' and Apple's keys (NIST P-256, secp256r1). What it needs is loaded with the first call.

public enum P256 {
    /// Bytes of a private key and of a coordinate.
    public static let scalarSize = MG_P256_NUMBER
    /// Bytes of a public key: 4 and two coordinates (SEC 1, 2.3.3, uncompressed).
    public static let pointSize = MG_P256_POINT

    /// Why nothing here works on this computer; nil if it does.
    public static let obstacle: String? = mg_p256_load().map { String(cString: $0) }

    /// A new private key, from `getentropy(3)`.
    public static func makeScalar() -> [UInt8]? {
        var scalar = [UInt8](repeating: 0, count: scalarSize)
        // One in four thousand million is no key.
        for _ in 0..<8 {
            precondition(getentropy(&scalar, scalar.count) == 0, "getentropy(3) must work")
            if publicKey(of: scalar) != nil { return scalar }
        }
        return nil
    }

    /// nil unless that is a private key (`nettle_ecc_point_mul_g`).
    public static func publicKey(of scalar: [UInt8]) -> [UInt8]? {
        guard scalar.count == scalarSize, obstacle == nil else { return nil }
        return filled(pointSize) { mg_p256_public_key(scalar, $0) }
    }

    /// Whether these bytes are a public key: a point on this curve (`nettle_ecc_point_set`).
    public static func isPoint(_ bytes: [UInt8]) -> Bool {
        bytes.count == pointSize && obstacle == nil && mg_p256_is_point(bytes)
    }

    /// ECDH: what only the two owners of these keys know, 32 bytes (`nettle_ecc_point_mul`); nil if one of them is no key.
    public static func sharedSecret(of scalar: [UInt8], and point: [UInt8]) -> [UInt8]? {
        guard scalar.count == scalarSize, point.count == pointSize, obstacle == nil else { return nil }
        return filled(scalarSize) { mg_p256_shared(scalar, point, $0) }
    }

    /// ES256, a signature of 64 bytes (RFC 7518, 3.4; `nettle_ecdsa_sign`); nil unless that is a private key.
    public static func signature(of bytes: [UInt8], by scalar: [UInt8]) -> [UInt8]? {
        guard scalar.count == scalarSize, obstacle == nil else { return nil }
        let digest = SHA256.digest(of: bytes)
        return filled(MG_P256_SIGNATURE) { mg_p256_sign(scalar, digest, $0) }
    }

    /// `nettle_ecdsa_verify`.
    public static func isSignature(_ signature: [UInt8], of bytes: [UInt8], by point: [UInt8]) -> Bool {
        guard signature.count == MG_P256_SIGNATURE, point.count == pointSize, obstacle == nil
        else { return false }
        return mg_p256_verify(point, SHA256.digest(of: bytes), signature)
    }

    private static func filled(_ size: Int, _ fill: (UnsafeMutablePointer<UInt8>?) -> Bool) -> [UInt8]? {
        var isFilled = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            isFilled = fill(buffer.baseAddress)
            count = isFilled ? size : 0
        }
        return isFilled ? bytes : nil
    }
}
