import CShims
import Glibc

/// Who sent a request.
public enum Peer: Sendable, Hashable {
    /// A client on the network; `address` is numeric, IPv4 in dotted form also when it came in over an IPv6 socket.
    case tcp(address: String)
    /// A process of this machine on a Unix socket: user, group and process id as the kernel vouches for them
    /// (SO_PEERCRED, taken when the client connected).
    case local(user: UInt32, group: UInt32, process: Int32)

    /// The peer of a connected socket (getpeername, SO_PEERCRED).
    init(descriptor: Int32) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        if result == 0, storage.ss_family != sa_family_t(AF_UNIX) {
            self = .tcp(address: SocketAddress(storage, size).host)
            return
        }
        // nobody (65534) when the kernel does not say: never mistaken for root.
        var user: uid_t = 65534
        var group: gid_t = 65534
        var process: pid_t = 0
        if storage.ss_family == sa_family_t(AF_UNIX) {
            _ = mg_peer_credentials(descriptor, &user, &group, &process)
            self = .local(user: user, group: group, process: process)
        } else {
            self = .tcp(address: "")
        }
    }
}
