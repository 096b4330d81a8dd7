import Glibc

/// Repeats a system call that a signal has interrupted, and only that.
@inline(__always)
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

/// clock_gettime(CLOCK_MONOTONIC).
public func monotonicNow() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(time.tv_sec) * 1_000_000_000 + MonotonicTime(time.tv_nsec)
}

/// Milliseconds since 1970 by the host's clock.
func wallClockMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Seconds since 1970 by the host's clock.
func wallClockNow() -> Int64 { wallClockMilliseconds() / 1000 }

/// The text of an error number.
func describe(_ error: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 128)
    _ = buffer.withUnsafeMutableBytes {
        strerror_r(error, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
}

func setCloseOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}

/// The target of a symbolic link, readlink(2).
func linkTarget(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes {
        readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
}

/// The names in a directory, sorted; none when it cannot be read.
func entries(of directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// realpath(3).
func resolved(_ path: String) -> String? {
    guard let result = realpath(path, nil) else { return nil }
    defer { free(result) }
    return String(cString: result)
}

/// One byte into it ends a poll(2) in another thread.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    /// Traps when the process has no descriptors left.
    init() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { preconditionFailure("no descriptors left for a pipe") }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            setCloseOnExec(end)
            setNonBlocking(end)
        }
    }

    func wake() {
        var byte: UInt8 = 1
        _ = retrying { write(writeEnd, &byte, 1) }  // a full pipe wakes just as well
    }

    func empty() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while retrying({ read(readEnd, &bytes, bytes.count) }) > 0 {}
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }
}

/// Starts a thread that runs `body` to its end.
@discardableResult
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    let named: @Sendable () -> Void = {
        nameThisThread(name)
        body()
    }
    let argument = Unmanaged.passRetained(Body(named))
    let error = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
            return nil
        }, argument.toOpaque())
    precondition(error == 0, "the system gives no more threads")
    return thread
}

/// What `ps -L` and `top -H` show; at most 15 bytes. Glibc hides pthread_setname_np from Swift.
private func nameThisThread(_ name: String) {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    var name = name
    name.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
}
