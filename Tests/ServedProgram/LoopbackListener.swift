import Foundation
import Platform

/// A listener on a free port of 127.0.0.1, for as long as it is kept.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let socket: Int32

    /// - Parameter take: called for each connection, one after the other. What it returns runs on a thread of its own, and the
    ///   connection is closed afterwards; nil: it is closed at once.
    init(_ take: @escaping @Sendable (Int32) -> (@Sendable () -> Void)?) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(socket, address, size) == 0, listen(socket, 64) == 0,
                    getsockname(socket, address, &size) == 0
                else { return nil }
                return UnsafeRawPointer(address).load(as: sockaddr_in.self).sin_port.bigEndian
            }
        }
        guard let port else { throw POSIXError(.EADDRINUSE) }
        self.port = port
        _ = Platform.Thread.detach(named: "loopback") {
            while true {
                let connection = retrying { accept(socket, nil, nil) }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                guard let serve = take(connection) else {
                    Self.end(connection)
                    continue
                }
                _ = Platform.Thread.detach(named: "connection") {
                    serve()
                    Self.end(connection)
                }
            }
            // Here alone: closed by others, its number could be that of the next test's listener when this accepts.
            close(socket)
        }
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Also where a program that another test has started at the wrong moment holds it, too.
    private static func end(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
    }
}
