// Log entries for systemd's journal with their fields apart (systemd.io/JOURNAL_NATIVE_PROTOCOL): one datagram an entry.
//
//     NAME=value\n                                            a value without a line end
//     NAME\n, its length as 64 bits little-endian, value\n    any value
//
// The second form alone is safe for what comes from the mesh: a line end in a value would begin another field.

import Glibc

/// The journal that keeps what this process says.
public final class Journal: Sendable {
    public static let standardPath = "/run/systemd/journal/socket"
    private let socket: DatagramSocket

    /// Bytes of a value. An entry then fits into a datagram, and needs no file to be handed over.
    static let longestValue = 8_192

    /// - Parameter path: of its socket.
    /// - Returns: nil: there is none.
    public init?(path: String = standardPath) {
        guard let socket = DatagramSocket(to: path) else { return nil }
        self.socket = socket
    }

    /// Standard error goes into the journal: what JOURNAL_STREAM names, `device:inode`, is what is open there. A program
    /// that was started by a service, and writes into a file, has inherited the variable (systemd.exec(5)).
    ///
    /// - Parameter stream: JOURNAL_STREAM.
    public static func keepsStandardError(stream: String? = getenv("JOURNAL_STREAM").map { String(cString: $0) })
        -> Bool
    {
        var status = stat()
        guard let stream, fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// One entry.
    ///
    /// - Parameters:
    ///   - priority: syslog's, 0 to 7.
    ///   - fields: each becomes a field, `device` MESH_GATEWAY_DEVICE.
    /// - Returns: false: it was not taken, and should be said otherwise.
    public func write(_ message: String, priority: Int, fields: [(key: String, value: String)]) -> Bool {
        var entry: [UInt8] = []
        Self.append("MESSAGE", message, to: &entry)
        Self.append("PRIORITY", "\(priority)", to: &entry)
        Self.append("SYSLOG_IDENTIFIER", "mesh-gateway", to: &entry)
        for (key, value) in fields.prefix(16) {
            if let name = Self.fieldName(key) { Self.append(name, value, to: &entry) }
        }
        return socket.send(entry)
    }

    private static func append(_ name: String, _ value: String, to entry: inout [UInt8]) {
        var value = Array(value.utf8)
        if value.count > longestValue {
            var end = longestValue
            // Not in the middle of a character.
            while end > 0, value[end] & 0xC0 == 0x80 { end -= 1 }
            value.removeSubrange(end...)
        }
        entry += name.utf8
        entry.append(UInt8(ascii: "\n"))
        for shift in stride(from: 0, to: 64, by: 8) { entry.append(UInt8(truncatingIfNeeded: value.count >> shift)) }
        entry += value
        entry.append(UInt8(ascii: "\n"))
    }

    /// Capitals, digits and underscores, 64 at most.
    private static func fieldName(_ key: String) -> String? {
        let name = key.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return name.isEmpty ? nil : "MESH_GATEWAY_" + String(decoding: name.prefix(50), as: UTF8.self)
    }
}
