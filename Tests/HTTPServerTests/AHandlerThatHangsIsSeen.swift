import HTTPServer
import Synchronization
import Testing

@Test func aHandlerThatHangsIsSeen() throws {
    let isHanging = Atomic(true)
    let folder = try TemporaryDirectory()
    let path = folder.path + "/x.sock"
    let server = try TestServer(
        listeners: [.tcp(host: "127.0.0.1", port: 0), .local(path: path, mode: 0o600, group: nil)],
        handler: { request in
            _ = eventually { !isHanging.load(ordering: .acquiring) }
            return echo(request)
        })
    #expect(server.server.longestHandling == 0)
    // A command of this machine may wait for its answer: it holds up nobody.
    let local = try RawClient(path: path)
    try local.send("GET /local HTTP/1.1\r\nHost: x\r\n\r\n")
    let client = try server.client()
    try client.send("GET /network HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(eventually { server.server.longestHandling > 50_000_000 })
    isHanging.store(false, ordering: .releasing)
    #expect(try client.readAnswer().body == "GET /network\n")
    #expect(try local.readAnswer().body == "GET /local\n")
    #expect(server.server.longestHandling == 0)
}
