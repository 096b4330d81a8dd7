import CGnuTLS
import Glibc
import HTTPServer
import Testing

/// What a connection of a test goes over.
enum Transport: CaseIterable { case plain, tls }

/// A certificate for localhost that nobody has signed, with its key; made by openssl once for all tests.
let testCertificate: Result<CertificateInForce, any Error> = Result {
    let directory = try TemporaryDirectory()
    let files = CertificateFiles(certificate: directory.path + "/cert.pem", key: directory.path + "/key.pem")
    try run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
        "-subj", "/CN=localhost", "-keyout", files.key, "-out", files.certificate)
    return try CertificateInForce(files)
}

/// TLS as a client speaks it, which believes every certificate.
final class TLSSession {
    private var session: gnutls_session_t?
    private var credentials: gnutls_certificate_credentials_t?

    struct HandshakeFailed: Error { let code: Int32 }

    init(over descriptor: Int32) throws {
        // GNUTLS_CLIENT, and GNUTLS_NO_SIGNAL for a server that has gone.
        gnutls_init(&session, UInt32(1 << 1 | 1 << 6))
        gnutls_certificate_allocate_credentials(&credentials)
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        gnutls_set_default_priority(session)
        gnutls_transport_set_int2(session, descriptor, descriptor)
        var code = gnutls_handshake(session)
        while code < 0, gnutls_error_is_fatal(code) == 0, code != GNUTLS_E_AGAIN { code = gnutls_handshake(session) }
        if code != 0 { throw HandshakeFailed(code: code) }
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Int { gnutls_record_send(session, bytes.baseAddress, bytes.count) }

    func receive(_ buffer: inout [UInt8]) -> Int {
        while true {
            let count = gnutls_record_recv(session, &buffer, buffer.count)
            // A message of the protocol's own, such as a ticket, is no data.
            if count < 0, count != Int(GNUTLS_E_AGAIN), gnutls_error_is_fatal(Int32(count)) == 0 { continue }
            return count
        }
    }
}

/// Runs a program to its end, which must be a good one; what it says is thrown away.
private func run(_ words: String...) throws {
    let process = try spawn(words, input: nil)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    try #require(status == 0, "\(words)")
}

/// - Parameter input: becomes standard input and output; nil: /dev/null does.
func spawn(_ words: [String], input: Int32?) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 as ClosedRange<Int32> {
        if let input, descriptor < 2 {
            posix_spawn_file_actions_adddup2(&actions, input, descriptor)
        } else {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
    }
    var argv = words.map { strdup($0) } + [nil]
    defer { argv.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], &actions, nil, &argv, environ)
    try #require(code == 0, "\(words[0]) cannot be started")
    return process
}
