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

    var port: UInt16 { listener.port }
    private let listener: LoopbackListener
    private let all = Monitor<[Received]>([])

    var received: [Received] { all.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter answer: writes to the connection, which is closed afterwards.
    init(_ answer: @escaping @Sendable (Received, Int32) -> Void) throws {
        listener = try LoopbackListener { [all] connection in
            // Read here, in their order: what a client has sent that was killed is there before what the next one sends.
            guard let request = Self.read(connection) else { return nil }
            all.notify { $0.append(request) }
            return { answer(request, connection) }
        }
    }

    /// Each request is answered with this status.
    convenience init(status: Int, headers: String = "") throws {
        try self.init { _, connection in say("HTTP/1.1 \(status) X\r\n\(headers)Content-Length: 0\r\n\r\n", connection)
        }
    }

    func wait(for count: Int) -> Bool { all.wait(seconds: 300) { $0.count >= count ? () : nil } != nil }

    private static func read(_ connection: Int32) -> Received? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // In bytes: a body of any bytes may begin with what belongs to the character before it.
            if let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) {
                let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let lines = text.components(separatedBy: "\r\n")
                var request = Received(line: lines[0])
                for line in lines.dropFirst() {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    request.headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                        in: .whitespaces)
                }
                let head = end.upperBound
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
