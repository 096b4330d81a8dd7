import Foundation
import Platform
import Synchronization

/// An HTTP server on a free port of 127.0.0.1 that a test has answer as it likes, for as long as it is kept.
final class LoopbackServer: Sendable {
    struct Received: Sendable {
        var line = ""
        var headers: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let port: UInt16
    private let socket: Int32
    private let all = Monitor<[Received]>([])

    var received: [Received] { all.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter answer: writes to the connection, which is closed afterwards.
    init(_ answer: @escaping @Sendable (Received, Int32) -> Void) throws {
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
        _ = Platform.Thread.detach(named: "loopback") { [all] in
            while true {
                let connection = retrying { accept(socket, nil, nil) }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                // Read here, in their order: what a client has sent that was killed is there before what the next one sends.
                guard let request = Self.read(connection) else {
                    Self.end(connection)
                    continue
                }
                all.notify { $0.append(request) }
                _ = Platform.Thread.detach(named: "connection") {
                    answer(request, connection)
                    Self.end(connection)
                }
            }
            // Here alone: closed by others, its number could be that of the next test's listener when this accepts.
            close(socket)
        }
    }

    /// Each request is answered with this status.
    convenience init(status: Int, headers: String = "") throws {
        try self.init { _, connection in say("HTTP/1.1 \(status) X\r\n\(headers)Content-Length: 0\r\n\r\n", connection)
        }
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }

    func wait(for count: Int) -> Bool { all.wait(seconds: 300) { $0.count >= count ? () : nil } != nil }

    /// Also where a program that another test has started at the wrong moment holds it, too.
    private static func end(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
    }

    private static func read(_ connection: Int32) -> Received? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
                var request = Received(line: lines[0])
                for line in lines.dropFirst() {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    request.headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                        in: .whitespaces)
                }
                let head = Array(text[..<end.upperBound].utf8).count
                let length = Int(request.headers["content-length"] ?? "0") ?? 0
                if bytes.count >= head + length {
                    request.body = Array(bytes[head..<head + length])
                    return request
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}

/// Whether the other side took it.
@discardableResult
func say(_ text: String, _ connection: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
}
