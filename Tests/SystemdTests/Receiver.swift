import Foundation
import Testing

/// A datagram socket as systemd and its journal have one.
final class Receiver {
    let name: String
    private let descriptor: Int32

    /// - Parameter isAbstract: in the abstract namespace, not in a folder.
    init(isAbstract: Bool = false) throws {
        let name = "/tmp/receiver-\(UUID().uuidString)"
        self.name = isAbstract ? "@" + name.dropFirst() : name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(self.name.utf8)
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(result == 0, "\(self.name): \(errno)")
    }

    deinit {
        // A program that another test starts at this moment has the descriptor until its exec, and would keep it open.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        unlink(name)
    }

    /// The next datagram; nil: there is none.
    var next: Data? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Data(buffer[..<count])
    }

    /// The next datagram with the descriptor that came with it.
    var nextWithDescriptor: (text: String, descriptor: Int32)? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var control = [UInt64](repeating: 0, count: 8)
        let size = control.count * 8
        let count = control.withUnsafeMutableBytes { control in
            buffer.withUnsafeMutableBytes { buffer in
                var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = size
                    return recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
                }
            }
        }
        // cmsghdr: 8 bytes of length, 4 of level, 4 of type; then the descriptor.
        guard count >= 0, control[0] == 20 else { return nil }
        return (String(decoding: buffer[..<count], as: UTF8.self), Int32(truncatingIfNeeded: control[2]))
    }

    var nextText: String? { next.map { String(decoding: $0, as: UTF8.self) } }
}
