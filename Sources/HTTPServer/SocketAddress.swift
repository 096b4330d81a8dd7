import Glibc

/// A socket address of any family, as the system calls want it.
struct SocketAddress {
    private(set) var storage: sockaddr_storage
    private(set) var size: socklen_t

    init(_ storage: sockaddr_storage, _ size: socklen_t) {
        self.storage = storage
        self.size = size
    }

    /// A copy of what getaddrinfo returned.
    init(_ info: addrinfo) {
        storage = sockaddr_storage()
        size = info.ai_addrlen
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
        }
    }

    /// All addresses of this machine (in6addr_any, INADDR_ANY).
    init(allOf family: Int32, port: UInt16) {
        storage = sockaddr_storage()
        storage.ss_family = sa_family_t(family)
        size = socklen_t(
            family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        self.port = port
    }

    /// A Unix socket's path, nil when it does not fit into sun_path with its NUL.
    init?(path: String) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.longestPath else { return nil }
        storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        size = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafeMutableBytes(of: &storage) {
            $0[MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!...].copyBytes(from: bytes)
        }
    }

    /// sun_path has 108 bytes on Linux, one of them for the NUL.
    static let longestPath = 107

    /// The address that a socket is bound to (getsockname), nil when it is no socket.
    init?(boundTo descriptor: Int32) {
        storage = sockaddr_storage()
        size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var length = size
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        size = length
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// The TCP port. sin_port and sin6_port lie at the same place.
    var port: UInt16 {
        get { withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) } }
        set {
            withUnsafeMutableBytes(of: &storage) {
                $0.storeBytes(of: newValue.bigEndian, toByteOffset: 2, as: UInt16.self)
            }
        }
    }

    /// The numeric host, IPv4 inside IPv6 (::ffff:0:0/96) in dotted form; a Unix socket's path.
    var host: String {
        withUnsafeBytes(of: storage) { bytes in
            switch family {
            case AF_INET:
                return Self.text(AF_INET, bytes[4..<8])
            case AF_INET6:
                let address = bytes[8..<24]
                let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[18] == 0xff && address[19] == 0xff
                return isMapped ? Self.text(AF_INET, address.suffix(4)) : Self.text(AF_INET6, address)
            default:
                return String(decoding: bytes[2..<Int(size)].prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    /// "127.0.0.1:8080", "[::1]:8080", "unix:/run/x.sock".
    var description: String {
        switch family {
        case AF_UNIX: "unix:\(host)"
        case AF_INET6: "[\(host)]:\(port)"
        default: "\(host):\(port)"
        }
    }

    /// Calls a system call that wants an address.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    private static func text(_ family: Int32, _ address: Slice<UnsafeRawBufferPointer>) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let octets = UnsafeRawBufferPointer(rebasing: address)
            guard inet_ntop(family, octets.baseAddress, buffer.baseAddress, socklen_t(buffer.count)) != nil else {
                return ""
            }
            return String(cString: buffer.baseAddress!)
        }
    }
}
