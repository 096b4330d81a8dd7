import Glibc

/// An IP address and whose it is.
struct NetworkAddress: Hashable, Sendable {
    /// 16 bytes; IPv4 as ::ffff:a.b.c.d.
    let bytes: [UInt8]

    /// Why nothing is sent there unless a target says `allow-local`.
    enum Place: Hashable, Sendable {
        /// This machine, by whatever address.
        case thisHost
        /// The local link: 169.254.0.0/16, where clouds keep their machines' keys, and fe80::/10.
        case linkLocal
        /// Many machines, or none.
        case nowhere
    }

    init(ipv4: [UInt8]) { bytes = Self.mapped + ipv4 }

    init(ipv6: [UInt8]) { bytes = ipv6 }

    /// nil for other families.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self.init(ipv4: withUnsafeBytes(of: address.sin_addr) { Array($0) })
        case AF_INET6:
            let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self.init(ipv6: withUnsafeBytes(of: address.sin6_addr) { Array($0) })
        default: return nil
        }
    }

    /// An address as it may stand in a URL: 192.0.2.7, [2001:db8::7]; nil for names, which have to be looked up.
    init?(text: String) {
        var octets = [UInt8](repeating: 0, count: 16)
        if text.hasPrefix("["), text.hasSuffix("]") {
            guard inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &octets) == 1 else { return nil }
            self.init(ipv6: octets)
        } else {
            // Also the forms that getaddrinfo(3) takes, such as 127.1 and 0x7f000001.
            var address = in_addr()
            guard inet_aton(text, &address) != 0 else { return nil }
            self.init(ipv4: withUnsafeBytes(of: address) { Array($0) })
        }
    }

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// As curl takes it: 192.0.2.7, [2001:db8::7].
    var text: String {
        let octets = isIPv4 ? Array(bytes[12...]) : bytes
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, octets, &text, socklen_t(text.count)) != nil else { return "" }
        let address = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        return isIPv4 ? address : "[\(address)]"
    }

    /// The IPv4 addresses that it may stand for: mapped (RFC 4291), NAT64 (RFC 6052 and 8215), translated (RFC 2765), Teredo
    /// (RFC 4380), 6to4 (RFC 3056), or the old compatible form. None: it is an address of its own.
    private var meant: [[UInt8]] {
        let last = Array(bytes[12...])
        if isIPv4 || Self.translated.contains(where: { bytes.starts(with: $0) }) { return [last] }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 1]) { return Self.localNAT64(bytes) }
        if bytes.starts(with: [0x20, 0x01, 0, 0]) { return [last.map { ~$0 }] }
        if bytes.starts(with: [0x20, 0x02]) { return [Array(bytes[2..<6])] }
        // Not :: and ::1, which are addresses of their own.
        if bytes.starts(with: [UInt8](repeating: 0, count: 12)), bytes[12...14].contains(where: { $0 != 0 }) {
            return [last]
        }
        return []
    }

    /// 64:ff9b::/96 and ::ffff:0:0:0/96.
    private static let translated: [[UInt8]] = [
        [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0],
    ]

    /// In 64:ff9b:1::/48 a network chooses its own prefix, so either position counts: the end, or around the byte that RFC 6052
    /// keeps free. Where nothing is written, nothing is meant.
    private static func localNAT64(_ bytes: [UInt8]) -> [[UInt8]] {
        let positions = [Array(bytes[12...]), [bytes[6], bytes[7], bytes[9], bytes[10]]]
        let written = positions.filter { $0[0] != 0 }
        return written.isEmpty ? [positions[0]] : written
    }

    /// - Parameter isOwn: whether an address is one of this machine's links.
    /// - Returns: nil if it is another machine's.
    func place(isOwn: (NetworkAddress) -> Bool = { $0.isOfThisHost }) -> Place? {
        let meant = meant
        guard !meant.isEmpty else {
            if bytes.prefix(15).allSatisfy({ $0 == 0 }) { return .thisHost }
            if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 { return .linkLocal }
            if bytes[0] == 0xFF { return .nowhere }
            return isOwn(self) ? .thisHost : nil
        }
        for octets in meant { if let place = place(of: octets, isOwn) { return place } }
        return nil
    }

    /// Whether the whole internet can reach it, as far as the address says: it is none of the special ones (IANA's registries of
    /// special-purpose addresses), also as what it stands for, and none of this machine's.
    var isPublic: Bool {
        guard place() == nil else { return false }
        let meant = meant
        if !meant.isEmpty { return !meant.contains(where: Self.isSpecial) }
        // Only 2000::/3 is given out, and of it not 2001::/23 (protocols), 2001:db8::/32 and 3fff::/20 (examples).
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        let isOfProtocols = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] & 0xFE == 0
        let isExample = bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) || bytes.starts(with: [0x3F, 0xFF])
        return !isOfProtocols && !isExample
    }

    private static func isSpecial(_ octets: [UInt8]) -> Bool {
        switch (octets[0], octets[1]) {
        case (0, _), (10, _), (127, _), (224..., _): true
        case (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19): true
        case (192, 0) where octets[2] == 0 || octets[2] == 2: true
        case (192, 88) where octets[2] == 99: true
        case (198, 51) where octets[2] == 100: true
        case (203, 0) where octets[2] == 113: true
        default: false
        }
    }

    private func place(of octets: [UInt8], _ isOwn: (NetworkAddress) -> Bool) -> Place? {
        switch octets[0] {
        case 0, 127: .thisHost
        case 169 where octets[1] == 254: .linkLocal
        case 224...255: .nowhere
        default: isOwn(self) || isOwn(NetworkAddress(ipv4: octets)) ? .thisHost : nil
        }
    }

    /// Whether a socket can be bound to it. getifaddrs(3) would need AF_NETLINK, which the service's unit forbids.
    var isOfThisHost: Bool {
        let family = isIPv4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Without IPv6 nothing can be sent there; after other errors it counts as ours, so nothing is sent.
        guard descriptor >= 0 else { return errno != EAFNOSUPPORT }
        defer { close(descriptor) }
        if isIPv4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes[12...]) }
            return Self.binds(descriptor, &address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
        return Self.binds(descriptor, &address)
    }

    private static func binds<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
