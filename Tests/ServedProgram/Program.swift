import Foundation
import Testing

/// The shipped executable, started with folders of its own and an empty environment otherwise.
///
/// It ends with the test: in good order through ``stop()``, else it is killed when the last reference goes.
final class Program: @unchecked Sendable {  // `status` is guarded by `lock`, the rest is constant
    let process: pid_t
    let output: Output
    let errors: Output
    /// Standard input, while it stays open.
    private let input: Int32?
    private let lock = NSLock()
    private var status: Int32?

    /// Longer than anything takes on a busy machine.
    static let patience: TimeInterval = 90

    /// Built beside the test bundle, whatever the build folder and the sanitizer.
    static let path = folder + "mesh-gateway"

    /// Ends with a slash.
    private static let folder: String = {
        let bundle = try! FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")  // Linux has it
        return (bundle as NSString).deletingLastPathComponent + "/"
    }()

    /// Whether the tests, and so the program, are built with the thread sanitizer.
    static let isUnderTSan = dlsym(nil, "__tsan_init") != nil
    /// Sanitizers have a memory of their own.
    static let isSanitized = isUnderTSan || dlsym(nil, "__asan_init") != nil

    /// - Parameters:
    ///   - input: what it reads.
    ///   - staysOpen: there may be more to read later, from ``say(_:)``.
    ///   - handed: what it finds open from descriptor 3 on.
    init(
        _ arguments: [String], in folders: Folders, input: String = "", staysOpen: Bool = false, handed: [Int32] = [],
        environment: [String: String] = [:], executable: String = Program.path
    ) throws {
        try Tool.find(executable)
        if let objects = environment["LD_PRELOAD"] { try Tool.findLibraries(objects) }
        var descriptors: [[Int32]] = []
        for _ in 0..<3 {
            // A socket pair, because only that closes on exec from the start: no other child may hold an end.
            var ends: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.init(rawValue: errno)!) }
            descriptors.append(ends)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, descriptors[0][0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, descriptors[1][1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, descriptors[2][1], STDERR_FILENO)
        // Out of the way of the places that they are to have.
        let copies = handed.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { copies.forEach { close($0) } }
        for (place, copy) in copies.enumerated() { posix_spawn_file_actions_adddup2(&actions, copy, Int32(3 + place)) }
        defer { posix_spawn_file_actions_destroy(&actions) }

        // Ctrl-C counts for it, also where a shell in the background has it ignored for the tests.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        var environment = folders.environment.merging(environment) { $1 }
        // Every program of ours, as it is or behind another one.
        if Self.isUnderTSan, executable.hasPrefix(Self.folder) || arguments.contains(Self.path) {
            let mutex = try SharedObject.mutexUnderTSan.get()
            environment["LD_PRELOAD"] = environment["LD_PRELOAD"].map { "\($0):\(mutex)" } ?? mutex
        }
        let variables = environment.map { "\($0)=\($1)" }
        // If the tests are killed, so is what they started.
        let words = ["setpriv", "--pdeathsig", "KILL", "--", executable] + arguments
        var argv = words.map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process: pid_t = 0
        let code = Nursery.shared.run { posix_spawn(&process, "/usr/bin/setpriv", &actions, &attributes, &argv, &envp) }
        for descriptor in [descriptors[0][0], descriptors[1][1], descriptors[2][1]] { close(descriptor) }
        output = Output(descriptors[1][0])
        errors = Output(descriptors[2][0])
        self.process = process
        // Short enough for the socket's buffer; nobody has to read it.
        send(descriptors[0][1], input, input.utf8.count, Int32(MSG_NOSIGNAL))
        self.input = staysOpen ? descriptors[0][1] : nil
        if !staysOpen { close(descriptors[0][1]) }
        guard code == 0 else { throw POSIXError(.init(rawValue: code)!) }
    }

