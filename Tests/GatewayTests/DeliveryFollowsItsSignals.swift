import HeldWriter
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// Contract 3.6 and SerialReference 6.1, however late the disk is. Each row: what was heard about an own message, in
/// order, and where that ends.
@Suite struct DeliveryFollowsItsSignals {
    enum Signal: Sendable, CustomTestStringConvertible {
        case radio(RoutingError), destination(RoutingError), third(RoutingError), answer, queue(Int32)

        var testDescription: String {
            switch self {
            case .radio(let error): "radio \(error.rawValue)"
            case .destination(let error): "destination \(error.rawValue)"
            case .third(let error): "third \(error.rawValue)"
            case .answer: "answer"
            case .queue(let result): "queue \(result)"
            }
        }

        func frame(about id: PacketID) -> FromRadio {
            switch self {
            case .radio(let error): .packet(.report(error, on: id, from: own))
            case .destination(let error): .packet(.report(error, on: id, from: alice))
            case .third(let error): .packet(.report(error, on: id, from: carol))
            case .answer:
                .packet(.heard(.telemetry, device(("batteryLevel", 1)), to: own, id: 3) { $1.requestID = id })
            case .queue(let result): .queueStatus(QueueStatus(result: result, free: 15, capacity: 16, packetID: id))
            }
        }
    }

    typealias Row = (signals: [Signal], state: Delivery.State, error: RoutingError?)

    static let direct: [Row] = [
        ([], .handed, nil),
        ([.queue(0)], .accepted, nil),
        ([.queue(35)], .accepted, nil),
        ([.radio(.none)], .relayed, nil),
        ([.destination(.none)], .confirmed, nil),
        ([.radio(.none), .destination(.none)], .confirmed, nil),
        // Any answer proves that the request arrived.
        ([.answer], .confirmed, nil),

        // Never backwards.
        ([.destination(.none), .radio(.none)], .confirmed, nil),
        ([.destination(.none), .queue(0)], .confirmed, nil),
        ([.destination(.none), .radio(.maxRetransmit)], .confirmed, nil),
        ([.destination(.none), .destination(.pkiUnknownPublicKey)], .confirmed, nil),
        ([.destination(.none), .queue(32)], .confirmed, nil),
        ([.radio(.none), .queue(0)], .relayed, nil),
        ([.radio(.none), .radio(.maxRetransmit)], .relayed, nil),

        // A late acknowledgement lifts.
        ([.radio(.maxRetransmit)], .failed, .maxRetransmit),
        ([.radio(.maxRetransmit), .destination(.none)], .confirmed, nil),
        ([.radio(.maxRetransmit), .radio(.none)], .relayed, nil),
        ([.queue(0), .radio(.dutyCycleLimit)], .failed, .dutyCycleLimit),
        ([.radio(.dutyCycleLimit), .queue(0)], .failed, .dutyCycleLimit),

        // The recipient itself beats an echo, whenever that comes.
        ([.radio(.none), .destination(.badRequest)], .failed, .badRequest),
        ([.destination(.badRequest), .radio(.none)], .failed, .badRequest),
        ([.radio(.maxRetransmit), .destination(.noChannel)], .failed, .noChannel),
        // The first local reason explains: an unset region is told at once, then looks like silence.
        ([.queue(34), .radio(.maxRetransmit)], .failed, .pkiFailed),

        // Third nodes have no say.
        ([.third(.none)], .handed, nil),
        ([.third(.pkiUnknownPublicKey)], .handed, nil),

        // The queue's own refusals (SerialReference 2.6).
        ([.queue(33)], .failed, .noInterface),
        ([.queue(6)], .failed, .noChannel),
        ([.queue(7)], .failed, .tooLarge),
        ([.queue(9)], .failed, .dutyCycleLimit),
        ([.queue(39), .radio(.pkiSendFailPublicKey)], .failed, .pkiSendFailPublicKey),
    ]

    @Test(arguments: Hold.all) func aDirectMessage(_ hold: Hold) throws {
        let test = try TestGateway(holding: hold)
        test.radio.ignorePackets()
        try run(Self.direct, .node(alice), test)
    }

    static let broadcast: [Row] = [
        ([.queue(0)], .accepted, nil),
        ([.radio(.none)], .relayed, nil),
        ([.radio(.maxRetransmit)], .failed, .maxRetransmit),
        ([.radio(.maxRetransmit), .radio(.none)], .relayed, nil),
        // Nobody can confirm for everybody, nor refuse.
        ([.destination(.none)], .handed, nil),
        ([.destination(.noChannel)], .handed, nil),
    ]

    @Test(arguments: Hold.all) func aChannelMessage(_ hold: Hold) throws {
        let test = try TestGateway(holding: hold)
        test.radio.ignorePackets()
        try run(Self.broadcast, .channel(0), test)
    }

    private func run(_ rows: [Row], _ destination: OutgoingText.Destination, _ test: TestGateway) throws {
        for row in rows {
            let message = try test.sendAndHand("x", to: destination)
            try test.hear(row.signals.map { $0.frame(about: message.packetID) })
            let delivery = try #require(try test.delivery(of: message))
            #expect(delivery.state == row.state, "\(row.signals)")
            #expect(delivery.error == row.error, "\(row.signals)")
            // Makes room in flight for the next.
            try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: message.packetID)))
        }
    }
}
