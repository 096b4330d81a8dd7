import Foundation
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

/// Eight apps that connect at once ask for the same: what no handshake tells is asked from the radio once.
@Suite struct GettersOfManyClientsReachTheRadioOnce {
    private final class Clock: Sendable {
        let ahead = Mutex<MonotonicTime>(0)
        var now: MonotonicTime { MonotonicClock.nanoseconds() + ahead.withLock { $0 } }
        func pass(seconds: MonotonicTime) { ahead.withLock { $0 += seconds * 1_000_000_000 } }
    }

    private final class Answers: Sendable {
        let list = Mutex<[[UInt8]]>([])

        func wait(for count: Int) -> [[UInt8]] {
            let limit = Date(timeIntervalSinceNow: 120)
            while list.withLock({ $0.count }) < count, limit.timeIntervalSinceNow > 0 { usleep(5_000) }
            return list.withLock { $0 }
        }
    }

    private let getCannedMessages: [UInt8] = [0x50, 1]
    private let getConnectionStatus: [UInt8] = [0x80, 1, 1]

    private func ask(
        _ order: [UInt8], times: Int = 1, right: ClientRight = .admin, _ test: TestGateway, _ answers: Answers
    ) throws {
        let data = [8, 6, 18, UInt8(order.count)] + order
        let number = (0..<4).map { UInt8(truncatingIfNeeded: own.rawValue >> (8 * $0)) }
        let packet = try #require(ClientPacket([0x15] + number + [0x22, UInt8(data.count)] + data))
        for client in 1...times {
            let sender = Sender(.share, "192.0.2.\(client)")
            test.gateway.administer(packet, by: sender, right: right, shown: nil, of: try test.source) { outcome in
                answers.list.withLock { list in
                    switch outcome {
                    // Without the passkey, which is another one each time.
                    case .answer(let payload): list.append(Array(payload.dropLast(11)))
                    case .refused(let error): list.append([0xff, UInt8(error.rawValue)])
                    default: list.append([])
                    }
                }
            }
        }
    }

    private func answer(_ payload: [UInt8], to packet: MeshPacket, _ test: TestGateway) throws {
        try test.hear(
            .heard(.admin, payload, from: own, to: own) { answer, data in
                answer.rxRSSI = nil
                data.requestID = packet.id
            })
    }

    @Test func untilSomebodySetsIt() throws {
        let (clock, answers) = (Clock(), Answers())
        let test = try TestGateway(monotonic: { clock.now })
        test.radio.keepAdminPackets()
        try ask(getCannedMessages, times: 8, test, answers)
        let asked = try #require(test.radio.wait(for: 1).first)
        try answer([0x5a, 2, 0x68, 0x69], to: asked, test)
        #expect(answers.wait(for: 8) == [[UInt8]](repeating: [0x5a, 2, 0x68, 0x69], count: 8))
        clock.pass(seconds: 3600)
        try ask(getCannedMessages, test, answers)
        #expect(answers.wait(for: 9).last == [0x5a, 2, 0x68, 0x69])
        #expect(test.radio.received.count == 1)
        // set_canned_message_module_messages
        try ask([0xa2, 2, 1, 0x79], test, answers)
        let told = try #require(test.radio.wait(for: 2).last)
        try test.hear(.report(.none, on: told.id, from: own))
        #expect(answers.wait(for: 10).last == [])
        try ask(getCannedMessages, test, answers)
        try answer([0x5a, 1, 0x79], to: try #require(test.radio.wait(for: 3).last), test)
        #expect(answers.wait(for: 11).last == [0x5a, 1, 0x79])
    }

    /// It changes by itself.
    @Test func orForTenSeconds() throws {
        let (clock, answers) = (Clock(), Answers())
        let test = try TestGateway(monotonic: { clock.now })
        test.radio.keepAdminPackets()
        try ask(getConnectionStatus, times: 3, test, answers)
        // get_device_connection_status_response
        try answer([0x8a, 1, 0], to: try #require(test.radio.wait(for: 1).first), test)
        #expect(answers.wait(for: 3) == [[UInt8]](repeating: [0x8a, 1, 0], count: 3))
        try ask(getConnectionStatus, test, answers)
        #expect(answers.wait(for: 4).count == 4 && test.radio.received.count == 1)
        clock.pass(seconds: 11)
        try ask(getConnectionStatus, test, answers)
        try answer([0x8a, 1, 0], to: try #require(test.radio.wait(for: 2).last), test)
        #expect(answers.wait(for: 5).count == 5 && test.radio.received.count == 2)
    }

    /// Nor is one asked again and again that has no answer: an app is told that there is no text.
    @Test func alsoWhenItIsRefused() throws {
        let answers = Answers()
        let test = try TestGateway()
        test.radio.keepAdminPackets()
        try ask(getCannedMessages, times: 2, test, answers)
        try test.hear(.report(.badRequest, on: try #require(test.radio.wait(for: 1).first).id, from: own))
        _ = answers.wait(for: 2)
        try ask(getCannedMessages, test, answers)
        #expect(answers.wait(for: 3) == [[UInt8]](repeating: [0x5a, 0], count: 3))
        #expect(test.radio.received.count == 1)
    }

    /// A part that no radio has: its refusal is kept until the next handshake.
    @Test func alsoWhatNoRadioHas() throws {
        let (clock, answers) = (Clock(), Answers())
        let test = try TestGateway(monotonic: { clock.now })
        test.radio.keepAdminPackets()
        let getChannel200: [UInt8] = [8, 200, 1]
        try ask(getChannel200, times: 3, test, answers)
        try test.hear(.report(.badRequest, on: try #require(test.radio.wait(for: 1).first).id, from: own))
        let refused: [UInt8] = [0xff, UInt8(RoutingError.badRequest.rawValue)]
        #expect(answers.wait(for: 3) == [[UInt8]](repeating: refused, count: 3))
        clock.pass(seconds: 3600)
        // However it is spelled.
        try ask([8, 200, 0x81, 0], test, answers)
        #expect(answers.wait(for: 4).last == refused && test.radio.received.count == 1)
        try test.readAgain()
        try ask(getChannel200, test, answers)
        #expect(test.radio.wait(for: 2).count == 2)
    }

    /// Those who may only read have one question at a time among them all; others do not wait behind them.
    @Test func readersStandInLine() throws {
        let answers = Answers()
        let test = try TestGateway()
        test.radio.keepAdminPackets()
        for channel in 100...104 as ClosedRange<UInt8> { try ask([8, channel], times: 2, right: .read, test, answers) }
        #expect(test.radio.wait(for: 1).count == 1 && answers.wait(for: 0).isEmpty)
        // What an administrator wants of the same is asked now, and what is behind it in line stays there.
        try ask([8, 103], test, answers)
        let asked = test.radio.wait(for: 2)
        #expect(asked.count == 2)
        try test.hear(.report(.badRequest, on: asked[1].id, from: own))
        #expect(answers.wait(for: 3).count == 3 && test.radio.received.count == 2)
        try test.hear(.report(.badRequest, on: asked[0].id, from: own))
        for count in 3...5 {
            let next = try #require(test.radio.wait(for: count).last)
            #expect(test.radio.received.count == count)
            try test.hear(.report(.badRequest, on: next.id, from: own))
        }
        #expect(answers.wait(for: 11).count == 11 && test.radio.received.count == 5)
    }
}
