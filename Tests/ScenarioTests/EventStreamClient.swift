import Foundation
import Testing

@testable import ServedProgram

extension JSON {
    /// Of an operation of the OpenAPI document: its answer has no end that could be waited for.
    var isStream: Bool { self["responses"]["200"]["content"]["text/event-stream"] != .null }
}

/// One who follows the stream of a running daemon, as a program with a socket does.
final class EventStreamClient: @unchecked Sendable {  // one thread reads; another one may cut it off
    /// One block with data.
    struct Told {
        let kind: String
        let id: String?
        let data: JSON
    }

    private let connection: FileHandle
    private var rest = Data()
    private var isHeadRead = false
    private(set) var head = ""
    private(set) var lastID: String?
    /// Comments without a block of their own.
    private(set) var comments = 0

    /// - Parameters:
    ///   - lastID: where to go on.
    ///   - receiveBuffer: bytes that the kernel keeps for it; nil: as many as it likes.
    init(
        _ client: Client, _ path: String = "/api/v1/events", after lastID: String? = nil, patience: Int = 90,
        receiveBuffer: Int32? = nil
    ) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        connection = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.lastID = lastID
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = client.port.bigEndian
        inet_pton(AF_INET, client.host, &address.sin_addr)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno)!) }
        // Caddy serves nobody who asks for another host.
        var lines = ["GET \(path) HTTP/1.1", "Host: \(client.host):\(client.port)"]
        lines.append("Authorization: Bearer \(client.token ?? "")")
        if let lastID { lines.append("Last-Event-ID: \(lastID)") }
        let request = lines.joined(separator: "\r\n") + "\r\n\r\n"
        guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            throw POSIXError(.init(rawValue: errno)!)
        }
    }

    /// From another thread: who reads comes back.
    func cut() { shutdown(connection.fileDescriptor, Int32(SHUT_RDWR)) }

    /// The next events, at least one; nil: the stream has ended.
    func next() throws -> [Told]? {
        while true {
            let told = try blocks()
            if !told.isEmpty { return told }
            guard read() else { return nil }
        }
    }

    /// False at its end, or when nothing has come for as long as there is patience.
    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection.fileDescriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        rest += buffer[..<count]
        return true
    }

    private var body = Data()

    /// What is whole, out of the chunks of RFC 9112, 7.1.
    private func blocks() throws -> [Told] {
        if !isHeadRead {
            guard let end = rest.range(of: Data("\r\n\r\n".utf8)) else { return [] }
            head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            rest = Data(rest[end.upperBound...])
            isHeadRead = true
        }
        while let line = rest.range(of: Data("\r\n".utf8)) {
            guard let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), size > 0,
                rest[line.upperBound...].count >= size + 2
            else { break }
            body += rest[line.upperBound...].prefix(size)
            rest = Data(rest[line.upperBound...].dropFirst(size + 2))
        }
        var told: [Told] = []
        while let end = body.range(of: Data("\n\n".utf8)) {
            let block = String(decoding: body[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
            body = Data(body[end.upperBound...])
            func field(_ name: String) -> String? {
                block.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
            }
            if block.contains(where: { $0.hasPrefix(":") }) { comments += 1 }
            lastID = field("id") ?? lastID
            guard let data = field("data") else { continue }
            told.append(
                Told(
                    kind: field("event") ?? "message", id: field("id"),
                    data: try JSONDecoder().decode(JSON.self, from: Data(data.utf8))))
        }
        return told
    }
}
