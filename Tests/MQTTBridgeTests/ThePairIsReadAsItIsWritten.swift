import Testing

@testable import MQTTBridge

/// The codec between a daemon and the process of a connection.
@Suite struct ThePairIsReadAsItIsWritten {
    private static let settings: ConnectionSettings = {
        var settings = ConnectionSettings(.mqtt311, host: "house.local", port: 65_535, clientID: "")
        (settings.keepAlive, settings.isClean, settings.sessionExpiry) = (3_600, false, .max)
        (settings.user, settings.password) = ("mesh", "päss wörd")
        (settings.hasTLS, settings.authorities, settings.statusTopic) = (true, "/a", "b/status")
        return settings
    }()

    private static let outgoing: OutgoingMessage = {
        var message = OutgoingMessage("a/b", [0, 255])
        (message.quality, message.isRetained, message.expiry) = (.exactlyOnce, true, 0)
        message.properties = [UserProperty("", ""), UserProperty("name", "value")]
        return message
    }()

    private static let subscription: MQTTBridge.Subscription = {
        var subscription = MQTTBridge.Subscription("a/#")
        (subscription.quality, subscription.isNoLocal, subscription.isRetainAsPublished) = (.atMostOnce, true, true)
        (subscription.retainHandling, subscription.identifier) = (.never, 268_435_455)
        return subscription
    }()

    private static let incoming: IncomingMessage = {
        var message = IncomingMessage("ä", Array(repeating: 7, count: 3_000))
        (message.quality, message.isRetained, message.identifiers) = (.exactlyOnce, true, [1, .max])
        message.properties = [UserProperty("a", "b")]
        return message
    }()

    private static let limits: BrokerLimits = {
        var limits = BrokerLimits()
        (limits.maximumPacketSize, limits.receiveMaximum, limits.keepAlive) = (1_000, 3, 600)
        (limits.maximumQoS, limits.retains, limits.hasWildcards) = (0, false, false)
        limits.hasSubscriptionIdentifiers = false
        return limits
    }()

    private static let calls: [ConnectionCall] = [
        .probe, .connect(settings), .connect(ConnectionSettings(.mqtt5, host: "h", port: 1, clientID: "c")),
        .publish(number: .max, outgoing), .publish(number: -1, OutgoingMessage("", [])),
        .subscribe(number: 1, subscription), .subscribe(number: 1, MQTTBridge.Subscription("")),
        .unsubscribe(number: 2, filter: "a"), .answer, .disconnect,
    ]

    private static let events: [ConnectionEvent] = [
        .loaded("2.0.11"), .missing("why"), .opened,
        .answered(code: 0, text: "", BrokerLimits(), isSessionPresent: true),
        .answered(code: 0x87, text: "not authorized", limits, isSessionPresent: false), .received(incoming),
        .received(IncomingMessage("", [])), .acknowledged(number: 3, code: 0x97, text: "quota exceeded"),
        .subscribed(number: 4, code: 128), .unsubscribed(number: 5), .ended(code: 0x8E, text: ""),
        .failed(code: -1, text: "no", isUnanswered: true), .endOfBatch,
    ]

    private func read<Value: PairValue>(
        _ bytes: [UInt8], by size: Int, as kind: Value.Type
    ) throws(MalformedFrame) -> [Value] {
        var (stream, found) = (FrameStream(), [Value]())
        for start in stride(from: 0, to: bytes.count, by: size) {
            stream.take(bytes[start..<min(bytes.count, start + size)])
            while let value = try stream.next(kind) { found.append(value) }
        }
        return found
    }

    @Test(arguments: [1, 3, 7, 4_096, 1 << 20]) func however(itIsCut size: Int) throws {
        let calls = Self.calls.flatMap { FrameWriter.frame($0) }
        // Long arrays are not to be described where they differ.
        let areCallsSame = try read(calls, by: size, as: ConnectionCall.self) == Self.calls
        #expect(areCallsSame)
        let events = Self.events.flatMap { FrameWriter.frame($0) }
        let areEventsSame = try read(events, by: size, as: ConnectionEvent.self) == Self.events
        #expect(areEventsSame)
    }

    /// Every cut of every frame but the longest is refused as a whole, and so is one with a byte more.
    @Test func butNothingElse() {
        for frame in Self.calls.map({ FrameWriter.frame($0) }) {
            for count in 1..<max(1, frame.count - 4) {
                let cut = [0, 0, UInt8(count >> 8), UInt8(count & 0xFF)] + frame[4..<4 + count]
                #expect(throws: MalformedFrame.self) { try read(cut, by: 64, as: ConnectionCall.self) }
            }
            let longer = [0, 0, UInt8((frame.count - 3) >> 8), UInt8((frame.count - 3) & 0xFF)] + frame[4...] + [0]
            #expect(throws: MalformedFrame.self) { try read(longer, by: 64, as: ConnectionCall.self) }
        }
        for bad: [UInt8] in [
            [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 1], [0, 8, 0, 1, 1], [0, 0, 0, 1, 0], [0, 0, 0, 1, 99],
            // Text that is no UTF-8, and a length beyond the frame.
            [0, 0, 0, 6, 1, 0, 0, 0, 1, 0xFF], [0, 0, 0, 5, 1, 0xFF, 0xFF, 0xFF, 0xFF],
        ] {
            #expect(throws: MalformedFrame.self, "\(bad)") { try read(bad, by: 64, as: ConnectionEvent.self) }
        }
    }
}
