import Configuration
import Diagnostics
import Glibc
import Platform
import Systemd

// The sockets of shared ports. They outlive the process: systemd keeps them over a restart, so that nobody who connects
// meanwhile is turned away. The official library gives up for good where a port is away for some seconds.

extension ShareSetting {
    /// What systemd knows the socket as. What is allowed there does not change it: a restart with another right has the same
    /// socket.
    var socketName: String {
        // No colons there (sd_notify(3)); an IPv6 address stays one of its kind.
        HandedSocket.shareNames + String(place.map { $0 == ":" ? "_" : $0 })
    }

    /// "127.0.0.1:4403", "*:4403".
    var place: String { "\(description.prefix { $0 != "/" })" }
}

extension HandedSocket {
    fileprivate static let shareNames = "mesh-gateway-share-"

    /// It was kept by an earlier process for a `share`.
    var isOfShare: Bool { name.hasPrefix(Self.shareNames) }
}

/// A TCP socket that listens where the setting says.
///
/// - Throws: the error number of the call that failed.
func shareSocket(_ setting: ShareSetting) throws(SocketFailure) -> Int32 {
    guard setting.address.isEmpty else { return try bound(setting.address, setting.port) }
    do throws(SocketFailure) {
        return try bound("::", setting.port)
    } catch  where error.number == EAFNOSUPPORT || error.number == EADDRNOTAVAIL {
        // A kernel without IPv6.
        return try bound("0.0.0.0", setting.port)
    }
}

/// Of a system call.
struct SocketFailure: Error {
    /// errno.
    let number: Int32
}

/// `::` takes IPv4 clients as well.
private func bound(_ address: String, _ port: UInt16) throws(SocketFailure) -> Int32 {
    let isIPv6 = address.contains(":")
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw SocketFailure(number: errno) }
    func set(_ option: Int32, _ level: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    // Restarting must not wait for the last connections' TIME_WAIT.
    set(SO_REUSEADDR, SOL_SOCKET, 1)
    if isIPv6 { set(IPV6_V6ONLY, Int32(IPPROTO_IPV6), address == "::" ? 0 : 1) }
    guard bind(descriptor, address, port) == 0, listen(descriptor, SOMAXCONN) == 0 else {
        defer { close(descriptor) }
        throw SocketFailure(number: errno)
    }
    return descriptor
}

/// bind(2) to an address in numbers.
private func bind(_ descriptor: Int32, _ address: String, _ port: UInt16) -> Int32 {
    func bind<Address>(_ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
    guard address.contains(":") else {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &place.sin_addr)
        return bind(&place)
    }
    var place = sockaddr_in6()
    place.sin6_family = sa_family_t(AF_INET6)
    place.sin6_port = port.bigEndian
    inet_pton(AF_INET6, address, &place.sin6_addr)
    return bind(&place)
}

/// A kept descriptor that can be shared: a TCP socket that listens (SO_ACCEPTCONN, tcp(7)).
func isListening(_ descriptor: Int32) -> Bool {
    var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value == 1
}

/// Why nobody can connect, and what to do.
func shareProblem(_ setting: ShareSetting, _ failure: SocketFailure) -> String {
    let place = setting.place
    switch failure.number {
    case EADDRINUSE:
        let elsewhere = "or share on another port. It is tried again and again."
        guard case .process(let process) = Host().listener(onTCPPort: setting.port) else {
            return "The radio is not shared on \(place), because another program has the port; stop that one "
                + "(sudo ss -ltnp shows it), \(elsewhere)"
        }
        return
            "The radio is not shared on \(place), because \(process.name) (process \(process.id)) has the port; stop "
            + "that one (\(Host().commandToStop(process.id))), \(elsewhere)"
    case EADDRNOTAVAIL:
        return "The radio is not shared on \(place), because this computer does not have this address now. It is tried "
            + "again and again."
    case EACCES:
        return "The radio is not shared on \(place), because ports below 1024 are not for the gateway's user; share it "
            + "on port 4403."
    case let number:
        return "The radio is not shared on \(place): \(systemMessage(number)). It is tried again and again."
    }
}
