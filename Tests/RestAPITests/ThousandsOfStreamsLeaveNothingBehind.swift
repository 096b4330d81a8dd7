import Glibc
import Testing

@testable import RestAPI

/// Streams are opened and dropped as fast as it goes, also in the middle of their first block.
@Suite struct ThousandsOfStreamsLeaveNothingBehind {
    private func open(_ served: ServedGateway, _ token: String, version: String = "1.1") throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = served.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let request = "GET /api/v1/events HTTP/\(version)\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
        #expect(send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count)
        return descriptor
    }

    private func read(_ descriptor: Int32, until text: String) -> String {
        var (seen, buffer) = ("", [UInt8](repeating: 0, count: 4096))
        while !seen.contains(text) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            seen += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return seen
    }

    @Test func openedAndDropped() throws {
        let served = try ServedGateway()
        let tokens = try (1...3).map { _ in try served.test.token(["read"]).text }
        for number in 0..<3_000 {
            let descriptor = try open(served, tokens[number % 3])
            switch number % 3 {
            case 0: _ = read(descriptor, until: "\n\n")
            case 1: break
            default:
                // A reset in place of an end.
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            }
            close(descriptor)
            if number % 100 == 0 {
                try served.test.insert("text \(number)", packetID: UInt32(number + 1), at: TestGateway.now)
            }
        }
        // Somebody who comes now is served as the first one was: a token's own streams make room for each other.
        let descriptor = try open(served, tokens[0])
        #expect(read(descriptor, until: "event: start").hasPrefix("HTTP/1.1 200"))
        try served.test.insert("the last one", packetID: 9_999, at: TestGateway.now + 1)
        #expect(read(descriptor, until: "the last one").contains("the last one"))
        close(descriptor)
    }

    /// Whoever is in between sees that the connection stands: there is a comment before half a minute is over.
    @Test func silenceHasItsComments() throws {
        let served = try ServedGateway()
        let descriptor = try open(served, try served.test.token(["read"]).text)
        defer { close(descriptor) }
        let seen = read(descriptor, until: "\n:\n")
        #expect(seen.contains("\n:\n") && !seen.contains("event: message"), "\(seen)")
    }

    /// HTTP/1.0, as nginx speaks it to whom it asks unless it is told otherwise: without chunks, until the end.
    @Test func inHTTP10Too() throws {
        let served = try ServedGateway()
        let descriptor = try open(served, try served.test.token(["read"]).text, version: "1.0")
        defer { close(descriptor) }
        let first = read(descriptor, until: "event: start")
        #expect(first.hasPrefix("HTTP/1.") && first.contains("200 OK") && !first.lowercased().contains("chunked"))
        try served.test.insert("the last one", packetID: 1, at: TestGateway.now)
        #expect(read(descriptor, until: "the last one").contains("the last one"))
    }
}
