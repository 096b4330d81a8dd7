import Foundation
import Platform

@testable import ServedProgram

/// Between a client and a broker: shows each packet of the client before it goes on.
final class BrokerProxy: Sendable {
    var port: Int { Int(listener.port) }
    private let listener: LoopbackListener

    /// - Parameter passes: given a packet of the client; false ends the connection in its place.
    init(to broker: Int, _ passes: @escaping @Sendable (ArraySlice<UInt8>) -> Bool) throws {
        listener = try LoopbackListener { client in { Self.serve(client, broker, passes) } }
    }

    private static func serve(_ client: Int32, _ port: Int, _ passes: (ArraySlice<UInt8>) -> Bool) {
        let broker = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(broker) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(broker, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return }
        var (bytes, waiting) = ([UInt8](repeating: 0, count: 65_536), [UInt8]())
        while true {
            var ends = [client, broker].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard retrying({ Int(poll(&ends, 2, -1)) }) > 0 else { return }
            if ends[1].revents != 0 {
                let count = retrying { read(broker, &bytes, bytes.count) }
                guard count > 0, send(bytes[..<count], to: client) else { return }
            }
            guard ends[0].revents != 0 else { continue }
            let count = retrying { read(client, &bytes, bytes.count) }
            guard count > 0 else { return }
            waiting += bytes[..<count]
            while let length = packetLength(waiting) {
                guard passes(waiting[..<length]), send(waiting[..<length], to: broker) else { return }
                waiting.removeFirst(length)
            }
        }
    }

    /// Of the first packet, with its header; nil: it is not whole yet.
    private static func packetLength(_ bytes: [UInt8]) -> Int? {
        var (length, shift) = (0, 0)
        for (place, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            let whole = length + place + 2
            return bytes.count >= whole ? whole : nil
        }
        return nil
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var left = bytes
        while !left.isEmpty {
            let count = left.withUnsafeBytes { bytes in
                retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            guard count > 0 else { return false }
            left = left.dropFirst(count)
        }
        return true
    }
}
