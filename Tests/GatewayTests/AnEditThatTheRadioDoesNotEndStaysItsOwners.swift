import Foundation
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

/// Between begin and commit the radio saves nothing. When it does not end that, its owner may try again, and a minute after
/// its beginning it is ended in any case.
@Suite struct AnEditThatTheRadioDoesNotEndStaysItsOwners {
    private let phone = Sender(.share, "192.0.2.1")
    private let begin: [UInt8] = [0x80, 4, 1]
    private let commit: [UInt8] = [0x88, 4, 1]

    private final class Outcomes: Sendable { let list = Mutex<[RoutingError]>([]) }

    /// The radio is told this by a client, and answers so.
    private func administer(
        _ order: [UInt8], _ answer: RoutingError, by sender: Sender, _ test: TestGateway
    ) throws -> RoutingError? {
        let outcomes = Outcomes()
        let count = test.radio.received.count
        test.gateway.administer(try packet(order), by: sender, right: .admin, shown: nil, of: try test.source) {
            outcome in
            outcomes.list.withLock { list in
                if case .refused(let error) = outcome { list.append(error) } else { list.append(.none) }
            }
        }
        let asked = try #require(test.radio.wait(for: count + 1).last)
        #expect(asked.decoded?.payload == order)
        try test.hear(.report(answer, on: asked.id, from: own))
        return wait(for: outcomes)
    }

    private func packet(_ order: [UInt8]) throws -> ClientPacket {
        let data = [8, 6, 18, UInt8(order.count)] + order
        let number = (0..<4).map { UInt8(truncatingIfNeeded: own.rawValue >> (8 * $0)) }
        return try #require(ClientPacket([0x15] + number + [0x22, UInt8(data.count)] + data))
    }

    private func wait(for outcomes: Outcomes) -> RoutingError? {
        let limit = Date(timeIntervalSinceNow: 120)
        while outcomes.list.withLock({ $0.isEmpty }), limit.timeIntervalSinceNow > 0 { usleep(5_000) }
        return outcomes.list.withLock { $0.first }
    }

    private func refusal(of order: [UInt8], by sender: Sender, _ test: TestGateway) throws -> RoutingError? {
        let outcomes = Outcomes()
        test.gateway.administer(try packet(order), by: sender, right: .admin, shown: nil, of: try test.source) {
            outcome in
            if case .declined(let error, _) = outcome { outcomes.list.withLock { $0.append(error) } }
        }
        return wait(for: outcomes)
    }

    private func opened() throws -> TestGateway {
        let test = try TestGateway()
        test.radio.keepAdminPackets()
        #expect(try administer(begin, .none, by: phone, test) == RoutingError.none)
        return test
    }

    @Test func whoMayTryAgain() throws {
        let test = try opened()
        #expect(try administer(commit, .rateLimitExceeded, by: phone, test) == .rateLimitExceeded)
        // It is nobody else's.
        #expect(try refusal(of: begin, by: Sender(.share, "192.0.2.2"), test) == .notAuthorized)
        #expect(try administer(commit, .none, by: phone, test) == RoutingError.none)
        #expect(try administer(begin, .none, by: Sender(.share, "192.0.2.2"), test) == RoutingError.none)
    }

    @Test func butNotForMoreThanAMinute() throws {
        let test = try opened()
        #expect(try administer(commit, .rateLimitExceeded, by: phone, test) == .rateLimitExceeded)
        let radio = test.gateway.radios.all[0]
        let (now, second) = (MonotonicClock.nanoseconds(), 1_000_000_000 as MonotonicTime)
        let ends = try #require(radio.administration.editEnds)
        #expect(ends <= now + 60 * second)
        _ = radio.expire(at: ends - 1)
        #expect(radio.administration.editor != nil)
        let count = test.radio.received.count
        _ = radio.expire(at: ends)
        #expect(radio.administration.editor == nil)
        #expect(test.radio.wait(for: count + 1).last?.decoded?.payload == commit)
    }
}
