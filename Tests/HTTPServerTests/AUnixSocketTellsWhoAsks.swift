import Glibc
import HTTPServer
import Testing

@Suite struct AUnixSocketTellsWhoAsks {
    private func listener(_ path: String) -> [Listener] { [.local(path: path, mode: 0o660, group: getgid())] }

    @Test func byTheKernelsWord() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/api.sock"
        let server = try TestServer(listeners: listener(path)) { request in
            Response(body: .bytes(Array("\(request.peer)".utf8)))
        }
        #expect(server.server.addresses == ["unix:\(path)"])
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        let client = try RawClient(path: path)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let expected = "\(Peer.local(user: getuid(), group: getgid(), process: getpid()))"
        #expect(try client.readAnswer().body == expected)
    }

    @Test func theFileGoesWithTheServer() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/api.sock"
        let server = try TestServer(listeners: listener(path))
        server.server.stop()
        #expect(access(path, F_OK) != 0)
    }

    @Test func anotherProgramsFileIsLeftAlone() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/api.sock"
        let server = try TestServer(listeners: listener(path))
        #expect(rename(path, path + ".moved") == 0)
        let second = try TestServer(listeners: listener(path))
        server.server.stop()
        #expect(access(path, F_OK) == 0)
        second.server.stop()
    }

    @Test func aStaleFileIsReplaced() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/api.sock"
        // As a crash leaves it: bound, and nobody listens.
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address) { $0[2...].copyBytes(from: path.utf8) }
        let bound = withUnsafeBytes(of: &address) {
            bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        try #require(bound == 0)
        close(descriptor)
        let server = try TestServer(listeners: listener(path))
        let client = try RawClient(path: path)
        try client.send("GET /alive HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().body == "GET /alive\n")
        withExtendedLifetime(server) {}
    }
}
