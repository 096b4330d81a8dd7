import Foundation
import Platform

@testable import ServedProgram

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

    var port: UInt16 { listener.port }
    private let listener: LoopbackListener

    /// - Parameter serve: called for each connection on a thread of its own; the connection is closed when it returns.
    init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
        listener = try LoopbackListener { descriptor in
            {
                var bytes = [UInt8](repeating: 0, count: 4_096)
                let count = retrying { read(descriptor, &bytes, bytes.count) }
                if count > 0 { serve(Connection(hello: Array(bytes[..<count]), descriptor: descriptor)) }
            }
        }
    }
}
