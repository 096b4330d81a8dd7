import Glibc

/// An address by which others in the local network reach this host: the first IPv4 address of a link that is up, other than
/// the loopback; nil: there is none.
public func hostAddress() -> String? {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return nil }
    defer { freeifaddrs(first) }
    for link in sequence(first: first, next: { $0?.pointee.ifa_next }) {
        guard let link = link?.pointee, let address = link.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
            link.ifa_flags & UInt32(IFF_UP) != 0, link.ifa_flags & UInt32(IFF_LOOPBACK) == 0
        else { continue }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { continue }
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
    return nil
}
