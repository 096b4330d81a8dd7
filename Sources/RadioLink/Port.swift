import CSerialPort
import Glibc
import Platform

/// An open way to a radio: a serial port, a terminal or a socket. Never blocks.
final class Port {
    enum Kind {
        /// libserialport's port, and a second descriptor that holds the lock.
        case serial(OpaquePointer, lock: Int32)
        case terminal
        case socket
    }

    enum ReadResult {
        case bytes(Int)
        case nothing
        /// Unplugged, or closed from the other side.
        case gone
    }

    let descriptor: Int32
    let kind: Kind

    init(descriptor: Int32, kind: Kind) {
        self.descriptor = descriptor
        self.kind = kind
    }

    /// Reads after poll(2) has reported something. 0 bytes then mean that the device is gone: on a serial port that
    /// looks like "nothing yet" otherwise, and libserialport's blocking reads spin on it.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        let count: Int
        switch kind {
        case .serial(let port, _):
            let result = retrying { Int(sp_nonblocking_read(port, buffer.baseAddress, buffer.count).rawValue) }
            count = result
        case .terminal, .socket:
            count = retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
            if count < 0, errno == EAGAIN { return .nothing }
        }
        return count > 0 ? .bytes(count) : .gone
    }

    /// Writes what goes in without waiting.
    ///
    /// - Returns: how many bytes, which can be 0; nil when the other side is gone.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { buffer -> Int? in
            switch kind {
            case .serial(let port, _):
                let count = Int(sp_nonblocking_write(port, buffer.baseAddress, buffer.count).rawValue)
                return count >= 0 ? count : nil
            case .terminal: return accepted(retrying { Glibc.write(descriptor, buffer.baseAddress, buffer.count) })
            case .socket:
                return accepted(
                    retrying { send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL)) })
            }
        }
    }

    private func accepted(_ count: Int) -> Int? {
        if count >= 0 { return count }
        return errno == EAGAIN ? 0 : nil
    }

    /// Lets the last bytes leave, for at most a second.
    ///
    /// - Returns: whether they have left, as far as the kernel can tell.
    func drain() -> Bool {
        if case .socket = kind { return true }
        for _ in 0..<100 {
            var waiting: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0, waiting > 0 else { return true }
            poll(nil, 0, 10)
        }
        return false
    }

    /// - Parameter discardsOutput: gives up what was written and has not left. close(2) would wait up to 30 s for a
    ///   device that takes nothing; on a pseudo terminal this also takes back what the other side has not read.
    func close(discardsOutput: Bool) {
        if case .socket = kind {
            Glibc.close(descriptor)
            return
        }
        if discardsOutput { tcflush(descriptor, TCOFLUSH) }
        // The slave side of a pseudo terminal stays exclusive otherwise.
        _ = ioctl(descriptor, UInt(TIOCNXCL))
        guard case .serial(let port, let lock) = kind else {
            Glibc.close(descriptor)
            return
        }
        sp_close(port)
        sp_free_port(port)
        Glibc.close(lock)
    }
}
