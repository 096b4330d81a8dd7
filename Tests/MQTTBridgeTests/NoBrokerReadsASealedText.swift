import Foundation
import JSON
import MeshModel
import Store
import Testing

@testable import MQTTBridge

/// Everything that a real broker passes on, as somebody sees it who may read all topics.
private final class Watcher {
    private let connection: DirectConnection
    private let port: Int
    private(set) var messages: [IncomingMessage] = []

    init(at port: Int) throws {
        self.port = port
        connection = try DirectConnection(to: port, clientID: "watcher-\(UUID().uuidString.prefix(8))")
        try connection.waitUntilLive()
        try connection.subscribe(Subscription("#"))
    }

    /// What has come by now, on the topics of the conversation.
    @discardableResult
    func look() throws -> [IncomingMessage] {
        let other = try DirectConnection(to: port, clientID: "end-\(UUID().uuidString.prefix(8))")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("end", text: ""))
        while true {
            let message = try connection.message()
            if message.topic == "end" { break }
            if message.topic.hasPrefix("club") { messages.append(message) }
        }
        try other.close()
        return messages
    }

    /// All of it, beside the topics, which a broker has to know.
    var bytes: [UInt8] {
        messages.flatMap { message in
            message.payload + message.properties.flatMap { Array("\($0.name)=\($0.value)".utf8) }
        }
    }

    func sees(_ text: String) -> Bool {
        let digits = hexadecimal(Array(text.utf8))
        return [text, digits, digits.uppercased(), Data(text.utf8).base64EncodedString()].contains { form in
            bytes.firstRange(of: Array(form.utf8)) != nil
        }
    }
}

extension TalkingGateway {
    /// The ids that its texts have.
    fileprivate func ids(of name: String = "club") throws -> [String] {
        try bridged.store.readCommitted { reader in
            guard let found = try reader.brokerConversation(name) else { return [] }
            let messages = try reader.messages(.init(source: found.source, limit: 10_000))
            return try reader.brokerTexts(of: messages.map(\.packetID), in: found.source).values.compactMap(\.id)
        }
    }
}

/// With a real broker, and one without MQTT 5 before it.
@Suite(.serialized) struct NoBrokerReadsASealedText {
    private let key = ConversationKey.random()

    /// As a stranger does.
    private func publish(
        _ payload: [UInt8], to topic: String = "club/talk", isRetained: Bool = false, at port: Int
    ) throws {
        let other = try DirectConnection(to: port, clientID: "other-\(UUID().uuidString.prefix(8))")
        try other.waitUntilLive()
        var message = OutgoingMessage(topic, payload)
        message.isRetained = isRetained
        // The broker itself could add them.
        message.properties = [UserProperty("id", "forged"), UserProperty("from", "Forger")]
        try other.publish(message)
        try other.close()
    }

    @Test(arguments: ATopicIsAChat.Spoken.allCases)
    func butWhoHasTheKeyDoes(version: ATopicIsAChat.Spoken) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gate = version == .mqtt311 ? try VersionGate(to: mosquitto.port) : nil
        let watcher = try Watcher(at: mosquitto.port)
        let (hut, valley, stranger) = (try TalkingGateway(), try TalkingGateway(), try TalkingGateway())
        for (gateway, writer) in [(hut, "Watzmannhaus"), (valley, "Ramsau")] {
            try gateway.configure(gate?.port ?? mosquitto.port)
            try gateway.add {
                $0.writer = writer
                $0.isJSON = writer == "Ramsau"
            }
            try gateway.seal(with: key)
            try gateway.waitUntilConnected()
        }
        try stranger.configure(mosquitto.port)
        try stranger.add()
        try stranger.waitUntilConnected()

        _ = try hut.send("Grüß Gott miteinander")
        try valley.wait(for: ["Grüß Gott miteinander"])
        let answer = try valley.send("Servus hinauf")
        try hut.wait(for: ["Grüß Gott miteinander", "Servus hinauf"])
        try valley.bridged.eventually("relayed") { valley.delivery(of: answer)?.state == .relayed }
        let texts = try valley.bridged.store.readCommitted { reader in
            let found = try #require(try reader.brokerConversation("club"))
            let messages = try reader.messages(.init(source: found.source))
            return try messages.map { try reader.brokerTexts(of: [$0.packetID], in: found.source).values.first?.writer }
        }
        #expect(texts == ["Ramsau", "Watzmannhaus"])
        // Nobody writes in clear there, and nobody forges what stands beside a text.
        try publish(Array("Berg Heil".utf8), at: mosquitto.port)
        try hut.bridged.eventually("dropped") { hut.state().unsealed == 1 }
        #expect(hut.state().unopened == 0 && hut.state().state == .connected && hut.texts().count == 2)

