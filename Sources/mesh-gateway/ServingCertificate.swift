import Configuration
import Diagnostics
import Glibc
import HTTPServer
import Log
import Synchronization

// The certificate of a daemon that speaks TLS: what a start with a bad one says, and what the log says while it is renewed.
//
// An expired one is served: the client decides, and a clock that stands at 1970 must not shut people out.

extension CertificateFiles {
    /// Nil without TLS.
    init?(_ settings: Configuration) {
        guard let certificate = settings.certificate, let key = settings.certificateKey else { return nil }
        self.init(certificate: certificate, key: key)
    }
}

extension CertificateError {
    /// The setting whose file is wrong; both are in order in themselves when they do not belong together.
    func setting(of files: CertificateFiles) -> Key {
        switch self {
        case .missing(let path), .unreadable(let path, _), .notAPEMFile(let path), .noCertificate(let path, _),
            .noKey(let path, _), .encryptedKey(let path), .unusable(let path, _):
            path == files.certificate ? .certificate : .certificateKey
        case .mismatch: .certificate
        }
    }
}

extension ServerCertificate {
    /// What is wrong with its time; nil while it counts.
    ///
    /// - Parameter now: seconds since 1970.
    func doubt(at now: Int64) -> String? {
        if now < validity.lowerBound {
            return "it counts from \(Self.date(validity.lowerBound)) on, and this computer's clock says "
                + "\(Self.date(now)): timedatectl shows whether the clock is right"
        }
        if now > validity.upperBound {
            return
                "it has expired on \(Self.date(validity.upperBound)), and clients refuse it: renew it (sudo certbot renew, "
                + "or however it was made)"
        }
        return nil
    }

    var lastDay: String { Self.date(validity.upperBound) }

    private static func date(_ seconds: Int64) -> String {
        String(localTime(milliseconds: seconds * 1000, utc: true).prefix(10))
    }
}

/// What the key's mode gives away; nil when it gives nothing away.
func noteOnKey(_ files: CertificateFiles) -> String? {
    files.isKeyOpenToAll
        ? "everybody on this computer can read the private key \(files.key); sudo chmod o-r \(shellWord(files.key))"
        : nil
}

/// Reads the certificate for a start. Plain HTTP is never served in its place.
func openCertificate(_ settings: Configuration) throws -> CertificateInForce? {
    guard let files = CertificateFiles(settings) else { return nil }
    do {
        return try CertificateInForce(files)
    } catch {
        let key = error.setting(of: files)
        throw failure("\(settings.origin(of: key)): \(key.rawValue): \(error).", .configuration)
    }
}

/// Watches a certificate that is in force, and says in the log what becomes of it.
func watch(_ certificate: CertificateInForce, _ logger: Logger) throws -> CertificateWatch {
    if let note = noteOnKey(certificate.files) { logger.warning("\(note)") }
    let told = LastWord()
    do {
        return try CertificateWatch(certificate) { change in
            let path = certificate.files.certificate
            switch change {
            case .none: break
            case .renewed(let new): logger.notice("\(path) was renewed, and counts until \(new.lastDay)")
            case .kept(let error): logger.warning("the renewed certificate is not used, the old one stays: \(error)")
            }
            let doubt = certificate.value.doubt(at: Int64(time(nil)))
            if told.changes(to: doubt), let doubt { logger.warning("\(path): \(doubt)") }
            Signals.wakeMainThread()
        }
    } catch {
        throw failure("\(error).", .systemError)
    }
}

/// What was said last, so that it is said once.
private final class LastWord: Sendable {
    private let word = Mutex<String?>(nil)

    func changes(to new: String?) -> Bool {
        word.withLock { word in
            defer { word = new }
            return word != new
        }
    }
}
