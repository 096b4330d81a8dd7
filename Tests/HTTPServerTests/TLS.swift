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
