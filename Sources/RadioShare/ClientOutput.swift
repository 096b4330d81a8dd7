import Glibc
import Platform

/// What a client has not taken yet. Frames are whole in it, or not at all.
struct ClientOutput {
    /// Bytes; a client that lets more wait is cut.
    static let limit = 64 << 10

    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }
    var all: [UInt8] { Array(bytes[start...]) }

    /// One frame, or several.
    mutating func append(framed: [UInt8]) { bytes.append(contentsOf: framed) }

    /// - Parameter payload: of one frame, at most 512 bytes.
    mutating func append(_ payload: [UInt8]) {
        bytes.append(0x94)
        bytes.append(0xC3)
        bytes.append(UInt8(truncatingIfNeeded: payload.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: payload.count))
        bytes.append(contentsOf: payload)
    }

    enum Progress { case some, none, lost }

    /// Writes what the kernel takes.
    mutating func write(to descriptor: Int32) -> Progress {
        var progress = Progress.none
        while start < bytes.count {
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let count = bytes.withUnsafeBytes { bytes in
                retrying { send(descriptor, bytes.baseAddress! + start, bytes.count - start, flags) }
            }
            guard count > 0 else {
                if count < 0, errno != EAGAIN { progress = .lost }
                break
            }
            start += count
            progress = .some
        }
        tidy()
        return progress
    }

    mutating func removeAll() { (bytes, start) = ([], 0) }

    private mutating func tidy() {
        if isEmpty {
            start = 0
            // A handshake's buffer is not kept by one who then listens for days.
            if bytes.capacity > 4096 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
        } else if start >= 16 << 10 {
            bytes.removeFirst(start)
            start = 0
        }
    }
}