    /// Short enough for the socket's buffer.
    func say(_ text: String) {
        if let input { send(input, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
    }

    deinit {
        if let input { close(input) }
        guard status == nil else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Waits for the end: its exit code, or minus the signal that ended it.
    func exitCode() throws -> Int32 {
        // Its output ends with it; so there is something to wait for.
        try #require(output.waitForEnd() && errors.waitForEnd(), "it still runs")
        return lock.withLock {
            if let status { return status }
            var raw: Int32 = 0
            while waitpid(process, &raw, 0) < 0, errno == EINTR {}
            let ended = raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F)
            status = ended
            return ended
        }
    }

    func signal(_ number: Int32) {
        lock.withLock { if status == nil { kill(process, number) } }
    }

    /// SIGTERM, and the exit code 0 that has to follow.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) throws {
        signal(SIGTERM)
        let code = try exitCode()
        #expect(code == 0, "\(errors.text)", sourceLocation: sourceLocation)
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., in folders: Folders, input: String = "", environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String, errors: String) {
        let program = try Program(arguments, in: folders, input: input, environment: environment)
        return (try program.exitCode(), program.output.text, program.errors.text)
    }

    /// What is in its memory, in bytes.
    var residentBytes: Int { Self.memory("VmRSS", of: process) }

    /// What a process has in memory that is no file's, in bytes.
    static func privateBytes(of process: pid_t) -> Int { memory("RssAnon", of: process) }

    private static func memory(_ what: String, of process: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(what):") }
        return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0)
            * 1024
    }
}

extension Program {
    /// What it has read from files and sockets so far, in bytes (`rchar`, proc(5)).
    var bytesRead: Int {
        let counts = (try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8)) ?? ""
        let line = counts.split(separator: "\n").first { $0.hasPrefix("rchar:") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}

/// The thread that starts every process: the kernel takes its end for the parent's (PR_SET_PDEATHSIG, prctl(2)), and
/// the threads on which tests run come and go.
private final class Nursery: @unchecked Sendable {  // everything is guarded by `changed`
    static let shared = Nursery()
    private let changed = NSCondition()
    private var work: (() -> Int32)?
    private var result: Int32?

    private init() { Thread.detachNewThread { [self] in while true { next() } } }

    private func next() {
        changed.lock()
        while work == nil || result != nil { changed.wait() }
        result = work?()
        changed.broadcast()
        changed.unlock()
    }

    /// One at a time.
    func run(_ start: @escaping () -> Int32) -> Int32 {
        changed.lock()
        defer { changed.unlock() }
        while work != nil { changed.wait() }
        work = start
        changed.broadcast()
        while result == nil { changed.wait() }
        defer { (work, result) = (nil, nil) }
        changed.broadcast()
        return result!
    }
}

/// What a process writes, collected while it runs.
final class Output: @unchecked Sendable {  // everything is guarded by `changed`
    private let changed = NSCondition()
    private var bytes = Data()
    private var hasEnded = false

    init(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                changed.lock()
                if count > 0 { bytes += buffer[..<count] } else { hasEnded = true }
                changed.broadcast()
                changed.unlock()
                if count <= 0 { break }
            }
            close(descriptor)
        }
    }

    var text: String { String(decoding: data, as: UTF8.self) }

    var data: Data { changed.withLock { bytes } }

    func waitForEnd() -> Bool { wait { hasEnded } }

    /// Waits for a whole line with this in it, and returns it.
    func line(containing part: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        var found: Substring?
        _ = wait {
            let text = String(decoding: bytes, as: UTF8.self)
            let whole = text.hasSuffix("\n") ? text[...] : text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
            found = whole.split(separator: "\n").first { $0.contains(part) }
            return found != nil || hasEnded
        }
        return String(try #require(found, "no \"\(part)\" in: \(text)", sourceLocation: sourceLocation))
    }

    private func wait(until isDone: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Program.patience)
        changed.lock()
        defer { changed.unlock() }
        while !isDone() { if !changed.wait(until: deadline) { return isDone() } }
        return true
    }
}

/// Where a user's programs keep their things, made for one test and removed with it.
final class Folders: Sendable {
    let root: String

    init() throws {
        // Short: a socket's path has 107 bytes.
        var template = Array("/tmp/scenario.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno)!) }
        root = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        for name in ["run", "state", "home"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: false)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    var state: String { "\(root)/state" }
    var socket: String { "\(root)/run/mesh-gateway.sock" }

    var environment: [String: String] {
        var variables = [
            "HOME": "\(root)/home", "XDG_RUNTIME_DIR": "\(root)/run", "XDG_STATE_HOME": state, "TZ": "UTC",
        ]
        // How the sanitizers report, and where coverage is noted, is the business of whoever runs the tests.
        for (name, value) in ProcessInfo.processInfo.environment
        where name.hasSuffix("SAN_OPTIONS") || ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"].contains(name) {
            variables[name] = value
        }
        return variables
    }

    /// A file with this content; the path.
    func file(_ name: String, _ content: String) throws -> String {
        let path = "\(root)/\(name)"
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }
}
