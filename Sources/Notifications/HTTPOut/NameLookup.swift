import Glibc
import Platform

// getaddrinfo(3) can take any time. So it runs on a thread of its own, which ends when it has an answer, even if nobody waits any
// longer.

enum NameLookup {
    /// The addresses of a host, at most eight, IPv6 and IPv4 as the system sorts them; nil if it took too long or was cancelled.
    ///
    /// - Parameters:
    ///   - host: a name, or an address in any form; IPv6 in square brackets.
    ///   - deadline: monotonic nanoseconds.
    ///   - cancelled: a descriptor; when it is readable, the wait ends.
    static func addresses(of host: String, until deadline: UInt64, cancelled: Int32? = nil) -> [NetworkAddress]? {
        guard let isThere = WakeEvent() else { return nil }
        let answer = Monitor<[NetworkAddress]?>(nil)
        let isRunning = Thread.detach(named: "lookup") {
            let found = lookedUp(host)
            answer.withLock { $0 = found }
            isThere.signal()
        }
        guard isRunning else { return nil }
        // poll(2) ignores descriptors below 0.
        isThere.wait(until: deadline, orReadable: cancelled ?? -1)
        return answer.withLock { $0 }
    }

    private static func lookedUp(_ host: String) -> [NetworkAddress] {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [NetworkAddress] = []
        for entry in sequence(first: first, next: { $0?.pointee.ai_next }) {
            guard let address = entry?.pointee.ai_addr, let one = NetworkAddress(UnsafePointer(address)),
                !found.contains(one)
            else { continue }
            found.append(one)
        }
        return Array(found.prefix(8))
    }
}
