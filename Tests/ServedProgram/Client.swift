import Foundation
import Testing

/// One answer as it came over the wire.
struct Answer {
    let status: Int
    /// With names in lower case.
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSON { get throws { try JSONDecoder().decode(JSON.self, from: body) } }
    /// The payload of the API's envelope.
    var data: JSON { get throws { try json["data"] } }
}

/// The server closed the connection instead.
struct NoAnswer: Error {}

/// Asks one server as curl does: a connection a request.
struct Client {
    let host: String
    let port: UInt16
    var token: String?

    func get(_ path: String, _ headers: [String] = []) throws -> Answer { try request("GET", path, headers) }

    /// Posts JSON.
    func post(_ path: String, _ body: JSON) throws -> Answer {
        let text = try JSONEncoder().encode(body)
        return try request("POST", path, ["Content-Type: application/json"], body: text)
    }

    func request(_ method: String, _ path: String, _ headers: [String] = [], body: Data? = nil) throws -> Answer {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host):\(port)", "Connection: close"] + headers
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let body { lines.append("Content-Length: \(body.count)") }
        return try parse(exchange(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? Data())))
    }

    private func exchange(_ request: Data) throws -> Data {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let connection = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? connection.close() }
        var limit = timeval(tv_sec: Int(Program.patience), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno)!) }
        // Requests fit into the socket's buffer; a server may refuse one before it has read all.
        let sent = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent == request.count else { throw POSIXError(.init(rawValue: errno)!) }
        return try connection.readToEnd() ?? Data()
    }

    private func parse(_ bytes: Data) throws -> Answer {
        // Not a requirement: a test may have killed the server.
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { throw NoAnswer() }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let rest = bytes[end.upperBound...]
        let isChunked = headers["transfer-encoding"] == "chunked"
        return Answer(status: status, headers: headers, body: isChunked ? try joined(rest) : Data(rest))
    }

    /// The chunks of RFC 9112, section 7.1, put together; one that is cut off is an error.
    private func joined(_ bytes: Data) throws -> Data {
        var rest = bytes
        var body = Data()
        while true {
            let line = try #require(rest.range(of: Data("\r\n".utf8)), "the answer is cut off")
            let size = try #require(Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16))
            if size == 0 { return body }
            rest = rest[line.upperBound...]
            try #require(rest.count >= size + 2, "the answer is cut off")
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
    }
}

/// A JSON value that tells 1 from true.
enum JSON: Codable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// A member; null where there is none.
    subscript(_ key: String) -> JSON { if case .object(let members) = self { members[key] ?? .null } else { .null } }
    var rows: [JSON] { if case .array(let rows) = self { rows } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int? { if case .integer(let number) = self { number } else { nil } }
}

extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByDictionaryLiteral
{
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(stringLiteral value: String) { self = .string(value) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}
