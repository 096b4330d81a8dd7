import Glibc
import HTTPServer
import Testing

@Suite struct EveryAddressAnswers {
    private let whoAsks: @Sendable (Request) -> Response = { request in
        Response(body: .bytes(Array("\(request.peer)".utf8)))
    }

    private func ask(_ host: String, _ port: UInt16) throws -> String {
        let client = try RawClient(host: host, port: port)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return try client.readAnswer().body
    }

    @Test(arguments: ["", "*"]) func ofIPv4AndIPv6OnOnePort(host: String) throws {
        let server = try TestServer(listeners: [.tcp(host: host, port: 0)], handler: whoAsks)
        #expect(try ask("127.0.0.1", server.port) == "\(Peer.tcp(address: "127.0.0.1"))")
        if server.server.notes.isEmpty {
            #expect(try ask("::1", server.port) == "\(Peer.tcp(address: "::1"))")
        }
    }

    @Test func ofAName() throws {
        let server = try TestServer(listeners: [.tcp(host: "localhost", port: 0)], handler: whoAsks)
        for address in server.server.addresses {
            let host = address.hasPrefix("[") ? "::1" : "127.0.0.1"
            #expect(address.hasSuffix(":\(server.port)"))
            #expect(try ask(host, server.port) == "\(Peer.tcp(address: host))")
        }
    }

    @Test func ofSeveralListeners() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/x.sock"
        let server = try TestServer(listeners: [
            .tcp(host: "127.0.0.1", port: 0), .unix(path: path, mode: 0o600, group: nil),
        ])
        let network = try server.client()
        let local = try RawClient(path: path)
        for client in [network, local] {
            try client.send("GET /both HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readAnswer().body == "GET /both\n")
        }
        #expect(server.server.connections == 2)
    }

    @Test func ofAnInheritedSocket() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listen(descriptor, 8) == 0)
        let server = try TestServer(listeners: [.inherited(descriptor: descriptor)], handler: whoAsks)
        #expect(try ask("127.0.0.1", server.port) == "\(Peer.tcp(address: "127.0.0.1"))")
    }
}
