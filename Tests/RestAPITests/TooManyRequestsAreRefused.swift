import HTTPServer
import Routes
import Testing

@testable import RestAPI

@Suite struct TooManyRequestsAreRefused {
    @Test func theThirtyFirstMessageOfAMinute() throws {
        let test = try TestGateway()
        // Those that fail count, and the own machine is no exception (Contract 2.5).
        for count in 1...30 {
            let answer = try test.post("/api/v1/messages", count % 2 == 0 ? "{}" : #"{"text":"a","channel":0}"#)
            #expect(answer.status == (count % 2 == 0 ? 400 : 503))
            #expect(answer.header("RateLimit-Policy") == "30;w=60")
            #expect(answer.header("RateLimit-Remaining") == String(30 - count))
        }
        let answer = try test.post("/api/v1/sources/\(test.uuid)/messages", "{}")
        #expect(answer.status == 429)
        #expect(answer.text == #"{"error":"Too many messages sent, please slow down","retryAfter":"1 minute"}"#)
        #expect((1...60).contains(try #require(answer.header("Retry-After").flatMap { Int($0) })))
        #expect(answer.header("RateLimit-Remaining") == "0")
        #expect(try test.get("/api/v1/messages").status == 200)
        let other = try test.ask(
            "POST", "/api/v1/messages", headers: [test.bearer], body: Array("{}".utf8), peer: .tcp(address: "10.0.0.9"))
        #expect(other.status == 400)
    }

    @Test func aStrangerDoesNotCount() throws {
        let test = try TestGateway()
        for _ in 0..<40 { #expect(try test.ask("POST", "/api/v1/messages", body: Array("{}".utf8)).status == 401) }
        #expect(try test.post("/api/v1/messages", "{}").status == 400)
    }

    @Test func aThousandRequestsFromOutside() throws {
        let test = try TestGateway()
        let outside = Peer.tcp(address: "203.0.113.7")
        for _ in 1...999 { _ = test.api.respond(Request(target: "/api/health", peer: outside)) }
        let last = try test.ask("GET", "/api/v1/nodes", peer: outside)
        #expect(last.status == 401)
        #expect(last.header("RateLimit-Remaining") == "0")
        let refused = try test.ask("GET", "/api/v1/nodes", headers: [test.bearer], peer: outside)
        #expect(refused.status == 429)
        #expect(
            refused.text
                == #"{"error":"Too many requests from this IP, please try again later","retryAfter":"15 minutes"}"#)
        #expect(refused.header("Retry-After").flatMap { Int($0) } != nil)
        // The same client on an IPv6 socket, and a neighbour.
        #expect(try test.ask("GET", "/api/health", peer: .tcp(address: "::ffff:203.0.113.7")).status == 429)
        #expect(try test.ask("GET", "/api/health", peer: .tcp(address: "203.0.113.8")).status == 200)
        for house in ["127.0.0.1", "192.168.1.9", "10.1.2.3", "172.16.0.1", "::1", "fd00::1", "::ffff:10.1.2.3"] {
            let answer = try test.ask("GET", "/api/health", peer: .tcp(address: house))
            #expect(answer.status == 200)
            #expect(answer.header("RateLimit-Limit") == nil)
        }
    }

    @Test func asTheOwnerWantsIt() throws {
        var policy = ClientPolicy()
        policy.requestLimit = 3
        policy.messageLimit = nil
        let test = try TestGateway(policy: policy)
        let outside = Peer.tcp(address: "2001:db8::1")
        for left in [2, 1, 0] {
            let answer = try test.ask("GET", "/api/health", peer: outside)
            #expect(answer.header("RateLimit-Policy") == "3;w=900")
            #expect(answer.header("RateLimit-Remaining") == String(left))
        }
        // A neighbour in the network of 64 bits is the same client.
        #expect(try test.ask("GET", "/api/health", peer: .tcp(address: "2001:db8::2")).status == 429)
        for _ in 0..<40 {
            let answer = try test.post("/api/v1/messages", "{}")
            #expect(answer.status == 400)
            #expect(!answer.response.headers.contains { $0.name.hasPrefix("RateLimit") })
        }
    }
}
