import Glibc

/// The program at the other end of a TCP connection within this computer, as far as /proc tells the asking user: root sees
/// all, others their own.
public enum SocketOwner {
    /// - Parameters:
    ///   - port: the program's own port.
    ///   - other: the port that it is connected to.
    /// - Returns: the name of its program; nil: nobody we may look at has this connection.
    public static func program(withPort port: UInt16, connectedTo other: UInt16) -> String? {
        // Not lazily: that asks twice, and the connection may be gone the second time.
        guard let socket = inode(port, other, in: "/proc/net/tcp") ?? inode(port, other, in: "/proc/net/tcp6") else {
            return nil
        }
        let wanted = "socket:[\(socket)]"
        for process in names(in: "/proc") ?? [] where Int32(process) != nil {
            let folder = "/proc/\(process)/fd"
            let hasIt = (names(in: folder) ?? []).contains { linkTarget("\(folder)/\($0)") == wanted }
            if hasIt, let name = contents(of: "/proc/\(process)/comm") { return String(name.prefix { $0 != "\n" }) }
        }
        return nil
    }

    /// A line of a table is: number, own address and port, the other's, state, and seven columns on, the inode. Addresses
    /// and ports are hexadecimal.
    private static func inode(_ port: UInt16, _ other: UInt16, in table: String) -> Substring? {
        for line in (contents(of: table) ?? "").split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count > 9, self.port(columns[1]) == port, self.port(columns[2]) == other else { continue }
            return columns[9]
        }
        return nil
    }

    private static func port(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
}
