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

    /// Hands a descriptor over with them (SCM_RIGHTS, unix(7)); waits for room.
    func send(_ bytes: [UInt8], with handed: Int32) -> Bool {
        // cmsghdr, with one descriptor behind it: CMSG_LEN of it, in the space of CMSG_SPACE.
        let header = MemoryLayout<cmsghdr>.size
        var control = [UInt64](repeating: 0, count: (header + MemoryLayout<UInt64>.size) / MemoryLayout<UInt64>.size)
        var bytes = bytes
        let (count, size) = (bytes.count, control.count * MemoryLayout<UInt64>.size)
        return control.withUnsafeMutableBytes { control in
            var head = cmsghdr()
            head.cmsg_len = header + MemoryLayout<Int32>.size
            head.cmsg_level = SOL_SOCKET
            head.cmsg_type = Int32(SCM_RIGHTS)
            control.storeBytes(of: head, as: cmsghdr.self)
            control.storeBytes(of: handed, toByteOffset: header, as: Int32.self)
            return bytes.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = size
                    return retrying { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) } == count
                }
            }
        }
    }
}
