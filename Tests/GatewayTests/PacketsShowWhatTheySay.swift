import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// The preview of a packet that was received.
private func preview(_ port: PortNumber, _ payload: [UInt8], showsPosition: Bool = true) -> String {
    MeshPacket.heard(port, payload).preview(isOwn: false, showsPosition: showsPosition)
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
        #expect(packet.preview(isOwn: true, showsPosition: true) == "\"" + String(repeating: "x", count: 50) + "\"")
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
        #expect(preview(PortNumber(rawValue: 72), [1]) == "[ATAK_PLUGIN]")
        #expect(preview(PortNumber(rawValue: 4_000_000_000), [1]) == "[Port 4000000000]")
        #expect(preview(.position, [0xFF]) == "[POSITION_APP]", "not what its port says")
        let secret = MeshPacket(from: alice, to: own, id: 1, payload: .encrypted([0x41]))
        #expect(secret.preview(isOwn: false, showsPosition: true) == "🔒 <ENCRYPTED>")
    }
}
