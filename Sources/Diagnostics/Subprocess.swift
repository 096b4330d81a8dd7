import Glibc
import Platform

/// A program of the system that is asked something, such as systemctl.
public enum Subprocess {
    public static let patience: UInt64 = 800_000_000
    private static let longest = 1 << 20

    /// What it writes to standard output, at most 1 MiB; nil when there is no such program or it takes too long. It gets
    /// no input, and what it says on standard error is lost.
    ///
    /// - Parameter patience: nanoseconds that it may take; it is ended then.
    public static func output(of words: [String], patience: UInt64 = patience) -> String? {
        var ends: [Int32] = [0, 0]
        // No pipe: only a socket pair closes on exec from its start, so that no other child holds an end.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        defer { close(ends[0]) }
        guard let process = start(words, output: ends[1]) else {
            close(ends[1])
            return nil
        }
        close(ends[1])
        let output = read(ends[0], until: MonotonicClock.nanoseconds() + patience)
        // One that has more to say would wait for ever for somebody to read it.
        if output.map({ $0.count >= longest }) ?? true { kill(process, SIGKILL) }
        _ = retrying { waitpid(process, nil, 0) }
        return output.map { String(decoding: $0, as: UTF8.self) }
    }

    /// posix_spawnp(3).
    private static func start(_ words: [String], output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        return posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 ? process : nil
    }

    private static func read(_ descriptor: Int32, until deadline: UInt64) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < longest {
            let now = MonotonicClock.nanoseconds()
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard now < deadline else { return nil }
            let ready = retrying { poll(&waiting, 1, Int32((deadline - now) / 1_000_000) + 1) }
            guard ready > 0 else { return nil }
            let count = retrying { Glibc.read(descriptor, &buffer, buffer.count) }
            if count <= 0 { return bytes }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
