import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// The preview of a packet that was received.
private func preview(_ port: PortNumber, _ payload: [UInt8], showsPosition: Bool = true) -> String {
    MeshPacket.heard(port, payload).preview(at: noon, isOwn: false, showsPosition: showsPosition)
}

@Suite struct PacketsShowWhatTheySay {
    @Test func aTextIsCutBetweenCharacters() {
        let text = String(repeating: "ä", count: 99) + "👍🏽!"
        #expect(preview(.textMessage, Array(text.utf8)) == text.dropLast())
        #expect(preview(.alert, Array("<b>\"\u{202E}".utf8)) == "<b>\"\u{202E}", "whoever shows it escapes it")
        #expect(preview(.textMessage, [0xFF, 0x41]) == "\u{FFFD}A")
    }

    @Test func anOwnTextIsQuoted() {
        let packet = MeshPacket.text(String(repeating: "x", count: 51), from: own)
        #expect(
            packet.preview(at: noon, isOwn: true, showsPosition: true) == "\"" + String(repeating: "x", count: 50)
                + "\"")
    }

    @Test func aPositionIsShownToThoseWhoMaySeeIt() {
        let position = Position(latitudeI: 462_044_000, longitudeI: -61_432_049, precisionBits: 32).encoded()
        #expect(preview(.position, position) == "[Position: 46.20440°, -6.14320°]")
        #expect(preview(.position, position, showsPosition: false) == "[Position]")
        #expect(preview(.position, []) == "[Position]", "a request for one")
        let south = Position(latitudeI: -5_050, longitudeI: .max, precisionBits: 32).encoded()
        #expect(preview(.position, south) == "[Position]", "no such longitude")
        let near = Position(latitudeI: -5_050, longitudeI: 1_799_999_999, precisionBits: 32).encoded()
        #expect(preview(.position, near) == "[Position: -0.00051°, 180.00000°]")
    }

    @Test func everythingElseIsNamed() {
        #expect(preview(.nodeInfo, User(longName: "Ridge Repeater").encoded()) == "[NodeInfo: Ridge Repeater]")
        #expect(preview(.telemetry, device(("batteryLevel", 87))) == "[Telemetry: Device]")
        #expect(preview(.traceroute, []) == "[Traceroute]")
        #expect(preview(.routing, Routing.error(.none).encoded()) == "[Routing: ACK]")
        #expect(preview(.routing, Routing.error(.noChannel).encoded()).contains("channel is disabled"))
        #expect(preview(PortNumber(rawValue: 72), [1, 2, 3, 4, 5, 6, 7]) == "[ATAK packet, 7 bytes (undecodable)]")
        #expect(preview(PortNumber(rawValue: 300), [1]) == "[UNKNOWN_300]")
        #expect(preview(PortNumber(rawValue: 4_000_000_000), [1]) == "[UNKNOWN_4000000000]")
        #expect(preview(.position, [0xFF]) == "[POSITION_APP]", "not what its port says")
        let secret = MeshPacket(from: alice, to: own, id: 1, payload: .encrypted([0x41]))
        #expect(secret.preview(at: noon, isOwn: false, showsPosition: true) == "🔒 <ENCRYPTED>")
    }

    @Test func telemetryIsNamedByItsKind() {
        #expect(preview(.telemetry, [0x1A, 0]) == "[Telemetry: Environment]", "an empty one is a request")
        #expect(preview(.telemetry, [0x22, 0]) == "[Telemetry: Air Quality]")
        #expect(preview(.telemetry, [0x32, 0]) == "[Telemetry: Local Stats]")
        #expect(preview(.telemetry, []) == "[Telemetry: Unknown]")
        #expect(preview(.telemetry, [0x0D, 0x31, 0x45, 0x01, 0x6B]) == "[Telemetry: Unknown]", "a time alone")
    }

    @Test func whoHasNoNameHasSentAnUpdate() {
        #expect(preview(.nodeInfo, User(longName: "").encoded()) == "[NodeInfo update]")
        #expect(preview(.nodeInfo, User(longName: "", shortName: "RDG").encoded()) == "[NodeInfo: RDG]")
    }

    @Test func aWaypointThatHadExpiredIsDeleted() {
        let seconds = UInt32(noon / 1000)
        let waypoint = { (expire: UInt32, name: String) in
            preview(.waypoint, Waypoint(id: 9, expire: expire, name: name).encoded())
        }
        #expect(waypoint(0, "Hut") == "[Waypoint: id=9 Hut]")
        #expect(waypoint(seconds + 1, "") == "[Waypoint: id=9 ]")
        #expect(waypoint(seconds, "Hut") == "[Waypoint delete: id=9]")
        #expect(waypoint(.max, "Hut") == "[Waypoint: id=9 Hut]")
    }

    @Test func whatAServerSaysIsCounted() {
        #expect(
            preview(.paxcounter, Paxcount(wifi: 23, ble: 11, uptime: 1).encoded()) == "[Paxcounter: WiFi=23, BLE=11]")
        // rr and what belongs to it: heartbeat, statistics, history, a repeated text, a bare word.
        #expect(preview(.storeForward, [8, 2, 0x22, 3, 8, 0x84, 7]) == "[S&F Heartbeat: period=900s]")
        #expect(preview(.storeForward, [8, 7, 0x12, 5, 0x10, 50, 0x18, 0xE8, 7]) == "[S&F Stats: saved=50/1000]")
        #expect(preview(.storeForward, [8, 6, 0x1A, 2, 8, 3]) == "[S&F History: 3 msgs]")
        #expect(preview(.storeForward, [8, 9, 0x2A, 2, 0x68, 0x69]) == "[S&F ROUTER_TEXT_BROADCAST: \"hi\"]")
        #expect(preview(.storeForward, [8, 8, 0x2A, 2, 0x68, 0x69]) == "[S&F ROUTER_TEXT_DIRECT: \"hi\"]")
        #expect(preview(.storeForward, [8, 3]) == "[S&F ROUTER_PING]")
        #expect(preview(.storeForward, [8, 99]) == "[S&F 99]")
    }

    /// MeshMonitor has the port's name for all of these.
    @Test func aTextIsShownWhereverItIs() {
        #expect(preview(.textMessage, []) == "[TEXT_MESSAGE_APP]")
        #expect(preview(.alert, []) == "[ALERT_APP]")
        #expect(preview(.rangeTest, Array("seq 1".utf8)) == "seq 1")
        #expect(preview(.detectionSensor, Array("Door".utf8)) == "Door")
        #expect(preview(.nodeStatus, [0x0A, 2, 0x68, 0x69]) == "[Status: hi]")
    }
}
