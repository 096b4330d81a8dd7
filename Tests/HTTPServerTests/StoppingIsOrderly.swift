import Glibc
import HTTPServer
import Synchronization
import Testing

@Suite struct StoppingIsOrderly {
    @Test func idleConnectionsEndAndAnswersUnderWayAreFinished() throws {
        var limits = Limits()
        limits.stopTime = .seconds(30)
        let server = try TestServer(limits: limits) { request in
            guard request.path == "/stream" else { return Response() }
            let count = Mutex(0)
            return Response(
                body: .stream(length: nil) {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    return number <= 1000 ? [UInt8](repeating: 1, count: 10_000) : nil
                })
        }
        let idle = try (0..<3).map { _ in try server.client() }
        try idle[0].send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try idle[0].readAnswer()
        let reader = try RawClient(host: "127.0.0.1", port: server.port, receiveBuffer: 4096)
        try reader.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        var total = try #require(reader.readSome(1)).count
        #expect(eventually { server.server.connections == 4 })

        let stopping = InBackground { server.server.stop() }
        for client in idle { #expect(client.isAtEnd()) }
        var last: [UInt8] = []
        while let bytes = reader.readSome() {
            total += bytes.count
            last = Array((last + bytes).suffix(5))
        }
        #expect(total > 10_000_000)
        #expect(String(decoding: last, as: UTF8.self) == "0\r\n\r\n")
        stopping.join()
        #expect(server.server.connections == 0)
        #expect(throws: RawClient.NotConnected.self) { try server.client() }
    }

    @Test func aReaderThatRestsDoesNotHoldItUp() throws {
        var limits = Limits()
        limits.stopTime = .milliseconds(50)
        let server = try TestServer(limits: limits) { _ in
            Response(body: .stream(length: nil) { [UInt8](repeating: 1, count: 10_000) })
        }
        let client = try RawClient(host: "127.0.0.1", port: server.port, receiveBuffer: 4096)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = client.readSome(1)
        server.server.stop()
        #expect(server.server.connections == 0)
    }

    @Test(arguments: Transport.allCases) func aHalfRequestDoesNotHoldItUp(over transport: Transport) throws {
        let server = try TestServer(over: transport)
        let headers = try server.client()
        try headers.send("GET / HTT")
        let body = try server.client()
        try body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
        #expect(eventually { server.server.connections == 2 })
        server.server.stop()
        #expect(server.server.connections == 0)
        server.server.stop()
    }

    @Test func aServerThatNeverStartedLetsItsPortGo() throws {
        let first = try HTTPServer(listeners: [.tcp(host: "127.0.0.1", port: 0)], handler: echo)
        let port = UInt16(first.addresses[0].split(separator: ":").last!)!
        first.stop()
        _ = try HTTPServer(listeners: [.tcp(host: "127.0.0.1", port: port)], handler: echo)
    }
}

/// Runs a closure on a thread of its own.
final class InBackground {
    private var thread = pthread_t()

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    init(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        pthread_create(
            &thread, nil,
            {
                Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}
