import CShims
import Glibc

/// Who sent a request.
public enum Peer: Sendable, Hashable {
    /// A client on the network; `address` is numeric, IPv4 in dotted form also when it came in over an IPv6 socket.
    case tcp(address: String)
    /// A client on a Unix socket that stands for the network: a proxy, or the users that its mode lets in. Which user
    /// it is says nothing about what it may do, and so is not told.
    case unix
    /// A process of this machine on the local socket: user, group and process id as the kernel vouches for them
    /// (SO_PEERCRED, taken when the client connected).
    case local(user: UInt32, group: UInt32, process: Int32)

    /// The peer of a socket that was accepted for this audience (getpeername, SO_PEERCRED).
    init(descriptor: Int32, of audience: Audience) {
        switch audience {
        case .network: self = .tcp(address: Self.address(descriptor))
        case .unix: self = .unix
        case .local:
            // nobody (65534) when the kernel does not say: never mistaken for root.
            var (user, group, process): (uid_t, gid_t, pid_t) = (65534, 65534, 0)
            _ = mg_peer_credentials(descriptor, &user, &group, &process)
            self = .local(user: user, group: group, process: process)
        }
    }

    /// Empty when the connection is gone already.
    private static func address(_ descriptor: Int32) -> String {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        return result == 0 ? SocketAddress(storage, size).host : ""
    }
}
