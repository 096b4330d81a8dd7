// A certificate as handshakes show it, read with GnuTLS, which libmicrohttpd speaks TLS with.
//
// GnuTLS takes what a handshake is given by address and neither copies nor frees it
// (gnutls_certificate_set_retrieve_function2(3)). So it lives until the last connection that was shown it is gone:
// each holds it (Connection.show).

import CGnuTLS
import Glibc
import Search

/// A certificate, the chain to its issuer, and the private key that belongs to it.
///
/// `@unchecked Sendable`: nothing is changed once it is made, and GnuTLS may read one key in several threads.
public final class ServerCertificate: @unchecked Sendable {
    /// Seconds since 1970 between which it counts.
    public let validity: ClosedRange<Int64>
    /// SHA-256 of what the two files held: another one is another pair.
    let fingerprint: [UInt8]
    private let chain: UnsafeMutableBufferPointer<gnutls_pcert_st>
    private let key: gnutls_privkey_t

    /// Reads both files and sees whether they belong together.
    public init(_ files: CertificateFiles) throws(CertificateError) {
        var contents = try files.read()
        defer { contents.forget() }
        let certificates = try Self.certificates(contents.certificate, files.certificate)
        defer { certificates.forEach { gnutls_x509_crt_deinit($0) } }
        let (key, keyID) = try Self.key(contents.key, files.key)
        do throws(CertificateError) {
            guard Self.keyID(of: certificates[0]) == keyID else {
                throw .mismatch(certificate: files.certificate, key: files.key)
            }
            chain = try Self.chain(certificates, files.certificate)
        } catch {
            gnutls_privkey_deinit(key)
            throw error
        }
        self.key = key
        let (begin, end) = (
            gnutls_x509_crt_get_activation_time(certificates[0]), gnutls_x509_crt_get_expiration_time(certificates[0])
        )
        // One that ends before it begins never counts, and has ended.
        validity = Int64(min(begin, end))...Int64(end)
        fingerprint = Self.digest(contents.certificate) + Self.digest(contents.key)
    }

    deinit {
        for index in chain.indices { gnutls_pcert_deinit(&chain[index]) }
        chain.deallocate()
        gnutls_privkey_deinit(key)
    }

    /// What a gnutls_certificate_retrieve_function2 answers.
    func give(
        _ certificates: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>,
        _ count: UnsafeMutablePointer<UInt32>, _ key: UnsafeMutablePointer<gnutls_privkey_t?>
    ) {
        certificates.pointee = chain.baseAddress
        count.pointee = UInt32(chain.count)
        key.pointee = self.key
    }

    // MARK: reading

    /// gnutls_x509_crt_list_import2: the server's own first, each followed by its issuer, at least one.
    private static func certificates(
        _ pem: [UInt8], _ path: String
    ) throws(CertificateError) -> [gnutls_x509_crt_t] {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        let sorted = GNUTLS_X509_CRT_LIST_SORT.rawValue
        let code = withDatum(pem) { gnutls_x509_crt_list_import2(&list, &count, $0, GNUTLS_X509_FMT_PEM, sorted) }
        defer { free(list) }
        guard code >= 0, count > 0 else {
            guard holds("-----BEGIN CERTIFICATE", pem) || holds("-----BEGIN X509", pem) else {
                throw .noCertificate(path: path, holdsKey: holds("PRIVATE KEY", pem))
            }
            throw .unusable(path: path, reason: reason(code))
        }
        return (0..<Int(count)).compactMap { list?[$0] }
    }

    /// gnutls_x509_privkey_import2, and what tells whose it is.
    private static func key(
        _ pem: [UInt8], _ path: String
    ) throws(CertificateError) -> (gnutls_privkey_t, [UInt8]) {
        guard holds("PRIVATE KEY", pem) else {
            throw .noKey(path: path, holdsCertificate: holds("-----BEGIN CERTIFICATE", pem))
        }
        // PKCS #8 says it in its label, the older form in a header.
        if holds("BEGIN ENCRYPTED", pem) || holds("Proc-Type: 4,ENCRYPTED", pem) { throw .encryptedKey(path: path) }
        var read: gnutls_x509_privkey_t?
        guard gnutls_x509_privkey_init(&read) == 0 else { throw .unusable(path: path, reason: "no memory") }
        let code = withDatum(pem) { gnutls_x509_privkey_import2(read, $0, GNUTLS_X509_FMT_PEM, nil, 0) }
        var key: gnutls_privkey_t?
        guard code == 0 else {
            gnutls_x509_privkey_deinit(read)
            throw .unusable(path: path, reason: reason(code))
        }
        let id = identifier { gnutls_x509_privkey_get_key_id(read, 0, $0, $1) }
        // From here on it belongs to the key that is made of it.
        guard gnutls_privkey_init(&key) == 0,
            gnutls_privkey_import_x509(key, read, GNUTLS_PRIVKEY_IMPORT_AUTO_RELEASE.rawValue) == 0, let key
        else {
            gnutls_x509_privkey_deinit(read)
            throw .unusable(path: path, reason: "no memory")
        }
        return (key, id)
    }

    private static func keyID(of certificate: gnutls_x509_crt_t) -> [UInt8] {
        identifier { gnutls_x509_crt_get_key_id(certificate, 0, $0, $1) }
    }

    /// gnutls_pcert_import_x509: each in the form in which handshakes send it.
    private static func chain(
        _ certificates: [gnutls_x509_crt_t], _ path: String
    ) throws(CertificateError) -> UnsafeMutableBufferPointer<gnutls_pcert_st> {
        let chain = UnsafeMutableBufferPointer<gnutls_pcert_st>.allocate(capacity: certificates.count)
        chain.initialize(repeating: gnutls_pcert_st())
        for (index, certificate) in certificates.enumerated() {
            let code = gnutls_pcert_import_x509(&chain[index], certificate, 0)
            guard code == 0 else {
                for done in 0..<index { gnutls_pcert_deinit(&chain[done]) }
                chain.deallocate()
                throw .unusable(path: path, reason: reason(code))
            }
        }
        return chain
    }

    // MARK: GnuTLS

    private static func identifier(
        _ get: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> Int32
    ) -> [UInt8] {
        var (bytes, size) = ([UInt8](repeating: 0, count: 64), 64)
        guard get(&bytes, &size) == 0 else { return [] }
        return Array(bytes.prefix(size))
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, bytes.count, &digest)
        return digest
    }

    private static func withDatum<Result>(
        _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(buffer.count))
            return body(&datum)
        }
    }

    private static func holds(_ words: String, _ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(words)
    }

    private static func reason(_ code: Int32) -> String {
        // Its sentences end with a full stop, and ours go on.
        let words = gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}
