import Glibc
import Platform
import Search

/// Speaks to the running daemon over its Unix socket: the REST API's routes and the local ones, no token needed.
struct LocalClient {
    let path: String
    /// Seconds that a request or an answer may take.
    var patience = 10

    struct Answer {
        var status: Int
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    enum NoAnswer: Error {
        /// Nobody listens there.
        case notRunning
        case noPermission
        case broken(String)
    }

    /// One request, one answer.
    func request(_ method: String, _ target: String, body: String? = nil) throws(NoAnswer) -> Answer {
        let descriptor = try asked(method, target, body: body)
        defer { close(descriptor) }
        return try parse(receiveAll(from: descriptor))
    }

    /// A connection over which the request has gone, and the answer will come.
    func asked(_ method: String, _ target: String, body: String? = nil) throws(NoAnswer) -> Int32 {
        let descriptor = try connected()
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        do throws(NoAnswer) {
            try send(Array((head + "\r\n" + (body ?? "")).utf8), to: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    func connected() throws(NoAnswer) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .broken(systemMessage(errno)) }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        let result =
            !fits
            ? -1
            : withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        if result == 0 { return descriptor }
        let number = errno
        close(descriptor)
        throw number == EACCES || number == EPERM ? .noPermission : .notRunning
    }

    private func send(_ bytes: [UInt8], to descriptor: Int32) throws(NoAnswer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            guard count > 0 else { throw .broken("the daemon closed the connection; try once more") }
            rest = rest.dropFirst(count)
        }
    }

    /// - Parameter received: what has come already.
    func receiveAll(from descriptor: Int32, behind received: [UInt8] = []) throws(NoAnswer) -> [UInt8] {
        var received = received
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = retrying { recv(descriptor, &buffer, buffer.count, 0) }
            guard count >= 0 else {
                throw .broken(
                    "the daemon does not answer (\(systemMessage(errno))); restart it: systemctl restart mesh-gateway")
            }
            if count == 0 { return received }
            received += buffer[..<count]
        }
    }

    /// The daemon closes after its answer and, with a known length, does not use chunks here.
    func parse(_ bytes: [UInt8]) throws(NoAnswer) -> Answer {
        let separator = Array("\r\n\r\n".utf8)
        guard let end = bytes.firstRange(of: separator) else {
            throw .broken("the answer of the daemon is incomplete; restart it: systemctl restart mesh-gateway")
        }
        let words = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw .broken("what listens on \(path) is not mesh-gateway; name the right socket with --socket PATH")
        }
        return Answer(status: status, body: Array(bytes[end.upperBound...]))
    }
}

extension LocalClient {
    /// ``request(_:_:body:)`` with its problems said in a sentence.
    func answer(_ method: String, _ target: String, body: String? = nil) throws -> Answer {
        try said { () throws(NoAnswer) in try request(method, target, body: body) }
    }

    /// What goes wrong is said in a sentence.
    func said<Result>(_ work: () throws(NoAnswer) -> Result) throws -> Result {
        do throws(NoAnswer) {
            return try work()
        } catch {
            switch error {
            case .notRunning: throw failure("the daemon has just stopped.", .unavailable)
            case .noPermission: throw failure("no permission to speak to the daemon at \(path).", .noPermission)
            case .broken(let reason): throw failure("the daemon at \(path) cannot be asked: \(reason).", .unavailable)
            }
        }
    }
}
