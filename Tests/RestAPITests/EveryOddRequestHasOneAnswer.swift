import HTTPServer
import Testing

@testable import RestAPI

/// What generators, mistaken scripts and strangers send. Where MeshMonitor answers otherwise, the row says so.
@Suite struct EveryOddRequestHasOneAnswer {
    typealias Field = (name: String, value: String)

    private static let noText = "Message text is required"
    private static let noJSON = "Invalid JSON in request body. Please check your JSON syntax."
    private static let away = "Not connected to Meshtastic node"
    private static let channel = "Channel must be a number between 0 and 7"
    private static let neither = "Either channel or toNodeId is required"
    private static let node = "toNodeId must be a hex string starting with ! (e.g., !a1b2c3d4)"
    private static let reply = "replyId must be a number"

    /// body of POST …/messages -> status, message. 503 is as good as sent: no radio is connected.
    @Test(arguments: [
        (#"{"text":"a","channel":0,"replyId":"7"}"#, 400, reply),
        (#"{"text":"a","channel":0,"replyId":"0x1"}"#, 400, reply),
        (#"{"text":"a","channel":0,"replyId":1e21}"#, 400, reply),  // there: wrapped to 32 bits
        (#"{"text":"a","channel":0,"replyId":[1]}"#, 400, reply),
        (#"{"text":"a","channel":0,"replyId":null}"#, 503, away),  // there: 400
        (#"{"text":"a","channel":[1]}"#, 400, channel),  // there: channel 1
        (#"{"text":"a","channel":["1"]}"#, 400, channel),
        (#"{"text":"a","channel":1e21}"#, 400, channel),  // there: channel 1
        (#"{"text":"a","channel":"1"}"#, 503, away),
        (#"{"text":"a","channel":null}"#, 400, neither),
        (#"{"text":"a","toNodeId":[1]}"#, 400, node), (#"{"text":"a","toNodeId":1}"#, 400, node),
        (#"{"text":5,"channel":0}"#, 400, noText), (#"{"text":["a"],"channel":0}"#, 400, noText),
        (#"{"text":null,"channel":0}"#, 400, noText), ("[1]", 400, noText), ("null", 400, noJSON),
        ("1e21", 400, noJSON),
        ("0x1", 400, noJSON), (#""text""#, 400, noJSON), (#"{"channel":0x1}"#, 400, noJSON),
    ]) func values(_ body: String, _ status: Int, _ message: String) throws {
        let answer = try TestGateway().post("/api/v1/messages", body)
        #expect(answer.status == status)
        #expect(answer.message == message)
    }

    /// There, the first two are read, and the third is read with U+FFFD.
    @Test func bodiesThatCostTooMuchOrAreNoText() throws {
        let test = try TestGateway()
        let start = #"{"text":"a","channel":0,"x":"#
        let deep = start + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
        let wide = start + "[" + Array(repeating: "1", count: 10_001).joined(separator: ",") + "]}"
        let bytes = [Array(deep.utf8), Array(wide.utf8), Array(#"{"text":"\#("")"#.utf8) + [0xC3, 0x28, 0x22, 0x7D]]
        for body in bytes {
            for headers in [[], [test.bearer]] {
                let type: Field = ("Content-Type", "application/json")
                let answer = try test.ask("POST", "/api/v1/messages", headers: headers + [type], body: body)
                #expect(answer.status == 400)
                #expect(answer.message == Self.noJSON)
            }
        }
    }

    /// Content-Encoding -> status. There, gzip, deflate and br are inflated.
    @Test(arguments: [
        ("gzip", 415), ("br", 415), ("deflate", 415), ("zstd", 415), ("x-gzip", 415), ("GZIP", 415),
        ("gzip, gzip", 415),
        ("identity, gzip", 415), ("nonsense", 415), ("identity", 503), (" Identity ", 503), ("", 503),
    ]) func codings(_ coding: String, _ status: Int) throws {
        let test = try TestGateway()
        let headers: [Field] = [("Content-Type", "application/json"), ("Content-Encoding", coding)]
        let body = Array(#"{"text":"a","channel":0}"#.utf8)
        let answer = try test.ask("POST", "/api/v1/messages", headers: headers + [test.bearer], body: body)
        #expect(answer.status == status)
        #expect(answer.header("Accept-Encoding") == (status == 415 ? "identity" : nil))
        // The body comes before the token, and where there is none nothing is wrong with it.
        let stranger = try test.ask("POST", "/api/v1/messages", headers: headers, body: body)
        #expect(stranger.status == (status == 415 ? 415 : 401))
        #expect(try test.get("/api/v1/nodes", headers: headers).status == 200)
    }

    /// target -> status
    @Test(arguments: [
        ("/api/v1/%73ources", 200), ("/api/v1/sources/DEFAULT/nodes", 200),  // there: 404
        ("/API/V1/SOURCES", 200), ("/api/v1/sources/", 200), ("/api/v1/sources//", 200), ("/api/v1/sources#x", 200),
        ("http://elsewhere/api/v1/sources", 200), ("//api/v1/sources", 404),  // there: 500
        ("/api/v1//sources", 404), ("/api/v1/sources%2Fx", 404), ("/api/v1/sources/../nodes", 404),
        ("/api/v1/nodes/%", 400), ("/api/v1/nodes/%4", 400), ("/api/v1/nodes/%zz", 400),  // there: 500
        ("/api/v1/nodes/%ff", 400), ("/api/v1/nodes/%00", 400), ("/api/v1/messages/search?q=%", 200),
        ("/api/v1/messages?limit=0x1", 200), ("/api/v1/messages?limit=1e21", 200),
        ("/api/v1/messages?limit=null&offset=null&since=null", 200), ("/api/v1/messages?limit[]=1&offset=-1", 200),
        ("/api/v1/messages?since=99999999999999999999999", 200), ("/api/v1/messages?%zz=1&&=&", 200),
    ]) func targets(_ target: String, _ status: Int) throws {
        #expect(try TestGateway().get(target).status == status)
    }

    @Test func theFirstOfARepeatedKeyCounts() throws {
        let test = try TestGateway()
        for number in 1...3 { try test.insert("text \(number)", packetID: .init(UInt32(number)), at: TestGateway.now) }
        #expect(try test.get("/api/v1/messages?limit=2&limit=1").rows.count == 2)
        #expect(try test.get("/api/v1/messages?limit=abc&limit=1").rows.count == 3)
    }

    /// Origin, Host -> status
    @Test(
        arguments: [
            ("https://evil.example", nil, 500), ("null", nil, 500), ("", nil, 200), ("http://localhost:8080", nil, 200),
            ("http://box:8080", "box:8080", 200),  // there: 500
            ("http://box:8080", "box:8081", 500), ("nonsense", "nonsense", 500),
        ] as [(String, String?, Int)])
    func origins(_ origin: String, _ host: String?, _ status: Int) throws {
        let host = host.map { [(name: "Host", value: $0)] } ?? []
        let answer = try TestGateway().get("/api/v1/sources", headers: [(name: "Origin", value: origin)] + host)
        #expect(answer.status == status)
        // Whatever comes of it, no page of another site shows it.
        #expect(answer.header("X-Frame-Options") == "DENY")
        #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
    }

    /// The first line as it goes over the wire -> status; nil: closed without a word.
    @Test(
        arguments: [
            ("GET /api/v1/sources HTTP/1.1", 200), ("HEAD /api/v1/sources HTTP/1.1", 200),
            ("OPTIONS /api/v1/sources HTTP/1.1", 200), ("OPTIONS * HTTP/1.1", 200), ("GET * HTTP/1.1", 404),
            ("BREW /api/v1/sources HTTP/1.1", 404), ("get /api/v1/sources HTTP/1.1", 404),  // there: 400
            ("TRACE /api/v1/sources HTTP/1.1", 404), ("POST /api/v1/sources HTTP/1.1", 404),
            ("GET http://elsewhere/api/v1/sources HTTP/1.1", 200), ("GET /api/v1/sources// HTTP/1.1", 200),
            ("GET /api/v1/sources#x HTTP/1.1", 200), ("GET /api/v1/sources HTTP/1.0", 200),
            ("GET /api/v1/sources HTTP/2.0", 505),  // there: 200
            ("GET /api/v1/sources http/1.1", 400), ("GET /api/v1/sources", 400), ("B(EW /api/v1/sources HTTP/1.1", 400),
            ("GET  /api/v1/sources HTTP/1.1", 400), ("garbage", nil),  // there: 400
        ] as [(String, Int?)])
    func firstLines(_ line: String, _ status: Int?) throws {
        let served = try ServedGateway()
        let head = [line, "Host: box", "Connection: close", served.bearer, "", ""].joined(separator: "\r\n")
        let answer = try served.exchange(head)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.text.split(separator: "HTTP/1.1 ").count == (status == nil ? 0 : 1), "\(answer.text)")
        #expect(try served.ask("GET /api/v1/sources", headers: [served.bearer + " \t"]).status == 200)
    }
}
