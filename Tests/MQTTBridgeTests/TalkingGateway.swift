import Foundation
import Log
import MeshModel
import Platform
import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// A gateway without a radio that talks over brokers.
final class TalkingGateway {
    let bridged: BridgedGateway
    let conversations: RunningConversations
    private var ids = 0

    /// - Parameter folder: of an earlier one that was stopped.
    init(folder: String? = nil) throws {
        let bridged = try BridgedGateway(folder: folder)
        self.bridged = bridged
        let log = bridged.log
        conversations = RunningConversations(
            bridged.gateway, bridged.brokers, program: .ofTests,
            logger: Logger(LogThreshold(.debug)) { entry in log.notify { $0.append(entry.text) } })
        if folder != nil { bridged.brokers.reload() }
    }

    func configure(_ port: Int?, named name: String = "house") throws { try bridged.configure(port, named: name, "") }

    @discardableResult
    func add(
        _ name: String = "club", _ filters: [String] = ["club/#"], topic: String? = "club/talk",
        _ change: (inout BrokerConversation) -> Void = { _ in }
    ) throws -> SourceID {
        var conversation = BrokerConversation(name, broker: "house", filters: filters)
        conversation.givenTopic = topic
        change(&conversation)
        let source = try bridged.store.commit { [conversation] in
            try $0.insert(conversation, uuid: UUID().uuidString.lowercased(), at: WallClock.milliseconds())
        }
        conversations.changed()
        return source
    }

    func edit(_ name: String = "club", _ change: @Sendable @escaping (inout BrokerConversation) -> Void) throws {
        try bridged.store.commit { writer in
            var found = try #require(try writer.brokerConversation(name))
            change(&found.conversation)
            try writer.update(found.source, to: found.conversation)
        }
        conversations.changed()
    }

    func remove(_ name: String = "club") throws {
        try bridged.store.commit { writer in
            try writer.removeBrokerConversation(#require(try writer.brokerConversation(name)).source)
        }
        conversations.changed()
    }

    @discardableResult
    func send(_ text: String, in name: String = "club") throws -> Message {
        let message = try bridged.store.commit { writer in
            let found = try #require(try writer.brokerConversation(name))
            let about = BrokerText(
                topic: try #require(found.conversation.topic), writer: found.conversation.writer, id: UUID().uuidString)
            let now = WallClock.milliseconds()
            return try writer.insertOwn(
                text, about, by: nil, in: found.source, at: now, expiresAt: now + 86_400_000)
        }
        conversations.textWaits()
        return message
    }

    /// What its session at the broker has.
    func subscriptions() -> Set<String> {
        let found = try? bridged.store.read { try $0.brokerSubscriptions(at: "house").keys.map(\.text) }
        return Set(found ?? [])
    }

    /// The texts of a conversation, oldest first.
    func texts(of name: String = "club") -> [String] {
        let found = try? bridged.store.read { reader -> [String] in
            guard let found = try reader.brokerConversation(name) else { return [] }
            return try reader.messages(.init(source: found.source, limit: 10_000)).reversed().map(\.text)
        }
        return found ?? []
    }

    func state(of name: String = "club") -> BrokerConversation.Connection {
        let found = try? bridged.store.read { try $0.brokerConversation(name) }
        return found.map { conversations.connection(of: $0.conversation) } ?? .init(.noBroker)
    }

    func waitUntilConnected(_ name: String = "club") throws {
        try bridged.eventually("connected: \(state(of: name))") { state(of: name).state == .connected }
        // And subscribed to all that it wants.
        try bridged.eventually("subscribed") {
            !subscriptions().isEmpty
        }
        usleep(200_000)
    }

    func wait(_ name: String = "club", for wanted: [String]) throws {
        try bridged.eventually("\(wanted), and not \(texts(of: name))") { texts(of: name) == wanted }
    }

    func delivery(of message: Message) -> Delivery? {
        let found = try? bridged.store.read { reader -> Delivery? in
            for found in try reader.brokerConversations() {
                if let message = try reader.message(id: message.id, in: found.source) { return message.delivery }
            }
            return nil
        }
        return found ?? nil
    }

    /// In good order.
    func stop() {
        conversations.stop()
        bridged.stop()
    }
}

extension IncomingMessage {
    var text: String { String(decoding: payload, as: UTF8.self) }
}

extension OutgoingMessage {
    init(_ topic: String, text: String, id: String? = nil, from: String? = nil) {
        self.init(topic, Array(text.utf8))
        if let id { properties.append(UserProperty("id", id)) }
        if let from { properties.append(UserProperty("from", from)) }
    }
}
