import Glibc

/// Where a server listens.
public enum Listener: Sendable, Equatable {
    /// A TCP port. The host is an address, a name (each of its addresses is taken) or, for all addresses of IPv4 and
    /// IPv6, empty or "*". Port 0 lets the kernel choose.
    case tcp(host: String, port: UInt16)
    /// A Unix socket with these permission bits and, if given, this group.
    case unix(path: String, mode: UInt16, group: UInt32?)
    /// A listening socket from outside, such as systemd's socket activation hands over. It is the server's from then
    /// on and closed by it.
    case inherited(descriptor: Int32)
}
