import Glibc
import Platform

/// Why a certificate and its key cannot be used. `description` says what is wrong and what to type.
public enum CertificateError: Error, Equatable, CustomStringConvertible {
    case missing(path: String)
    case unreadable(path: String, code: Int32)
    /// A folder, a device, or larger than any certificate.
    case notAPEMFile(path: String)
    case noCertificate(path: String, holdsKey: Bool)
    case noKey(path: String, holdsCertificate: Bool)
    case encryptedKey(path: String)
    case mismatch(certificate: String, key: String)
    /// GnuTLS does not take it.
    case unusable(path: String, reason: String)

    /// Nobody may read it, or this process may not: it can be in order all the same.
    public var isForbidden: Bool {
        if case .unreadable(_, EACCES) = self { true } else { false }
    }

    public var description: String {
        switch self {
        case .missing(let path):
            "\(path) is not there (ls -l \(path))"
        case .unreadable(let path, EACCES):
            "\(path) cannot be read: \(Self.letting(path))"
        case .unreadable(let path, let code):
            "\(path) cannot be read: \(String(cString: strerror(code)))"
        case .notAPEMFile(let path):
            "\(path) is no PEM file (file \(path))"
        case .noCertificate(let path, let holdsKey):
            "\(path) holds no certificate in PEM form; "
                + (holdsKey
                    ? "it holds a private key: are tls-certificate and tls-key exchanged?"
                    : "one in DER form becomes one: openssl x509 -in \(path) -out certificate.pem")
        case .noKey(let path, let holdsCertificate):
            "\(path) holds no private key in PEM form; "
                + (holdsCertificate
                    ? "it holds a certificate: are tls-certificate and tls-key exchanged?"
                    : "one in DER form becomes one: openssl pkey -in \(path) -out key.pem")
        case .encryptedKey(let path):
            "the private key \(path) is encrypted, and at a start nobody can type its password; "
                + "write it without one: openssl pkey -in \(path) -out key.pem"
        case .mismatch(let certificate, let key):
            "the certificate \(certificate) does not belong to the private key \(key): one of them is older, or another's; "
                + "openssl x509 -noout -pubkey -in \(certificate) and openssl pkey -pubout -in \(key) must print the same"
        case .unusable(let path, let reason):
            "\(path) cannot be used: \(reason)"
        }
    }

    /// The command that opens the uppermost thing on the way that is shut for this process.
    private static func letting(_ path: String) -> String {
        let user = ownUserName()
        let group = groupName(getegid()) ?? "\(getegid())"
        if let folder = FolderWatch.folders(leadingTo: path).first(where: { access($0, X_OK) != 0 }) {
            return
                "\(user) may not look into \(folder); let it: sudo chgrp \(group) \(folder) && sudo chmod g+rx \(folder)"
        }
        return "\(user) may not; let it: sudo chgrp \(group) \(path) && sudo chmod g+r \(path)"
    }
}
