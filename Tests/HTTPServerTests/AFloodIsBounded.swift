import HTTPServer
import Testing

@Suite struct AFloodIsBounded {
    @Test func moreHeadersThanAllowedAreRefused() throws {
        let server = try TestServer()
        let flood = (0..<2000).map { "X-\($0): \(String(repeating: "y", count: 40))\r\n" }.joined()
        let client = try server.client()
        // The server may answer and close before all of it is sent.
        try? client.send("GET / HTTP/1.1\r\nHost: x\r\n\(flood)\r\n")
        let text = client.readToEnd()
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 431 "), "\(text.prefix(200))")
        #expect(server.becomesEmpty())
    }

    @Test func aTooLongTargetIsRefused() throws {
        let server = try TestServer()
        let client = try server.client()
        try? client.send("GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: x\r\n\r\n")
        let text = client.readToEnd()
        #expect(
            text.isEmpty || text.hasPrefix("HTTP/1.1 414 ") || text.hasPrefix("HTTP/1.0 414 "), "\(text.prefix(200))")
        #expect(server.becomesEmpty())
    }

    @Test func whoComesAfterTheLastPlaceWaitsForOne() throws {
        var limits = Limits()
        limits.connections = 2
        let server = try TestServer(limits: limits)
        var first: RawClient? = try server.client()
        let second = try server.client()
        #expect(eventually { server.server.connections == 2 })
        let third = try server.client()
        try third.send("GET /third HTTP/1.1\r\nHost: x\r\n\r\n")
        try second.send("GET /second HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try second.readAnswer().body == "GET /second\n")
        #expect(first != nil)
        first = nil
        #expect(try third.readAnswer().body == "GET /third\n")
    }

    @Test func whoWaitsLongestMakesRoom() throws {
        var limits = Limits()
        limits.connections = 32
        let server = try TestServer(limits: limits)
        // 30 have room: idle ones that were answered once, and ones that do not finish their request.
        let idle = try (0..<15).map { _ in
            let client = try server.client()
            try client.send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readAnswer().body == "GET /idle\n")
            return client
        }
        let slow = try (0..<15).map { _ in
            let client = try server.client()
            try client.send("GET /slow HTTP/1.1\r\nHost:")
            return client
        }
        #expect(eventually { server.server.connections == 30 })
        let others = try (0..<40).map { _ in
            let client = try server.client()
            try client.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readAnswer().body == "GET /other\n")
            return client
        }
        for client in idle + slow { #expect(client.isAtEnd()) }
        #expect(server.server.connections <= 32)
        // The newest is still there.
        try others[39].send("GET /again HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try others[39].readAnswer().body == "GET /again\n")
    }
}
