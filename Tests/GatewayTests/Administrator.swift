import Foundation
import Glibc
import MeshModel
import MeshProtocol
import Synchronization
import Testing

@testable import Gateway

/// A client that administers the radio of a test's gateway. What the radio answers is the test's.
struct Administrator {
    static let begin: [UInt8] = [0x80, 4, 1]
    static let commit: [UInt8] = [0x88, 4, 1]
    /// In a second.
    static let reboot: [UInt8] = [0x88, 6, 1]
    /// remove_by_nodenum: a change that is made without a question to the radio.
    static func removal(of node: NodeNumber) -> [UInt8] {
        var (rest, bytes): (UInt32, [UInt8]) = (node.rawValue, [0xb0, 2])
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    let sender: Sender
    let test: TestGateway

    /// What becomes of an order.
    final class Outcome: Sendable {
        fileprivate let value = Mutex<Administration?>(nil)

        /// ROUTING's error, once it is known.
        func error() -> RoutingError? {
            let limit = Date(timeIntervalSinceNow: 120)
            while value.withLock({ $0 == nil }), limit.timeIntervalSinceNow > 0 { usleep(2_000) }
            return switch value.withLock({ $0 }) {
            case .done?, .taken?: RoutingError.none
            case .refused(let error)?, .declined(let error, _)?: error
            case .answer?, .submitted?, nil: nil
            }
        }
    }

    func give(_ order: [UInt8]) throws -> Outcome {
        let data = [8, 6, 18, UInt8(order.count)] + order
        let number = (0..<4).map { UInt8(truncatingIfNeeded: own.rawValue >> (8 * $0)) }
        let packet = try #require(ClientPacket([0x15] + number + [0x22, UInt8(data.count)] + data))
        let outcome = Outcome()
        test.gateway.administer(packet, by: sender, right: .admin, shown: nil, of: try test.source) { told in
            outcome.value.withLock { $0 = told }
        }
        return outcome
    }

    /// The radio has been given so many packets, the last of which is this order.
    func waitUntilGiven(_ order: [UInt8], count: Int) throws -> MeshPacket {
        let packets = test.radio.wait(for: count)
        let packet = try #require(packets.last)
        #expect(packets.count == count && packet.decoded?.payload == order)
        return packet
    }

    /// The radio is given an order, and obeys it.
    func tell(_ order: [UInt8]) throws {
        let count = test.radio.received.count
        let outcome = try give(order)
        let packet = try waitUntilGiven(order, count: count + 1)
        try test.hear(.report(.none, on: packet.id, from: own))
        #expect(outcome.error() == RoutingError.none)
    }
}
