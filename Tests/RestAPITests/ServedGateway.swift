import Glibc
import HTTPServer
import Routes
import Testing

@testable import RestAPI

/// The API behind a real server on a free port, and the bytes that come back from it.
final class ServedGateway: Sendable {
    let test: TestGateway
    private let server: HTTPServer
    let port: UInt16

    convenience init() throws {
        let test = try TestGateway()
        try self.init(test, test.api)
    }

    init(_ test: TestGateway, _ api: RestAPI) throws {
        self.test = test
        server = try HTTPServer(
            listeners: [.tcp(host: "127.0.0.1", port: 0)], rules: api.clientRules, handler: { api.respond($0) },
            refused: { api.refused($0) })
        try server.start()
        port = try #require(server.addresses.first?.split(separator: ":").last.flatMap { UInt16($0) })
    }

    deinit { server.stop() }

    /// Sends a request, with a Host and the end of the connection announced, and returns what came.
    func ask(_ line: String, headers: [String] = [], body: String = "") throws -> RawAnswer {
        let head = [line + " HTTP/1.1", "Host: test", "Connection: close"] + headers
        return try exchange(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    var bearer: String { "Authorization: Bearer " + test.token.text }

    /// Writes bytes and reads until the server closes; a minute without a byte ends it.
    ///
    /// - Parameter pause: called when so many bytes have been sent.
    func exchange(_ request: String, pauseAfter size: Int = 0, _ pause: () throws -> Void = {}) throws -> RawAnswer {
        let descriptor = try connected(to: port)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(request.utf8)
        for part in [bytes.prefix(size), bytes.dropFirst(size)] {
            var rest = part
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                // A server that refuses a body may close before all of it is written.
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            if part.endIndex == size, size > 0 { try pause() }
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        return RawAnswer(text: String(decoding: received, as: UTF8.self))
    }
}

/// One answer as it came over the wire.
struct RawAnswer {
    let text: String

    var status: Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }

    private var parts: (head: Substring, body: Substring) {
        var index = text.startIndex
        while index < text.endIndex {
            // A grapheme of its own: CR LF.
            if text[index...].hasPrefix("\r\n\r\n") {
                return (text[..<index], text[text.index(index, offsetBy: 2)...])
            }
            index = text.index(after: index)
        }
        return (text[...], "")
    }

    var body: String { String(parts.body) }

    func header(_ name: String) -> String? {
        for line in parts.head.split(separator: "\r\n") {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2, pair[0].lowercased() == name.lowercased() { return pair[1].trimmed }
        }
        return nil
    }
}

/// A socket that is connected to a port of this machine.
func connected(to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    if status != 0 { close(descriptor) }
    try #require(status == 0)
    return descriptor
}
