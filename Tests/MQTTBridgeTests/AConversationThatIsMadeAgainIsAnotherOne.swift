import Foundation
import Testing

@testable import MQTTBridge

/// Removed while its outbox is full and the broker away, and made again under its name: nothing of the old one goes out or is shown.
@Suite struct AConversationThatIsMadeAgainIsAnotherOne {
    @Test func whileTheOutboxIsFull() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        let old = try gateway.add()
        try gateway.waitUntilConnected()
        mosquitto.stop()
        try gateway.bridged.eventually("lost") { gateway.state().state == .connecting }
        for number in 1...1_000 { try gateway.send("old \(number)") }
        try gateway.remove()
        let new = try gateway.add()
        #expect(new != old)
        try gateway.send("new")
        #expect(gateway.texts() == ["new"])

        try mosquitto.start()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.subscribe(Subscription("club/#"))
        // Which of both is there first: it is published once more.
        try gateway.bridged.eventually("sent") {
            (try? gateway.bridged.store.commit { try $0.waitingTexts(in: new) }) == 0
        }
        try gateway.send("newer")
        var heard = try other.message()
        #expect(heard.text.hasPrefix("new"))
        while heard.text != "newer" { heard = try other.message() }
        #expect(gateway.texts() == ["new", "newer"])
        try gateway.bridged.eventually("the old texts are gone") {
            (try? gateway.bridged.store.read { try $0.messages(.init(source: old, limit: 10)).isEmpty }) ?? true
        }
        gateway.stop()
        try other.close()
    }
}
