import Synchronization

/// The certificate that new handshakes are shown. Another one may take its place between two of them.
public final class CertificateInForce: Sendable {
    /// What came of reading the files again.
    public enum Change: Sendable {
        /// They hold what they held, or are still as wrong as they were.
        case none
        case renewed(ServerCertificate)
        /// They cannot be used, and what was in force stays so.
        case kept(CertificateError)
    }

    public let files: CertificateFiles
    private let state: Mutex<ServerCertificate>
    private let lastError = Mutex<CertificateError?>(nil)

    public init(_ files: CertificateFiles) throws(CertificateError) {
        self.files = files
        state = Mutex(try ServerCertificate(files))
    }

    public var value: ServerCertificate { state.withLock { $0 } }

    /// Reads the files again. Used by one thread at a time: of two, the one with the older pair could come last.
    func renew() -> Change {
        let found: ServerCertificate
        do throws(CertificateError) {
            found = try ServerCertificate(files)
        } catch {
            let isNews = lastError.withLock { last in
                defer { last = error }
                return last != error
            }
            return isNews ? .kept(error) : .none
        }
        lastError.withLock { $0 = nil }
        return state.withLock { certificate in
            guard certificate.fingerprint != found.fingerprint else { return .none }
            certificate = found
            return .renewed(found)
        }
    }
}
