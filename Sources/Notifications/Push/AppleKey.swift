import Folders
import Glibc
import Nettle

// Apple gives a key once, as a file AuthKey_XXXXXXXXXX.p8: PEM around PKCS #8 (RFC 5958) around RFC 5915.
//
//     SEQUENCE { 0, SEQUENCE { id-ecPublicKey, prime256v1 }, OCTET STRING { SEQUENCE { 1, OCTET STRING of 32 bytes, ... } } }

/// The key by which Apple knows who sends.
public struct AppleKey: Hashable, Sendable {
    /// The private half, 32 bytes.
    let scalar: [UInt8]

    /// - Parameter file: a path.
    /// - Throws: what is wrong with it, and what to do.
    public init(file: String) throws(BadValue) {
        guard access(file, F_OK) == 0 || errno != ENOENT else {
            throw BadValue("\(file) is not there; put the key file of Apple there (\(Self.source))")
        }
        let text: String
        do throws(SecretFile.Refusal) { text = try SecretFile.text(of: file) } catch {
            // Of one that may not be read it says what to do.
            throw BadValue("\(file) \(error.text)" + (access(file, R_OK) == 0 ? "; \(Self.advice)" : ""))
        }
        do throws(BadValue) { self = try AppleKey(pem: text) } catch { throw BadValue("\(file) \(error.text)") }
    }

    init(pem text: String) throws(BadValue) {
        guard let (label, base64) = Self.block(in: text) else { throw BadValue("is no key file; \(Self.advice)") }
        switch label {
        case "PRIVATE KEY": break
        case "CERTIFICATE", "CERTIFICATE REQUEST", "PUBLIC KEY":
            throw BadValue("holds a \(label.lowercased()) in place of a private key; \(Self.advice)")
        case "ENCRYPTED PRIVATE KEY": throw BadValue("is locked with a password; \(Self.advice)")
        default: throw BadValue("holds a key of another form; \(Self.advice)")
        }
        guard let bytes = Base64.decoded(base64) else { throw BadValue("is damaged; \(Self.advice)") }
        var outer = DERReader(bytes[...])
        guard var info = outer.sequence(), info.element(0x02) != nil, var algorithm = info.sequence(),
            let kind = algorithm.element(0x06)
        else { throw BadValue("is damaged; \(Self.advice)") }
        guard kind.elementsEqual(Self.ellipticCurves), let curve = algorithm.element(0x06),
            curve.elementsEqual(Self.p256)
        else { throw BadValue("holds a key that is not of the curve P-256; \(Self.advice)") }
        guard let wrapped = info.element(0x04) else { throw BadValue("is damaged; \(Self.advice)") }
        var inner = DERReader(wrapped)
        guard var key = inner.sequence(), key.element(0x02)?.elementsEqual([1]) == true, let scalar = key.element(0x04),
            P256.publicKey(of: Array(scalar)) != nil
        else { throw BadValue(P256.obstacle.map { "cannot be used: \($0)" } ?? "is damaged; \(Self.advice)") }
        self.scalar = Array(scalar)
    }

    private static let source = "developer.apple.com, Certificates, Identifiers & Profiles, Keys"
    private static let advice = "take the file AuthKey_....p8 that Apple gives once for a key (\(source))"

    /// 1.2.840.10045.2.1
    private static let ellipticCurves: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// 1.2.840.10045.3.1.7
    private static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// The first block of PEM (RFC 7468): its label, and its base64 without line ends.
    private static func block(in text: String) -> (label: String, base64: String)? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
        guard let start = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") }) else { return nil }
        let label = lines[start].dropFirst("-----BEGIN ".count).prefix { $0 != "-" }
        let mark = "-----END \(label)-----"
        guard let end = lines[start...].firstIndex(where: { $0.hasPrefix(mark) }) else { return nil }
        let base64 = lines[(start + 1)..<end].joined().filter { $0 != " " && $0 != "\t" }
        return (String(label), base64)
    }
}

/// Elements of DER (X.690), one after the other.
private struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func sequence() -> DERReader? { element(0x30).map { DERReader($0) } }

    /// The content of the next element if it has this tag; nil if it has another one, or is longer than what is there.
    mutating func element(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var left = rest
        guard left.popFirst() == tag, let first = left.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // Nothing in such a file is longer than two bytes say.
            guard first == 0x81 || first == 0x82 else { return nil }
            length = 0
            for _ in 0..<(first & 0x7F) {
                guard let byte = left.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard left.count >= length else { return nil }
        rest = left.dropFirst(length)
        return left.prefix(length)
    }
}