        let messages = try watcher.look()
        #expect(messages.count == 3 && watcher.sees("Berg Heil"), "it sees what is in clear")
        let sealed = messages.filter { $0.payload != Array("Berg Heil".utf8) }
        #expect(sealed.allSatisfy { $0.payload.starts(with: "MG1".utf8) && $0.properties.isEmpty && !$0.isRetained })
        let ids = try hut.ids()
        #expect(ids.count == 2)
        for word in ["Gott", "miteinander", "Servus", "hinauf", "Watzmann", "Ramsau", "text"] + ids {
            #expect(!watcher.sees(word), "\(word)")
        }
        // Whoever has no key sees how long it is.
        try stranger.bridged.eventually("\(stranger.texts())") { stranger.texts().count == 3 }
        #expect(stranger.texts().filter { $0.hasSuffix(" bytes]") }.count == 2, "\(stranger.texts())")
        // They come back to nobody.
        #expect(hut.texts().count == 2 && valley.texts().count == 2 && hut.state().unopened == 0)
        for gateway in [hut, valley, stranger] { gateway.stop() }
        withExtendedLifetime(gate) {}
    }

    @Test(arguments: ATopicIsAChat.Spoken.allCases)
    func andNobodyRepeatsMovesOrChangesOne(version: ATopicIsAChat.Spoken) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let port = mosquitto.port
        let gate = version == .mqtt311 ? try VersionGate(to: port) : nil
        let watcher = try Watcher(at: port)
        let (hut, valley) = (try TalkingGateway(), try TalkingGateway())
        let folder = valley.bridged.folder + "-kept"
        for gateway in [hut, valley] {
            try gateway.configure(gate?.port ?? port)
            try gateway.add()
            try gateway.add("other", ["club/other"], topic: nil)
            for name in ["club", "other"] { try gateway.seal(name, with: key) }
            try gateway.waitUntilConnected()
        }
        _ = try hut.send("einmal")
        try valley.wait(for: ["einmal"])
        let payload = try #require(try watcher.look().first?.payload)
        func disturb() throws {
            try publish(payload, at: port)
            // On a topic of the same conversation, and of another one with the same key.
            try publish(payload, to: "club/x", at: port)
            try publish(payload, to: "club/other", at: port)
            try publish(payload.dropLast() + [payload.last! ^ 1], at: port)
            try publish(Array(payload.prefix(30)), at: port)
            try publish(payload, to: "club/y", isRetained: true, at: port)
            try publish([], to: "club/y", isRetained: true, at: port)
        }
        try disturb()
        // What is sent last comes last.
        _ = try hut.send("zweimal")
        try valley.wait(for: ["einmal", "zweimal"])
        // A conversation with a wider filter has what came to the other's topic, too.
        #expect(valley.state().unopened == 5 && valley.state().unsealed == 1, "\(valley.state())")
        #expect(valley.texts(of: "other") == [] && valley.state(of: "other").unopened == 1)
        #expect(hut.texts() == ["einmal", "zweimal"])
        valley.stop()
        try FileManager.default.copyItem(atPath: valley.bridged.folder, toPath: folder)

        // They have waited at the broker, and come to a new process.
        try disturb()
        _ = try hut.send("dreimal")
        let again = try TalkingGateway(folder: folder)
        try again.wait(for: ["einmal", "zweimal", "dreimal"])
        #expect(again.texts(of: "other") == [])
        for gateway in [hut, again] { gateway.stop() }
        withExtendedLifetime(gate) {}
    }

    @Test func aKeyThatComesWhileATextWaitsSealsIt() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let watcher = try Watcher(at: mosquitto.port)
        let gateway = try TalkingGateway()
        try gateway.add()
        let sent = try gateway.send("Brotzeit")
        try gateway.seal(with: key)
        try gateway.configure(mosquitto.port)
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: sent)?.state == .relayed }
        let payload = try #require(try watcher.look().first?.payload)
        #expect(watcher.messages.count == 1 && !watcher.sees("Brotzeit"))
        let content = try #require(SealedText(payload)?.opened(for: "club/talk", with: key))
        let said = try #require(JSONValue(content))
        #expect(said["text"] == .string("Brotzeit") && said["from"] == .string("mesh-gateway"))
        let id = try gateway.ids().first
        #expect(said["id"]?.string == id && said["at"]?.integer == sent.timestamp)
        gateway.stop()
    }

    @Test func aKeyThatGoesWhileATextWaitsFailsIt() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let watcher = try Watcher(at: mosquitto.port)
        let gateway = try TalkingGateway()
        try gateway.add()
        try gateway.seal(with: key)
        let secret = try gateway.send("Brotzeit")
        try gateway.forgetKey()
        #expect(gateway.delivery(of: secret)?.state == .failed)
        let open = try gateway.send("Feierabend")
        try gateway.configure(mosquitto.port)
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: open)?.state == .relayed }
        #expect(try watcher.look().map(\.text) == ["Feierabend"])
        #expect(gateway.delivery(of: secret)?.state == .failed)
        gateway.stop()
    }

    /// A key is known at once, while the conversation is connected, and so is another one.
    @Test func anotherKeyIsAnotherConversation() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let (hut, valley) = (try TalkingGateway(), try TalkingGateway())
        for gateway in [hut, valley] {
            try gateway.configure(mosquitto.port)
            try gateway.add()
            try gateway.waitUntilConnected()
        }
        _ = try hut.send("offen")
        try valley.wait(for: ["offen"])
        try hut.seal(with: key)
        _ = try hut.send("zu")
        try valley.bridged.eventually("\(valley.texts())") { valley.texts().last?.hasSuffix(" bytes]") == true }
        let (count, other) = (valley.texts().count, ConversationKey.random())
        try valley.seal(with: other)
        _ = try hut.send("nicht für dich")
        try valley.bridged.eventually("dropped: \(valley.state())") { valley.state().unopened == 1 }
        #expect(valley.state().reason?.hasPrefix("dropped: ") == true && valley.texts().count == count)
        try valley.forgetKey()
        try valley.seal(with: key)
        _ = try hut.send("für dich")
        try valley.bridged.eventually("\(valley.texts())") { valley.texts().last == "für dich" }
        // What came under the other key is no reason any more.
        #expect(valley.state().reason == nil && valley.state().unopened == 0, "\(valley.state())")
        for gateway in [hut, valley] { gateway.stop() }
    }

    /// The program that the package brings.
    @Test func thirtyLinesOfPythonReadIt() throws {
        let script = repository.appending(path: "deploy/conversation-reader.py")
        #expect(try String(contentsOf: script, encoding: .utf8).utf8.count { $0 == UInt8(ascii: "\n") } <= 30)
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add { $0.writer = "Hütte" }
        try gateway.seal(with: key)
        try gateway.waitUntilConnected()
        let python = try RunningPython(
            [script.path, "127.0.0.1", "\(mosquitto.port)", "club/#"], input: Data((key.text + "\n").utf8))
        var count = 0
        // Nobody says when it listens.
        while python.said.isEmpty {
            count += 1
            try #require(count < 1_000, "\(python.complaints)")
            _ = try gateway.send("Probe \(count)")
            usleep(300_000)
        }
        try publish(Array("in clear".utf8), at: mosquitto.port)
        try publish(Array("MG1 is no mark alone".utf8), at: mosquitto.port)
        _ = try gateway.send("Grüße \u{1F3D4}\n\"zum Schluss\"")
        try gateway.bridged.eventually("\(python.said)") { python.said.contains("Schluss") }
        let lines = python.said.split(separator: "\n").map { JSONValue(Array($0.utf8)) }
        #expect(lines.last??["text"] == .string("Grüße \u{1F3D4}\n\"zum Schluss\""))
        #expect(lines.allSatisfy { $0?["from"] == .string("Hütte") && $0?["at"]?.integer ?? 0 > 1_700_000_000_000 })
        #expect(Set(lines.compactMap { $0?["id"]?.string }).count == lines.count)
        #expect(python.complaints.isEmpty, "\(python.complaints)")
        gateway.stop()
    }
}
