import Glibc

/// What a command of the command line takes: the median of its times from start to end in milliseconds, and the most
/// memory that it had resident, in MB.
func measureCommand(name: String, runs: Int, _ command: [String]) throws {
    var times: [UInt64] = []
    var memory = 0
    for _ in 0..<runs {
        let began = monotonicTime()
        memory = max(memory, try runOnce(command))
        times.append(monotonicTime() - began)
    }
    print("\(name)_ms", Double(times.sorted()[runs / 2]) / 1_000_000)
    print("\(name)_mb", Double(memory) / 1024)
}

private struct Failed: Error { let command: [String], status: Int32 }

/// - Returns: the most kilobytes that were resident (`ru_maxrss`).
private func runOnce(_ command: [String]) throws -> Int {
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    guard posix_spawn(&child, command[0], &actions, nil, &words, environ) == 0 else {
        throw Failed(command: command, status: -1)
    }
    var (status, usage) = (Int32(0), rusage())
    while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
    // Doctor tells by its exit code that something is wrong: up to 2.
    guard status & 0x7F == 0, status >> 8 <= 2 else { throw Failed(command: command, status: status) }
    return Int(usage.ru_maxrss)
}
