import Testing

@testable import MQTTBridge

/// What MQTT can say beside a topic and a payload, against Debian's mosquitto.
@Suite struct MQTTsOptionsPassThroughTheProcess {
    private func mosquitto() throws -> Mosquitto {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        return mosquitto
    }

    @Test(arguments: [Quality.atMostOnce, .atLeastOnce, .exactlyOnce]) func theQuality(_ quality: Quality) throws {
        let mosquitto = try mosquitto()
        let direct = try DirectConnection(to: mosquitto.port)
        try direct.waitUntilLive()
        var subscription = MQTTBridge.Subscription("q")
        subscription.quality = quality
        try direct.subscribe(subscription)
        var message = OutgoingMessage("q", [1])
        message.quality = quality
        _ = direct.connection.publish(message)
        #expect(try direct.message().quality == quality)
        try direct.close()
    }

    @Test func propertiesAndIdentifiers() throws {
        let mosquitto = try mosquitto()
        let direct = try DirectConnection(to: mosquitto.port)
        #expect(try direct.waitUntilLive().limits.hasSubscriptionIdentifiers)
        var subscription = MQTTBridge.Subscription("p/#")
        subscription.identifier = 200_000
        try direct.subscribe(subscription)
        var message = OutgoingMessage("p/a", Array("text".utf8))
        message.properties = [UserProperty("from", "!0a1b2c3d"), UserProperty("empty", ""), UserProperty("from", "ä")]
        _ = direct.connection.publish(message)
        let received = try direct.message()
        #expect(received.identifiers == [200_000] && received.properties == message.properties)
        #expect(received.topic == "p/a" && received.payload == message.payload)
        try direct.close()
    }

    @Test func noLocal() throws {
        let mosquitto = try mosquitto()
        let direct = try DirectConnection(to: mosquitto.port)
        try direct.waitUntilLive()
        var own = MQTTBridge.Subscription("l/own")
        own.isNoLocal = true
        try direct.subscribe(own)
        try direct.subscribe(MQTTBridge.Subscription("l/any"))
        _ = direct.connection.publish(OutgoingMessage("l/own", [1]))
        _ = direct.connection.publish(OutgoingMessage("l/any", [1]))
        // They would come in their order.
        #expect(try direct.message().topic == "l/any")
        try direct.close()
    }

    /// With "as published" the flag says how it was published, else that it stood there.
    @Test(arguments: [false, true]) func retainedAsPublished(_ isAsPublished: Bool) throws {
        let mosquitto = try mosquitto()
        let direct = try DirectConnection(to: mosquitto.port)
        try direct.waitUntilLive()
        var subscription = MQTTBridge.Subscription("r")
        subscription.isRetainAsPublished = isAsPublished
        try direct.subscribe(subscription)
        var message = OutgoingMessage("r", [1])
        message.isRetained = true
        _ = direct.connection.publish(message)
        #expect(try direct.message().isRetained == isAsPublished)
        try direct.close()
    }

    @Test func whichRetainedMessagesCome() throws {
        let mosquitto = try mosquitto()
        let direct = try DirectConnection(to: mosquitto.port)
        try direct.waitUntilLive()
        for topic in ["h/never", "h/new", "h/always"] {
            var message = OutgoingMessage(topic, Array(topic.utf8))
            message.isRetained = true
            try direct.publish(message)
        }
        var never = MQTTBridge.Subscription("h/never")
        never.retainHandling = .never
        try direct.subscribe(never)
        var new = MQTTBridge.Subscription("h/new")
        new.retainHandling = .ifNew
        try direct.subscribe(new)
        #expect(try direct.message().topic == "h/new")
        // It is there already.
        try direct.subscribe(new)
        try direct.subscribe(MQTTBridge.Subscription("h/always"))
        #expect(try direct.message().topic == "h/always")
        try direct.close()
    }

    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func aSessionStays(version: ProtocolChoice.Version) throws {
        let mosquitto = try mosquitto()
        func connection(isClean: Bool = false) throws -> DirectConnection {
            try DirectConnection(to: mosquitto.port, version, clientID: "kept") { settings in
                settings.isClean = isClean
                settings.sessionExpiry = 600
            }
        }
        let first = try connection()
        #expect(try !first.waitUntilLive().isSessionPresent)
        try first.subscribe(MQTTBridge.Subscription("s"))
        try first.close()
        // What comes meanwhile waits for it.
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("s", [7]))
        try other.close()
        let second = try connection()
        #expect(try second.waitUntilLive().isSessionPresent)
        #expect(try second.message().payload == [7])
        try second.close()
        let third = try connection(isClean: true)
        #expect(try !third.waitUntilLive().isSessionPresent)
        try third.close()
    }

    @Test func unsubscribing() throws {
        let mosquitto = try mosquitto()
        let direct = try DirectConnection(to: mosquitto.port)
        try direct.waitUntilLive()
        try direct.subscribe(MQTTBridge.Subscription("u"))
        try direct.subscribe(MQTTBridge.Subscription("v"))
        let number = direct.connection.unsubscribe("u")
        _ = try direct.next("unsubscribed") { $0 == .unsubscribed(number: number) ? true : nil }
        _ = direct.connection.publish(OutgoingMessage("u", [1]))
        _ = direct.connection.publish(OutgoingMessage("v", [1]))
        #expect(try direct.message().topic == "v")
        try direct.close()
    }
}
