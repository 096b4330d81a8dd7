import Glibc
import Platform

/// A Unix datagram socket that speaks to one receiver.
final class DatagramSocket: Sendable {
    private let descriptor: Int32

    /// - Parameter name: a path, or "@name" for one in the abstract namespace (unix(7)).
    /// - Returns: nil when nobody receives there, or the name is none.
    init?(to name: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard isAbstract || bytes.first == UInt8(ascii: "/"),
            bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return nil }
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count + (isAbstract ? 0 : 1)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(size)) }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Waits at most so long for room in the receiver's queue (SO_SNDTIMEO) when ``send(_:waits:)`` is to wait.
    func limitWaiting(toSeconds seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// - Returns: false: it was not taken.
    @discardableResult
    func send(_ bytes: [UInt8], waits: Bool = false) -> Bool {
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        return retrying { Glibc.send(descriptor, bytes, bytes.count, flags) } == bytes.count
    }
}
