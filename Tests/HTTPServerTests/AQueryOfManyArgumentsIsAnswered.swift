import HTTPServer
import Synchronization
import Testing

/// Each argument would cost libmicrohttpd 64 bytes of the connection's memory, and it says nothing when that is used up.
@Suite struct AQueryOfManyArgumentsIsAnswered {
    @Test(arguments: Transport.allCases) func withWhatItIs(over transport: Transport) throws {
        let counts = Mutex<[Int]>([])
        let server = try TestServer(over: transport) { request in
            counts.withLock { $0.append(request.query.count) }
            return Response(body: .bytes(Array("answered".utf8)))
        }
        func ask(_ query: String) throws -> String {
            let client = try server.client()
            try client.send("GET /a?\(query) HTTP/1.1\r\nHost: x\r\n\r\n")
            return String(try client.readAnswer().head.prefix(12))
        }
        for count in [1, 399, 400] {
            let query = Array(repeating: "a=b", count: count).joined(separator: "&")
            #expect(try ask(query) == "HTTP/1.1 200", "\(count)")
        }
        #expect(counts.withLock { $0 } == [1, 399, 400])
        for count in [401, 450, 500, 2_000, 6_000] {
            let query = Array(repeating: "a=b", count: count).joined(separator: "&")
            #expect(try ask(query) == "HTTP/1.1 400", "\(count)")
        }
        for query in [String(repeating: "&", count: 20_000), String(repeating: "?", count: 20_000)] {
            #expect(["HTTP/1.1 200", "HTTP/1.1 400"].contains(try ask(query)))
        }
        // What fits in no head is libmicrohttpd's: it answers and closes while the rest is unread, which over TLS can cost the answer.
        guard transport == .plain else { return }
        #expect(try ask(Array(repeating: "a=b", count: 20_000).joined(separator: "&")) == "HTTP/1.1 414")
    }

    /// Every size of a head, up to where it does not fit: there is an answer.
    @Test func besideManyHeaders() throws {
        let server = try TestServer()
        for headers in stride(from: 0, through: 600, by: 50) {
            for arguments in [200, 400, 800, 1_600] {
                let client = try server.client()
                let query = Array(repeating: "a=b", count: arguments).joined(separator: "&")
                let fields = String(repeating: "A: b\r\n", count: headers)
                try client.send("GET /a?\(query) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
                let status = try client.readAnswer().head.dropFirst(9).prefix(3)
                #expect(["200", "400", "414", "431"].contains(status), "\(headers) headers, \(arguments) arguments")
            }
        }
    }
}
