import Glibc
import HTTPServer
import Synchronization
import Testing

@Suite struct HostileInputLeavesNothingBehind {
    /// What is sent before the client leaves without a word.
    static let inputs: [[UInt8]] = [
        [], [0], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00], Array("\r\n\r\n\r\n".utf8), Array("G".utf8),
        Array("GET / HTTP/1.1\r\nHost".utf8), Array("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
        Array("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc".utf8),
        Array("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nabc".utf8),
        Array("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc".utf8),
        Array("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
        Array("GET / HTTP/1.1\r\nHost: x\r\n".utf8) + [UInt8](repeating: 0x80, count: 5000),
        [UInt8](repeating: 0xff, count: 40_000),
        Array(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: 500).flatMap(\.utf8),
    ]

    /// On a TLS port all of it comes in the place of a handshake.
    @Test(arguments: Transport.allCases) func neitherConnectionsNorSocketsNorThreads(over transport: Transport) throws {
        let recorded = Threads()
        let server = try TestServer(over: transport) { request in
            recorded.record()
            guard request.path == "/stream" else { return Response(body: .bytes([1, 2, 3])) }
            return Response(body: .stream(length: nil) { [UInt8](repeating: 1, count: 10_000) })
        }
        let port = server.port
        for _ in 0..<20 {
            for input in Self.inputs {
                let client = try RawClient(host: "127.0.0.1", port: port)
                try? client.send(input)
            }
        }
        #expect(server.becomesEmpty())
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().head.hasPrefix("HTTP/1.1 200 "))
        // The listening socket and the one of the client that is still there.
        #expect(eventually { Self.sockets(ofLocalPort: port) == 2 })
        server.server.stop()
        #expect(eventually { Self.sockets(ofLocalPort: port) == 0 })
        #expect(recorded.all.count == 1)
        #expect(eventually { recorded.all.allSatisfy { access("/proc/\($0)", F_OK) != 0 } })
    }

    /// The threads that a handler ran on, as "PID/task/TID".
    private final class Threads: Sendable {
        private let names = Mutex<Set<String>>([])
        var all: Set<String> { names.withLock { $0 } }

        func record() {
            var buffer = [CChar](repeating: 0, count: 64)
            readlink("/proc/thread-self", &buffer, 63)
            let name = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            names.withLock { _ = $0.insert(name) }
        }
    }

    /// IPv4 sockets of a local port that still belong to a descriptor (inode 0: the kernel's TIME_WAIT).
    private static func sockets(ofLocalPort port: UInt16) -> Int {
        guard let file = fopen("/proc/self/net/tcp", "r") else { return -1 }
        defer { fclose(file) }
        var count = 0
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, 512, file) != nil {
            let fields = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(separator: " ")
            guard fields.count > 9, let local = fields[1].split(separator: ":").last else { continue }
            if UInt16(local, radix: 16) == port, fields[9] != "0" { count += 1 }
        }
        return count
    }
}
