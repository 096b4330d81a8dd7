import Foundation
import Testing

@testable import MQTTBridge

/// A broker's file is renamed, broken and back: what is written meanwhile waits, and goes out once.
@Suite struct ABrokersFileComesAndGoesUnderAConversation {
    @Test func whatIsWrittenMeanwhileWaits() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add()
        try gateway.waitUntilConnected()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.subscribe(Subscription("club/#"))

        // Renamed: no file of this name is in force. The session at the broker goes on.
        let files = "\(gateway.bridged.folder)/brokers.d"
        try FileManager.default.moveItem(atPath: "\(files)/house.conf", toPath: "\(files)/club.conf")
        gateway.bridged.brokers.reload()
        try gateway.bridged.eventually("no broker") { gateway.state().state == .noBroker }
        #expect(gateway.state().reason == "no broker house is in force: mesh-gateway mqtt status shows those that are")
        let first = try gateway.send("first")
        try other.publish(OutgoingMessage("club/talk", text: "while renamed"))
        #expect(gateway.delivery(of: first)?.state == .queued)

        // Back, but nobody can read it: that is no broker either.
        try FileManager.default.removeItem(atPath: "\(files)/club.conf")
        try "nonsense\n".write(toFile: "\(files)/house.conf", atomically: true, encoding: .utf8)
        gateway.bridged.brokers.reload()
        #expect(gateway.state().state == .noBroker)

        try gateway.configure(mosquitto.port)
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: first)?.state == .relayed }
        try gateway.bridged.eventually("both, and not \(gateway.texts())") {
            Set(gateway.texts()) == ["first", "while renamed"]
        }

        // Broken while it is in force: it stays in force.
        try "nonsense\n".write(toFile: "\(files)/house.conf", atomically: true, encoding: .utf8)
        gateway.bridged.brokers.reload()
        let second = try gateway.send("second")
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: second)?.state == .relayed }
        var heard: [String] = []
        while heard.last != "second" { heard.append(try other.message().text) }
        #expect(heard.filter { $0 == "first" }.count == 1 && heard.filter { $0 == "second" }.count == 1, "\(heard)")
        #expect(gateway.texts().count == 3)
        gateway.stop()
        try other.close()
    }
}
