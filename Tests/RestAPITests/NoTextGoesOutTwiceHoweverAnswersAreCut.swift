import Foundation
import Gateway
import Glibc
import MeshModel
import Routes
import Testing

@testable import RestAPI

/// A client that gets no whole answer asks again, with the same `Idempotency-Key`. Its connections are cut while the request
/// goes out, before the answer, in it, or behind it. Each text is counted at the radio.
///
/// 50 texts, 1,000 when MESH_GATEWAY_TEST_FULL is set, or as many as MESH_GATEWAY_TEST_CUT_ANSWERS says.
@Suite struct NoTextGoesOutTwiceHoweverAnswersAreCut {
    private static let count: Int = {
        let environment = ProcessInfo.processInfo.environment
        let isFull = environment["MESH_GATEWAY_TEST_FULL"] != nil
        return environment["MESH_GATEWAY_TEST_CUT_ANSWERS"].flatMap { Int($0) } ?? (isFull ? 1_000 : 50)
    }()

    @Test func eachOnceOnTheAir() throws {
        var policy = ClientPolicy()
        policy.messageLimit = nil
        let live = try SentTextsAreRowsAtOnce.Live(
            pace: SendingPace(text: 0, traceroute: 0, request: 0), policy: policy)
        let served = try ServedGateway(live.test, live.test.api)
        var cuts = 0
        for number in 0..<Self.count {
            let body = #"{"text":"text \#(number)","channel":0,"queue":true}"#
            let request = """
                POST /api/v1/messages HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\(served.bearer)\r\n\
                Content-Type: application/json\r\nIdempotency-Key: key \(number)\r\n\
                Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                """
            // Most are cut more than once.
            while Int.random(in: 0..<3) > 0 {
                try cut(request, served.port)
                cuts += 1
            }
            let answer = try served.exchange(request)
            #expect(answer.status == 201, "\(number): \(answer.text)")
        }
        let wanted = (0..<Self.count).map { "text \($0)" }
        func onTheAir() -> [String] {
            live.radio.received.compactMap { $0.decoded }.filter { $0.port == .textMessage }
                .map { String(decoding: $0.payload, as: UTF8.self) }
        }
        // The radio needs its time for each: as long as one more comes.
        var come = 0
        while come < Self.count {
            let known = come
            try #require(eventually { onTheAir().count > known }, "\(known) have come, and no more")
            come = onTheAir().count
        }
        #expect(onTheAir().sorted() == wanted.sorted(), "after \(cuts) cuts")
        let rows = try live.test.get("/api/v1/messages?limit=\(Self.count + 10)").texts
        #expect(rows.sorted() == wanted.sorted())
    }

    /// Sends as much as may be, reads as much as may be, and is gone, sometimes without a word.
    private func cut(_ request: String, _ port: UInt16) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let bytes = Array(request.utf8)
        let isWhole = Int.random(in: 0..<4) > 0
        let size = isWhole ? bytes.count : Int.random(in: 0..<bytes.count)
        _ = bytes.prefix(size).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // Where the request is whole, its answer is cut before its first byte, in it, or not at all.
        if isWhole, Bool.random() {
            var buffer = [UInt8](repeating: 0, count: Int.random(in: 1...900))
            _ = recv(descriptor, &buffer, buffer.count, 0)
        }
        if Bool.random() {
            var abrupt = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
        }
    }
}
