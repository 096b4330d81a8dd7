import Foundation
import Platform
import Testing

@testable import Notifications
@testable import ServedProgram

private let answered = "HTTP/1.1 200 OK\r\n"

/// Nanoseconds.
private let short = UInt64(1_500_000_000)

private func outcome(
    patience: UInt64 = Curl.unhurried.patience, _ answer: @escaping @Sendable (Int32) -> Void
) throws -> HTTPOutcome {
    let server = try LoopbackServer { _, connection in answer(connection) }
    return try withExtendedLifetime(server) {
        Curl(patience: patience).send(HTTPRequest(address: try WebAddress(server.url), isLocalAllowed: true))
    }
}

/// By our clock or by curl's; on a busy machine before it was begun.
private func isTooSlow(_ outcome: HTTPOutcome) -> Bool {
    let slow: [HTTPFailure] = [
        .tooSlow(host: "127.0.0.1"), .curl(code: 28, certificate: 0, host: "127.0.0.1"), .lookupTooSlow("127.0.0.1"),
    ]
    return slow.contains { outcome == .failed($0) }
}

@Test func oneThatHangsIsGivenUp() throws {
    let found = try outcome(patience: short) { connection in
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, 0)
    }
    #expect(isTooSlow(found), "\(found)")
}

@Test func oneByteASecondIsNoAnswer() throws {
    let found = try outcome(patience: short) { connection in
        for character in answered where say(String(character), connection) { usleep(500_000) }
    }
    #expect(isTooSlow(found), "\(found)")
}

/// Once its head is there it has answered, whatever it goes on saying.
@Test func tenMegabytesAreNotRead() throws {
    let found = try outcome { connection in
        say(answered + "Content-Length: 10000000\r\n\r\n", connection)
        let piece = String(repeating: "x", count: 10_000)
        for _ in 0..<1_000 where !say(piece, connection) { return }
    }
    #expect(found == .answered(status: 200, retryAfter: nil))
}

@Test func aHeadWithoutEndIsNone() throws {
    let found = try outcome { connection in
        say(answered, connection)
        for _ in 0..<100_000 where !say("X-More: \(String(repeating: "x", count: 100))\r\n", connection) { return }
    }
    guard case .failed = found else {
        Issue.record("\(found)")
        return
    }
}

@Test func garbageIsNoAnswer() throws {
    let found = try outcome { say("\u{1}\u{2}garbage\r\nmore\r\n\r\n", $0) }
    #expect(found == .failed(.curl(code: 1, certificate: 0, host: "127.0.0.1")))
}

@Test func aConnectionThatIsClosedIsNoAnswer() throws {
    guard case .failed(.curl(let code, _, _)) = try outcome({ _ in }) else {
        Issue.record("it was one")
        return
    }
    #expect([52, 56].contains(code))
}

/// Round and round.
@Test func redirectsAreNotFollowed() throws {
    let server = try LoopbackServer { request, connection in
        say(
            "HTTP/1.1 302 Found\r\nLocation: \(request.line.contains("/a") ? "/b" : "/a")\r\nContent-Length: 0\r\n\r\n",
            connection)
    }
    let found = Curl.unhurried.send(HTTPRequest(address: try WebAddress(server.url + "/a"), isLocalAllowed: true))
    #expect(found == .answered(status: 302, retryAfter: nil))
    #expect(server.received.count == 1)
}

@Test func provisionalAnswersArePassedOver() throws {
    let found = try outcome {
        say(
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 429 Slow\r\nRETRY-After:  120\r\nContent-Length: 0\r\n\r\n",
            $0)
    }
    #expect(found == .answered(status: 429, retryAfter: "120"))
}

@Test func aRequestIsCancelled() throws {
    let server = try LoopbackServer { _, connection in
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, 0)
    }
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[1])
    defer { close(ends[0]) }
    let request = HTTPRequest(address: try WebAddress(server.url), isLocalAllowed: true)
    #expect(Curl.unhurried.send(request, cancelled: ends[0]) == .failed(.stopped))
}

// MARK: curl itself

@Test func aCurlThatIsMissingIsNamed() throws {
    let request = HTTPRequest(address: try WebAddress("http://nobody.invalid/"), isLocalAllowed: true)
    let found = Curl(path: "/nonexistent/curl").send(request)
    #expect(found == .failed(.noCurl))
    #expect(HTTPFailure.noCurl.description.contains("sudo apt install curl"))
}

@Test(arguments: [("exit 2", HTTPFailure.oldCurl), ("kill -9 $$", .ended(signal: 9))])
func aCurlThatIsOldOrKilledIsNamed(script: String, failure: HTTPFailure) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("curl-\(UUID().uuidString)").path
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o755)
    defer { unlink(path) }
    let request = HTTPRequest(address: try WebAddress("http://127.0.0.1:9/"), isLocalAllowed: true)
    let found = outcome(of: request, by: Curl(path: path, patience: Curl.unhurried.patience))
    #expect(found == .failed(failure))
}

/// What a program answers that was written a moment ago.
func outcome(of request: HTTPRequest, by curl: Curl) -> HTTPOutcome {
    var found = curl.send(request)
    // What another test starts at this moment has the file open until its program runs.
    for _ in 0..<3_000 where found == .failed(.system(errorText(ETXTBSY))) {
        usleep(20_000)
        found = curl.send(request)
    }
    return found
}
