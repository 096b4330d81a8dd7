import Glibc

/// Repeats a system call that a signal has interrupted (EINTR), and only that.
@inlinable @inline(__always)
public func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

/// write(2) until all is out.
///
/// - Returns: 0, or the error number of the write that failed; EIO where the kernel took nothing and said nothing.
public func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Int32 {
    func write(_ buffer: UnsafeRawBufferPointer) -> Int32 {
        var rest = buffer[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            let count = retrying { Glibc.write(descriptor, start, rest.count) }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }
    return bytes.withContiguousStorageIfAvailable { write(UnsafeRawBufferPointer($0)) }
        ?? Array(bytes).withUnsafeBytes(write)
}

/// The text of an error number.
public func errorText(_ number: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 128)
    _ = buffer.withUnsafeMutableBytes {
        strerror_r(number, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
}

public func setCloseOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

public func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}
