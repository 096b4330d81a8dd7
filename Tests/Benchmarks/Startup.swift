import Glibc

/// The time from starting the executable to its first answer, in milliseconds: the median of several starts.
func measureStart(command: [String], port: UInt16) throws {
    let times = try (0..<9).map { _ in try startOnce(command, port) }.sorted()
    print("start_ms", Double(times[times.count / 2]) / 1_000_000)
}

private struct NoAnswer: Error {}

private func startOnce(_ command: [String], _ port: UInt16) throws -> UInt64 {
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    let began = monotonicTime()
    guard posix_spawn(&child, command[0], &actions, nil, &words, environ) == 0 else { throw NoAnswer() }
    defer {
        kill(child, SIGTERM)
        waitpid(child, nil, 0)
    }
    while monotonicTime() - began < 30_000_000_000 {
        if isAnswered(port) { return monotonicTime() - began }
        usleep(300)
    }
    throw NoAnswer()
}

/// Asks for `/api/health` on a new connection; false when nobody takes it. That there is none, or that a token is wanted,
/// is an answer too: so the C server of the reference gives one.
private func isAnswered(_ port: UInt16) -> Bool {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, size) }
    }
    guard connected == 0 else { return false }
    let request = Array("GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard write(connection, request, request.count) == request.count else { return false }
    var answer = [UInt8](repeating: 0, count: 12)
    return read(connection, &answer, answer.count) == 12 && answer.starts(with: "HTTP/1.1 ".utf8)
}
