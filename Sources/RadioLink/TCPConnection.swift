import Glibc
import MeshModel
import Platform
import Synchronization

/// Looks a host up without blocking the link's thread, and so neither its stop.
final class HostLookup: Sendable {
    struct Address: Sendable {
        var family: Int32
        var bytes: [UInt8]
    }

    /// Nil while the search runs.
    private let found = Mutex<Result<[Address], LookupFailure>?>(nil)

    struct LookupFailure: Error { var reason: String }

    /// Starts a thread of its own: getaddrinfo(3) may take as long as the name servers like. It is not waited for.
    ///
    /// - Parameter ready: called on that thread.
    init(host: String, port: UInt16, ready: @escaping @Sendable () -> Void) {
        Thread.detach(named: "radio-lookup") { [self] in
            let result = Self.addresses(of: host, port)
            found.withLock { $0 = result }
            ready()
        }
    }

    var result: Result<[Address], LookupFailure>? { found.withLock { $0 } }

    private static func addresses(of host: String, _ port: UInt16) -> Result<[Address], LookupFailure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let error = getaddrinfo(host, String(port), &hints, &list)
        guard error == 0 else { return .failure(LookupFailure(reason: String(cString: gai_strerror(error)))) }
        defer { freeaddrinfo(list) }
        var addresses: [Address] = []
        var next = list
        while let entry = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            addresses.append(Address(family: entry.ai_family, bytes: Array(bytes)))
            next = entry.ai_next
        }
        return .success(addresses)
    }
}

/// Begins to connect; poll(2) says POLLOUT when it is decided.
///
/// - Returns: the descriptor, or the error number.
func beginConnecting(to address: HostLookup.Address) -> Result<Int32, SystemError> {
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | SOCK_FLAGS, 0)
    guard descriptor >= 0 else { return .failure(SystemError(number: errno)) }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // A radio that loses its power sends no end of connection.
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    var (idle, interval, count): (Int32, Int32, Int32) = (60, 15, 4)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, &idle, size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, &interval, size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, &count, size)
    let result = address.bytes.withUnsafeBytes {
        connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
        let error = SystemError(number: errno)
        close(descriptor)
        return .failure(error)
    }
    return .success(descriptor)
}

/// How a connection that was begun has ended, getsockopt(SO_ERROR); 0: connected.
func connectionError(_ descriptor: Int32) -> Int32 {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
}

struct SystemError: Error, Equatable { var number: Int32 }

private let SOCK_FLAGS = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
