import Glibc
import HTTPServer
import Testing

/// Somebody always takes the one port for the other.
@Suite struct AWrongProtocolHarmsNothing {
    /// What the TLS port is told by those who speak something else, or leave in the middle.
    private static let strangers: [[UInt8]] = [
        Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), [], [0x16], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00],
        [0x16, 0x03, 0x01, 0xFF, 0xFF] + [UInt8](repeating: 0xA5, count: 70_000),
        [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28], [UInt8](repeating: 0, count: 5000), Array("SSH-2.0-x\r\n".utf8),
    ]

    @Test func onATLSPort() throws {
        let server = try TestServer(over: .tls)
        for words in Self.strangers {
            let client = try RawClient(host: "127.0.0.1", port: server.port)
            // It may have had enough before the end.
            try? client.send(words)
            shutdown(client.descriptor, Int32(SHUT_WR))
            let answer = client.readToEnd()
            #expect(!answer.contains("HTTP/"), "\(answer.prefix(100))")
        }
        #expect(server.becomesEmpty())
        let client = try server.client()
        try client.send("GET /still HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().body == "GET /still\n")
    }

    @Test func onAPlainPort() throws {
        let server = try TestServer()
        let confused = try RawClient(tlsPort: server.port)
        #expect(!confused.readToEnd().contains("200"))
        #expect(server.becomesEmpty())
        let client = try server.client()
        try client.send("GET /still HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().body == "GET /still\n")
    }
}
