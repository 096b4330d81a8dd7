import CGnuTLS
import Glibc
import HTTPServer
import Synchronization
import Testing

/// A started server on a free port of 127.0.0.1; stopped when it goes.
final class TestServer: Sendable {
    let server: HTTPServer
    let transport: Transport

    init(
        over transport: Transport = .plain, listeners: [Listener] = [.tcp(host: "127.0.0.1", port: 0)],
        limits: Limits = Limits(), rules: ClientRules = ClientRules(),
        handler: @escaping @Sendable (Request) -> Response = echo,
        unread: @escaping @Sendable (Peer, Int) -> Void = { _, _ in }
    ) throws {
        self.transport = transport
        let certificate = transport == .tls ? try testCertificate.get() : nil
        server = try HTTPServer(
            listeners: listeners, certificate: certificate, limits: limits, rules: rules, handler: handler,
            unread: unread)
        try server.start()
    }

    deinit { server.stop() }

    var port: UInt16 { UInt16(server.addresses[0].split(separator: ":").last!)! }

    func client(from source: String? = nil) throws -> RawClient {
        switch transport {
        case .tls where source == nil: try RawClient(tlsPort: port)
        default: try RawClient(host: "127.0.0.1", port: port, source: source, over: transport)
        }
    }

    /// One that reads as over Ethernet: loopback's own segments of 64 kB let the kernel take whole answers.
    func narrowClient(from source: String, receiveBuffer: Int32 = 4096, segment: Int32 = 1460) throws -> RawClient {
        try RawClient(
            host: "127.0.0.1", port: port, source: source, receiveBuffer: receiveBuffer, segment: segment,
            over: transport)
    }

    /// Sends bytes on a connection of their own and reads what comes until the server closes it, at most 10 s.
    func conversation(_ text: String) throws -> String {
        let client = try client()
        try client.send(text)
        return client.readToEnd()
    }

    /// Waits until the server has noticed that clients left; false after 10 s.
    func becomesEmpty() -> Bool { eventually { self.server.connections == 0 } }
}

/// Answers what it understood of the request, one item a line, and the body.
let echo: @Sendable (Request) -> Response = { request in
    guard request.path != "/missing" else { return Response(status: 404, body: .bytes(Array("nothing here".utf8))) }
    let lines = ["\(request.method) \(request.path)"] + request.query.map { "\($0.key)=\($0.value)" }
    return Response(
        headers: [("Content-Type", "text/plain")],
        body: .bytes(Array((lines.joined(separator: "\n") + "\n").utf8) + request.body))
}

/// A TCP, TLS or Unix connection that says exactly what it is told. Reads end after 10 s without a byte.
final class RawClient {
    let descriptor: Int32
    private var pending: [UInt8] = []
    /// The openssl that encrypts what is said.
    private var helper: pid_t?
    /// What encrypts it without a helper: for an address of one's own, and a narrow window.
    private var session: TLSSession?

    init(
        host: String, port: UInt16, source: String? = nil, receiveBuffer: Int32? = nil, segment: Int32? = nil,
        over transport: Transport = .plain
    ) throws {
        let isIPv6 = host.contains(":")
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        if var segment { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, 4) }
        limitWaiting()
        if let source {
            var address = Self.ipv4(source, 0)
            let bound = withUnsafeBytes(of: &address) {
                bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
            try #require(bound == 0)
        }
        var result: Int32
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            result = withUnsafeBytes(of: &address) {
                connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        } else {
            var address = Self.ipv4(host, port)
            result = withUnsafeBytes(of: &address) {
                connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        }
        if result != 0 { throw NotConnected(code: errno) }
        if transport == .tls { session = try TLSSession(over: descriptor) }
    }

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        limitWaiting()
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address) { $0[2...].copyBytes(from: path.utf8) }
        let result = withUnsafeBytes(of: &address) {
            connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        if result != 0 { throw NotConnected(code: errno) }
    }

    /// TLS to a port of 127.0.0.1, spoken by `openssl s_client`.
    init(tlsPort port: UInt16) throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        defer { close(ends[1]) }
        descriptor = ends[0]
        let words = ["openssl", "s_client", "-quiet", "-verify_quiet", "-connect", "127.0.0.1:\(port)"]
        helper = try spawn(words, input: ends[1])
        limitWaiting()
    }

    deinit {
        close(descriptor)
        guard let helper else { return }
        kill(helper, SIGKILL)
        waitpid(helper, nil, 0)
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                session?.send($0) ?? Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { throw Gone() }
            rest = rest.dropFirst(count)
        }
    }

    /// connect() failed.
    struct NotConnected: Error { let code: Int32 }

    /// The server has closed the connection.
    struct Gone: Error {}

    /// Some bytes; nil when the server has closed the connection or, after 10 s, says nothing.
    func readSome(_ capacity: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: capacity)
        let count = session?.receive(&buffer) ?? recv(descriptor, &buffer, capacity, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    func readToEnd() -> String {
        while let bytes = readSome() { pending += bytes }
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
    }

    /// True when the server has closed the connection in order: end of stream, and not a reset.
    func isAtEnd() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0
    }

    /// One answer with Content-Length (or without body), as head and body.
    func readAnswer(hasBody: Bool = true) throws -> (head: String, body: String) {
        let mark = Array("\r\n\r\n".utf8)
        var end: Int?
        while true {
            end = pending.indices.first { pending[$0...].starts(with: mark) }
            if end != nil { break }
            pending += try #require(readSome(), "the connection ended before an answer")
        }
        let head = String(decoding: pending[..<end!], as: UTF8.self)
        pending.removeFirst(end! + 4)
        guard hasBody, let length = field("content-length", of: head).flatMap({ Int($0) }) else { return (head, "") }
        while pending.count < length { pending += try #require(readSome(), "the connection ended inside an answer") }
        defer { pending.removeFirst(length) }
        return (head, String(decoding: pending[..<length], as: UTF8.self))
    }

    /// The same; an error, and no failure, when the server has closed the connection.
    func readAnswerOrEnd() throws -> (head: String, body: String) {
        if pending.isEmpty { pending += try readSome() ?? { throw Gone() }() }
        return try readAnswer()
    }

    private func limitWaiting() {
        var time = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func ipv4(_ host: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }
}

/// The value of a header field in the text of an answer's head.
func field(_ name: String, of head: String) -> String? {
    for line in head.split(separator: "\r\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == name.lowercased() {
            return String(parts[1].drop { $0 == " " })
        }
    }
    return nil
}

/// Polls a condition for at most a minute.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<12_000 {
        if condition() { return true }
        usleep(5000)
    }
    return condition()
}

/// A new directory that is removed at the end.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/mesh-gateway-test.XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink("\(path)/\(name)")
            }
            closedir(directory)
        }
        rmdir(path)
    }
}

/// A number of /proc/self/status, such as VmRSS (kB) or Threads.
func processStatus(_ key: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        if text.hasPrefix(key + ":") {
            return Int(text.dropFirst(key.count + 1).filter(\.isNumber)) ?? -1
        }
    }
    return -1
}
