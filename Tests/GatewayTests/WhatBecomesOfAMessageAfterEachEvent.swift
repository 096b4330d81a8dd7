import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Testing

@testable import Gateway

/// What a client reads of a message after each thing that can happen to it. Written from what MeshMonitor 4.15.1 was seen
/// to do, and from where this gateway deliberately does better: a message never goes back, and never waits for ever.
@Suite struct WhatBecomesOfAMessageAfterEachEvent {
    enum Step: Sendable, CustomTestStringConvertible {
        case queue(Int32), radio(UInt32), target(UInt32), third(UInt32), patience

        var testDescription: String {
            switch self {
            case .queue(let result): "queue \(result)"
            case .radio(let error): "radio \(error)"
            case .target(let error): "target \(error)"
            case .third(let error): "third \(error)"
            case .patience: "nothing more"
            }
        }

        func frame(about id: PacketID) -> FromRadio? {
            switch self {
            case .queue(let result): .queueStatus(QueueStatus(result: result, free: 15, capacity: 16, packetID: id))
            case .radio(let error): .packet(.report(RoutingError(rawValue: error), on: id, from: own))
            case .target(let error): .packet(.report(RoutingError(rawValue: error), on: id, from: alice))
            case .third(let error): .packet(.report(RoutingError(rawValue: error), on: id, from: carol))
            case .patience: nil
            }
        }
    }

    enum Again: Sendable { case no, atOnce, in2500, in30000 }

    struct Row: Sendable, CustomTestStringConvertible {
        let steps: [Step]
        /// `deliveryState`.
        let state: String
        /// `routingErrorCode`.
        var code: UInt32?
        var again = Again.no
        var testDescription: String { steps.map(\.testDescription).joined(separator: ", ") }
    }

    private static func failures(_ codes: [UInt32], _ step: (UInt32) -> Step) -> [Row] {
        codes.map { Row(steps: [step($0)], state: "failed", code: $0) }
    }

    /// 1 to 9 and 32 to 39, and one that no firmware has yet.
    private static let codes: [UInt32] = Array(1...9) + Array(32...39) + [99]

    static let channel: [Row] =
        [
            Row(steps: [.queue(0)], state: "pending"), Row(steps: [.radio(0)], state: "delivered"),
            Row(steps: [.third(0)], state: "pending"), Row(steps: [.target(0)], state: "pending"),
            Row(steps: [.radio(5), .radio(0)], state: "delivered"),
            Row(steps: [.radio(0), .radio(5)], state: "delivered"),
            Row(steps: [.queue(0), .patience], state: "failed", code: 3),
            // Told too soon, and by a recipient that does not know us: both go out again.
            Row(steps: [.radio(38)], state: "pending", again: .in2500),
            Row(steps: [.radio(35)], state: "pending", again: .in30000),
        ] + failures(codes.filter { $0 != 35 && $0 != 38 }) { .radio($0) }
        + codes.map { Row(steps: [.third($0)], state: "pending") }

    @Test(arguments: channel) func aTextOnAChannel(_ row: Row) throws { try check(row, .channel(0)) }

    static let direct: [Row] =
        [
            Row(steps: [.queue(0)], state: "pending"), Row(steps: [.radio(0)], state: "delivered"),
            Row(steps: [.target(0)], state: "confirmed"), Row(steps: [.third(0)], state: "pending"),
            Row(steps: [.target(0), .radio(0)], state: "confirmed"),
            Row(steps: [.radio(5), .target(0)], state: "confirmed"),
            Row(steps: [.radio(5), .radio(0)], state: "delivered"),
            Row(steps: [.target(0), .target(8)], state: "confirmed"),
            Row(steps: [.target(0), .radio(5)], state: "confirmed"),
            Row(steps: [.queue(0), .patience], state: "failed", code: 3),
            // It lacks our key, or has another one itself; the radio lacks its key, and gets it back.
            Row(steps: [.target(35)], state: "pending", again: .in30000),
            Row(steps: [.target(6)], state: "pending", again: .in30000),
            Row(steps: [.radio(39)], state: "pending", again: .atOnce),
            // Nonsense from there, and no reason to give up.
            Row(steps: [.target(39)], state: "pending", again: .atOnce),
            Row(steps: [.radio(35)], state: "pending", again: .in30000),
            Row(steps: [.radio(38)], state: "pending", again: .in2500),
        ] + failures(codes.filter { ![6, 35, 39].contains($0) }) { .target($0) }
        + failures(codes.filter { ![35, 38, 39].contains($0) }) { .radio($0) }
        + codes.map { Row(steps: [.third($0)], state: "pending") }

    @Test(arguments: direct) func aDirectText(_ row: Row) throws { try check(row, .node(alice)) }

    /// The radio's transmit queue, whatever the text is.
    static let queue: [Row] = [
        Row(steps: [.queue(1)], state: "failed", code: 1), Row(steps: [.queue(8)], state: "failed", code: 8),
        Row(steps: [.queue(38)], state: "failed", code: 38), Row(steps: [.queue(33)], state: "failed", code: 4),
        Row(steps: [.queue(32)], state: "pending", again: .in2500), Row(steps: [.queue(35)], state: "pending"),
        // No firmware says this.
        Row(steps: [.queue(-1)], state: "failed", code: 4_294_967_295),
        Row(steps: [.queue(34)], state: "failed", code: 34),
    ]

    @Test(arguments: queue) func theQueuesWord(_ row: Row) throws {
        try check(row, .channel(0))
        try check(row, .node(alice))
    }

    private func check(_ row: Row, _ destination: OutgoingText.Destination) throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        // The radio knows her, too.
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: User(longName: "A", publicKey: key(1)))))
        let sent = try test.sendAndHand("hi", to: destination)
        for step in row.steps {
            if let frame = step.frame(about: sent.packetID) {
                try test.hear(frame)
            } else {
                // Longer than any modem takes.
                _ = test.gateway.radios.all[0].expire(at: MonotonicClock.nanoseconds() + 400_000_000_000)
                try test.settle()
            }
        }
        let source = try test.source
        let message = try #require(
            try test.store.read { try $0.message(packetID: sent.packetID, from: nil, in: source) })
        #expect(message.delivery?.publicName == row.state)
        #expect(message.delivery?.error?.rawValue == row.code)
        // It stays where it is in the list, whatever clock a radio has.
        #expect((message.timestamp, message.rxTime) == (sent.timestamp, sent.rxTime))
        let again = try test.outbox().filter { $0.packet.port == .textMessage && $0.packetID != sent.packetID }
        let delays: [Int64] =
            switch row.again {
            case .no: []
            case .atOnce: [noon]
            case .in2500: [noon + 2_500]
            case .in30000: [noon + 30_000]
            }
        #expect(again.map(\.notBefore) == delays)
    }

    /// The recipient's own word also tells how the way back was.
    @Test func whoConfirmedIsKept() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("hi", to: .node(alice))
        var report = MeshPacket.report(.none, on: sent.packetID, from: alice)
        (report.relayNode, report.rxSNR, report.rxRSSI) = (0x17, 5.5, -99)
        try test.hear(report)
        let message = try #require(try test.messages().first)
        #expect(message.delivery?.ackFrom == alice)
        #expect((message.relayNode, message.rxSNR, message.rxRSSI) == (0x17, 5.5, -99))
    }
}
