import Glibc
import Platform

/// The system calls that a shared port needs.
enum ShareSocket {
    /// Bytes that the kernel keeps for a client that reads slowly; it doubles them for its own bookkeeping.
    private static let sendBuffer: Int32 = 32 << 10

    /// Listens at an address in numbers; does not block.
    static func listen(_ address: String, _ port: UInt16) throws(RadioShareError) -> Int32 {
        var storage = sockaddr_storage()
        let size = try withUnsafeMutableBytes(of: &storage) { bytes throws(RadioShareError) -> socklen_t in
            // The port lies behind the family in both, the address at 4 in IPv4's and at 8 in IPv6's.
            bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            if inet_pton(AF_INET, address, bytes.baseAddress! + 4) == 1 {
                bytes.storeBytes(of: sa_family_t(AF_INET), as: sa_family_t.self)
                return socklen_t(MemoryLayout<sockaddr_in>.size)
            }
            guard inet_pton(AF_INET6, address, bytes.baseAddress! + 8) == 1 else { throw .notAnAddress(address) }
            bytes.storeBytes(of: sa_family_t(AF_INET6), as: sa_family_t.self)
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        }
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(Int32(storage.ss_family), Int32(flags), 0)
        guard descriptor >= 0 else { throw .cannotListen(address: address, port: port, errno) }
        // A restart must not wait for the last connections (TIME_WAIT).
        set(SO_REUSEADDR, 1, SOL_SOCKET, descriptor)
        if Int32(storage.ss_family) == AF_INET6 {
            // All addresses are those of IPv4 too.
            set(IPV6_V6ONLY, address == "::" ? 0 : 1, Int32(IPPROTO_IPV6), descriptor)
        }
        let isBound = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound, Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            let code = errno
            close(descriptor)
            throw .cannotListen(address: address, port: port, code)
        }
        return descriptor
    }

    /// A socket that listens already becomes one that does not block.
    static func prepare(_ listener: Int32) {
        setNonBlocking(listener)
        setCloseOnExec(listener)
    }

    /// The next connection of a listener; nil: there is none now.
    static func accept(_ listener: Int32) -> (descriptor: Int32, address: String)? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                retrying { Glibc.accept(listener, peer, &size) }
            }
        }
        guard descriptor >= 0 else { return nil }
        setNonBlocking(descriptor)
        setCloseOnExec(descriptor)
        let tcp = Int32(IPPROTO_TCP)
        set(TCP_NODELAY, 1, tcp, descriptor)
        set(SO_SNDBUF, sendBuffer, SOL_SOCKET, descriptor)
        // The kernel finds out that a client has vanished; no timer here does.
        set(SO_KEEPALIVE, 1, SOL_SOCKET, descriptor)
        set(TCP_KEEPIDLE, 60, tcp, descriptor)
        set(TCP_KEEPINTVL, 15, tcp, descriptor)
        set(TCP_KEEPCNT, 4, tcp, descriptor)
        return (descriptor, host(of: storage))
    }

    /// The port that a socket is bound to; 0: it is no socket.
    static func port(of descriptor: Int32) -> UInt16 { port { getsockname(descriptor, $0, $1) } }

    /// The port of the other end; 0: there is none.
    static func peerPort(of descriptor: Int32) -> UInt16 { port { getpeername(descriptor, $0, $1) } }

    private static func port(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &size) }
        }
        guard result == 0 else { return 0 }
        return withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// Reads what is there and throws it away: an unread byte would make a reset of the end (RST).
    ///
    /// - Returns: the other side has ended too.
    static func drain(_ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            // A client that floods even now is reset.
            for _ in 0..<64 {
                let count = retrying {
                    recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                }
                if count > 0 { continue }
                return count == 0 || errno != EAGAIN
            }
            return true
        }
    }

    private static func set(_ option: Int32, _ value: Int32, _ level: Int32, _ descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// In numbers; IPv4 inside IPv6 (::ffff:0:0/96) as IPv4.
    private static func host(of storage: sockaddr_storage) -> String {
        withUnsafeBytes(of: storage) { bytes in
            guard Int32(storage.ss_family) == AF_INET6 else { return text(AF_INET, bytes, 4) }
            let isMapped = bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18] == 0xFF && bytes[19] == 0xFF
            return isMapped ? text(AF_INET, bytes, 20) : text(AF_INET6, bytes, 8)
        }
    }

    private static func text(_ family: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            inet_ntop(family, bytes.baseAddress! + offset, buffer.baseAddress, socklen_t(buffer.count)).map {
                String(cString: $0)
            } ?? ""
        }
    }
}
