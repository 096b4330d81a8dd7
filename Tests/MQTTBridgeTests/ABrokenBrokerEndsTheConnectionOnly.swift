import Glibc
import Platform
import Testing

@testable import MQTTBridge

/// What is no MQTT, or too much of it, costs its connection and nothing else.
@Suite struct ABrokenBrokerEndsTheConnectionOnly {
    /// Under 3.1.1 nobody keeps a broker from announcing 256 MB: the library has them allocated at once.
    @Test func aPacketWithoutEnd() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll(FakeBroker.welcome, to: connection)
            // PUBLISH of 200 MB to "a".
            _ = writeAll([0x30, 0x80, 0x84, 0xAF, 0x5F, 0, 1, 0x61, 0] as [UInt8], to: connection)
            let piece = [UInt8](repeating: 0x78, count: 64 << 10)
            // One call of the library reads on while there is something: as fast as it reads, nobody counts.
            for _ in 0..<3_200 where usleep(5_000) != 0 || writeAll(piece, to: connection) != 0 { break }
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.waitForLog("a packet of more than 256 kB")
        #expect(loop.user.state.withLock { $0.received.isEmpty })
        loop.stop()
    }

    /// A readable socket without a byte: libmosquitto may say that all is well.
    @Test func anEndInTheHandshake() throws {
        let broker = try FakeBroker { connection in _ = FakeBroker.readPacket(connection) }
        for hasTLS in [false, true] {
            let loop = try RunningLoop(.local(broker.port) { $0.hasTLS = hasTLS })
            loop.waitForLog("cannot connect to the broker")
            sleep(1)
            // It does not spin on the closed connection: the next attempt is half a second later, the one after that a second,
            // and the eighth more than a minute, which no machine sleeps too long.
            #expect(loop.mailbox.report.failures < 8)
            loop.stop()
        }
    }

    /// Only half of the connection is closed: poll(2) then knows no hang-up.
    @Test func anEndOfOneDirection() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            shutdown(connection, Int32(SHUT_WR))
            // Until the other side closes.
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port) { $0.hasTLS = true })
        #expect(broker.waitForConnections(2))
        loop.stop()
    }

    @Test func aBrokerThatSpeaksSomethingElse() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll("HTTP/1.1 400 Bad Request\r\n\r\n".utf8, to: connection)
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.waitForLog("cannot connect to the broker")
        loop.stop()
    }

    /// libmosquitto 2.0.11 ends the program by an assertion at a property that MQTT 5 does not know.
    @Test func aPropertyThatNobodyKnows() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll([0x20, 5, 0, 0, 2, 0x7F, 0] as [UInt8], to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port))
        // Later ones call it a malformed packet.
        loop.waitForLog("libmosquitto 2.0.11 gives up at")
        #expect(loop.mailbox.report.state == .refused)
        loop.stop()
    }

    /// 2.0.19 and later refuse it, earlier ones call back with nothing.
    @Test func aSubscriptionWithoutAnAnswer() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll(FakeBroker.welcome, to: connection)
            let subscribe = FakeBroker.readPacket(connection)
            guard subscribe.count > 4 else { return }
            _ = writeAll([0x90, 3, subscribe[2], subscribe[3], 0], to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port), user: RecordedUser(subscribingTo: ["a"]))
        loop.user.wait("told or lost") { $0.isAllowed == false || $0.ends > 0 }
        loop.stop()
    }

    /// Above 5 the call says "protocol error", and only the callback knows why.
    @Test(arguments: [(0x88, false), (0x8A, true)])
    func aRefusal(code: Int, isFinal: Bool) throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll([0x20, 3, 0, UInt8(code), 0], to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.waitForLog(isFinal ? "anned" : "erver unavailable")
        #expect((loop.mailbox.report.state == .refused) == isFinal)
        loop.stop()
    }

    /// Newer brokers say why they end a connection.
    @Test func aSessionThatIsTakenOver() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll(FakeBroker.welcome + [0xE0, 2, 0x8E, 0], to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.waitForLog("another client has taken the session over")
        loop.stop()
    }

    /// A broker that closes without an answer may know no MQTT 5.
    @Test func theOlderVersionIsTried() throws {
        let versions = Monitor<[UInt8]>([])
        let broker = try FakeBroker { connection in
            let connect = FakeBroker.readPacket(connection)
            guard connect.count > 8 else { return }
            // Behind "MQTT" with its length.
            versions.notify { $0.append(connect[8]) }
            guard connect[8] == 4 else { return }
            _ = writeAll([0x20, 2, 0, 0] as [UInt8], to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.user.wait("live") { $0.version == .mqtt311 }
        #expect(versions.withLock { $0 } == [5, 4])
        loop.stop()
    }

    /// The broker's keep-alive is the one that counts, and our largest packet is in the CONNECT.
    @Test func limitsOfBothSides() throws {
        let connects = Monitor<[[UInt8]]>([])
        let broker = try FakeBroker { connection in
            let connect = FakeBroker.readPacket(connection)
            connects.notify { $0.append(connect) }
            // Server keep-alive 600 s, receive maximum 3, no retained messages, packets of 1,000 bytes, QoS 1.
            let properties: [UInt8] = [0x13, 2, 0x58, 0x21, 0, 3, 0x25, 0, 0x27, 0, 0, 3, 0xE8, 0x24, 1]
            _ = writeAll(
                [0x20, UInt8(3 + properties.count), 0, 0, UInt8(properties.count)] + properties, to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.user.wait("live") { $0.connections == 1 }
        let limits = try #require(loop.mailbox.report.limits)
        #expect(limits.keepAlive == 600 && limits.receiveMaximum == 3 && !limits.retains && limits.maximumQoS == 1)
        #expect(limits.maximumPacketSize == 1_000)
        // Property 0x27 with 65,536.
        let connect = connects.withLock { $0[0] }
        #expect(connect.indices.contains { connect[$0...].starts(with: [0x27, 0, 1, 0, 0]) })
        // More than the broker takes is refused here, and the connection stays.
        loop.publish([Publication(topic: "long", payload: [UInt8](repeating: 0x61, count: 2_000))])
        loop.user.wait("refused") { $0.settled.contains { $0.topic == "long" && $0.outcome.isRefused } }
        loop.publish((0..<9).map { Publication(topic: "short/\($0)", payload: [0x61], isRetained: false) })
        loop.user.wait("three in flight") { $0.inFlight == 3 }
        #expect(loop.user.state.withLock { $0.toPublish.count } == 6)
        #expect(loop.user.state.withLock { $0.ends } == 0)
        loop.stop()
    }
}
