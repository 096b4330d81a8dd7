import Foundation
import Platform

/// A listener on the loopback that takes a client's first packet and then does with each connection what a test says.
final class ScriptedBroker: Sendable {
    struct Connection {
        /// The client's first packet.
        let hello: [UInt8]
        fileprivate let descriptor: Int32

        /// - Returns: false once the client has gone.
        func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { bytes in
                    retrying {
                        Glibc.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                    }
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// Waits for some bytes.
        ///
        /// - Returns: false once the client has gone.
        func receives() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            return retrying { read(descriptor, &bytes, bytes.count) } > 0
        }
    }

    let port: UInt16
    private let listener: Int32

    /// - Parameter serve: called for each connection on a thread of its own; the connection is closed when it returns.
    init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(listener, address, size) == 0, listen(listener, 8) == 0,
                    getsockname(listener, address, &size) == 0
                else { return nil }
                return UnsafeRawPointer(address).load(as: sockaddr_in.self).sin_port.bigEndian
            }
        }
        guard let port else { throw POSIXError(.EADDRINUSE) }
        self.port = port
        _ = Platform.Thread.detach(named: "broker") {
            while true {
                let descriptor = retrying { accept(listener, nil, nil) }
                guard descriptor >= 0 else { break }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                _ = Platform.Thread.detach(named: "connection") {
                    var bytes = [UInt8](repeating: 0, count: 4_096)
                    let count = retrying { read(descriptor, &bytes, bytes.count) }
                    if count > 0 { serve(Connection(hello: Array(bytes[..<count]), descriptor: descriptor)) }
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
