import Foundation
import Glibc
import MeshModel
import Platform
import Testing

@testable import MQTTBridge

/// Mosquitto keeps 1,000 messages for a client that is slow to take them, and drops the rest without a word. What is published in one go
/// leaves room for a client that stands still for a while.
@Suite struct AFirstShowingIsWhole {
    /// 300 nodes, and a reader that takes nothing for some seconds, as Home Assistant while it makes its entities.
    @Test func whereTheReaderIsSlow() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        for number in 0x1000..<0x112C as Range<UInt32> { try test.hear(number, temperature: 20) }
        let reader = try SlowReader(at: mosquitto.port, standingStill: 5)
        try test.configure(mosquitto.port)
        // Gateway, radio and nodes; of each node three groups, of the others one; status and generation.
        let kept = try Retained(at: mosquitto.port) { $0.count == 302 + 900 + 2 + 2 }
        #expect(kept.shown.count == 302)
        let missing = reader.wait(for: Set(kept.messages.keys))
        #expect(missing.isEmpty, "\(missing.count) of \(kept.messages.count) are missing, such as \(missing.prefix(3))")
    }

    /// However fast time or messages go: within ten seconds never more than a broker keeps.
    @Test func noTenSecondsHaveTooMuch() {
        var (pace, now) = (Pace(), 5_000 as Int64)
        var published: [(at: Int64, count: Int)] = []
        for step in 0..<4_000 {
            let room = pace.room(at: now)
            #expect(room > 0 || (pace.opensAt ?? 0) > now)
            let count = min(room, [20, 1, 7, 500][step % 4])
            pace.take(count)
            published.append((now, count))
            // A pause now and then.
            now = step % 1_000 == 999 ? now + 60_000 : max(now + (step % 3 == 0 ? 1 : 0), pace.opensAt ?? now)
        }
        #expect(published.reduce(0) { $0 + $1.count } > 5_000)
        for (place, first) in published.enumerated() {
            let inTime = published[place...].prefix { $0.at < first.at + 10_000 }.reduce(0) { $0 + $1.count }
            #expect(inTime <= 1_000, "\(inTime) from \(first.at) on")
        }
    }
}

/// A client of MQTT 3.1.1 that subscribes to everything and then reads nothing for some seconds.
private final class SlowReader: Sendable {
    private let topics = Monitor<Set<String>>([])
    private let descriptor: Int32

    init(at port: Int, standingStill seconds: UInt32) throws {
        descriptor = connected(to: port)
        try #require(descriptor >= 0)
        let (descriptor, topics) = (descriptor, topics)
        func filter(_ name: String) -> [UInt8] { [0, UInt8(name.utf8.count)] + Array(name.utf8) + [1] }
        let filters = filter("homeassistant/#") + filter("mesh-gateway/#")
        // CONNECT as "slow" with a clean session and without keep-alive, SUBSCRIBE with QoS 1.
        let packets: [UInt8] =
            [0x10, 16, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 4] + Array("slow".utf8)
            + [0x82, UInt8(filters.count + 2), 0, 1] + filters
        try #require(send(descriptor, packets, packets.count, Int32(MSG_NOSIGNAL)) == packets.count)
        // CONNACK and SUBACK.
        var answer = [UInt8](repeating: 0, count: 10)
        try #require(recv(descriptor, &answer, 10, Int32(MSG_WAITALL)) == 10)
        FakeBroker.detach(named: "slow reader") {
            sleep(seconds)
            while let (header, body) = Self.packet(descriptor) {
                guard header & 0xF0 == 0x30, body.count > 2 else { continue }
                let length = Int(body[0]) << 8 | Int(body[1])
                topics.notify { _ = $0.insert(String(decoding: body[2..<2 + length], as: UTF8.self)) }
                // QoS 1: PUBACK with the packet's number.
                guard header & 0x06 == 0x02 else { continue }
                let acknowledgement: [UInt8] = [0x40, 2, body[2 + length], body[3 + length]]
                _ = send(descriptor, acknowledgement, 4, Int32(MSG_NOSIGNAL))
            }
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// - Returns: those that have not come within a minute.
    func wait(for wanted: Set<String>) -> Set<String> {
        _ = topics.wait(seconds: 60) { wanted.isSubset(of: $0) ? true : nil }
        return topics.withLock { wanted.subtracting($0) }
    }

    private static func packet(_ descriptor: Int32) -> (UInt8, [UInt8])? {
        func bytes(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            guard count > 0 else { return bytes }
            return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
        }
        guard let header = bytes(1)?[0] else { return nil }
        var (length, shift) = (0, 0)
        while let byte = bytes(1)?[0] {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return bytes(length).map { (header, $0) } }
        }
        return nil
    }
}
