import Glibc

/// Where a server listens.
public enum Listener: Sendable, Equatable {
    /// A TCP port. The host is an address, a name (each of its addresses is taken) or, for all addresses of IPv4 and
    /// IPv6, empty or "*". Port 0 lets the kernel choose.
    case tcp(host: String, port: UInt16)
    /// A Unix socket with these permission bits and, if given, this group, for commands of this machine: its peers are
    /// ``Peer/local(user:group:process:)``.
    case local(path: String, mode: UInt16, group: UInt32?)
    /// The same for clients as on the network, and for proxies: its peers are ``Peer/unix``.
    case unix(path: String, mode: UInt16, group: UInt32?)
    /// A listening stream socket from outside, such as systemd's socket activation hands over: as `tcp` or `unix`, never
    /// as `local`. It is the server's from then on and closed by it; a file of it stays.
    ///
    /// - Parameter name: what it is called in errors.
    case inherited(descriptor: Int32, name: String = "socket")
}

/// Whose a socket is.
enum Audience: Sendable {
    /// Clients on the network; only these are spoken to in TLS.
    case network
    /// The same over a Unix socket.
    case unix
    /// Commands of this machine.
    case local
}
