import CShims
import Glibc

/// Programs of the system that run for us, such as systemctl and curl.
public enum Subprocess {
    public static let patience: UInt64 = 800_000_000
    private static let longest = 1 << 20

    /// What it writes to standard output, at most 1 MiB; nil when there is no such program or it takes too long. It gets
    /// no input, and what it says on standard error is lost.
    ///
    /// - Parameter patience: nanoseconds that it may take; it is ended then.
    public static func output(of words: [String], patience: UInt64 = patience) -> String? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) else { return nil }
        defer { close(ends[0]) }
        let started = start(words, descriptors: [STDOUT_FILENO: ends[1]])
        close(ends[1])
        guard let process = started else { return nil }
        let deadline = MonotonicClock.nanoseconds() + patience
        let output = read(ends[0], atMost: longest, until: deadline)
        // One that has more to say would wait for ever for somebody to read it.
        if output.end != .closed { kill(process, SIGKILL) }
        _ = wait(for: process)
        return output.end == .late ? nil : String(decoding: output.bytes, as: UTF8.self)
    }

    /// posix_spawnp(3). Signals are as a fresh program has them: none is blocked, as they are in the threads of a daemon, and
    /// none is ignored, as SIGPIPE is there.
    ///
    /// - Parameters:
    ///   - descriptors: what the child finds under which number. Standard ones that are not named are /dev/null; of ours it
    ///     gets no other.
    ///   - environment: `NAME=value`; nil: that of this process.
    /// - Returns: to be given to ``wait(for:)``; nil: it does not run, and errno says why.
    public static func start(
        _ words: [String], descriptors: [Int32: Int32], environment: [String]? = nil
    ) -> pid_t? {
        // Out of the way of the numbers that the child is to find.
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        for (number, descriptor) in descriptors {
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 16)
            guard copy >= 0 else { return nil }
            copies.append(copy)
            posix_spawn_file_actions_adddup2(&actions, copy, number)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = (environment ?? []).map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        let code =
            environment == nil
            ? posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
            : posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            errno = code
            return nil
        }
        return process
    }

    /// How a child has ended.
    public enum End: Hashable, Sendable {
        case exit(code: Int32)
        case signal(Int32)
    }

    /// waitpid(2).
    public static func wait(for process: pid_t) -> End {
        var status: Int32 = 0
        _ = retrying { waitpid(process, &status, 0) }
        let signal = status & 0x7F
        return signal == 0 ? .exit(code: status >> 8 & 0xFF) : .signal(signal)
    }

    /// pipe2(2) with O_CLOEXEC: no other child, which another thread may start at any time, holds an end.
    public static func pipe(_ ends: inout [Int32]) -> Bool { mg_pipe(&ends) == 0 }

    /// What came out of a pipe, and why no more was read.
    public struct Output: Sendable {
        public enum End: Hashable, Sendable { case closed, full, late, cancelled }

        public var bytes: [UInt8] = []
        public var end = End.closed
    }

    /// Reads until the other end is closed.
    ///
    /// - Parameters:
    ///   - limit: bytes at which reading ends.
    ///   - deadline: monotonic nanoseconds.
    ///   - cancelled: a descriptor; reading ends when there is something to read there.
    public static func read(
        _ descriptor: Int32, atMost limit: Int, until deadline: UInt64, cancelled: Int32? = nil
    ) -> Output {
        var output = Output()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while output.bytes.count < limit {
            let now = MonotonicClock.nanoseconds()
            var waiting = [descriptor, cancelled ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = now < deadline ? (deadline - now) / 1_000_000 + 1 : 0
            let ready = now < deadline ? retrying { poll(&waiting, 2, Int32(clamping: left)) } : 0
            guard ready > 0 else {
                output.end = .late
                return output
            }
            if waiting[1].revents != 0 {
                output.end = .cancelled
                return output
            }
            let count = retrying { Glibc.read(descriptor, &buffer, min(buffer.count, limit - output.bytes.count)) }
            if count <= 0 { return output }
            output.bytes += buffer[..<count]
        }
        output.end = .full
        return output
    }
}
