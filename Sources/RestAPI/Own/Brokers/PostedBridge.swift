import JSON
import MeshModel
import Routes
import Store

// The bridge of a conversation over a broker, as clients give it. What is left out has its usual value: a bridge is set as
// a whole. A token for brokers may not read or write a channel by it that it was not given.

extension RestAPI {
    private static let knownOfBridge = ["channel", "source", "up", "down", "textsPerHour"]

    /// - Parameter value: the member `bridge`.
    func bridge(_ value: JSONValue) throws(APIError) -> ConversationBridge? {
        if value == .null { return nil }
        guard case .object(let members) = value else {
            throw .badRequest("bridge must be null, or an object such as {\"channel\":0}")
        }
        if let other = members.keys.filter({ !Self.knownOfBridge.contains($0) }).min() {
            throw .badRequest(
                "bridge has no member \(other.quotedStart); there are \(Self.knownOfBridge.joined(separator: ", "))")
        }
        guard let channel = members["channel"]?.integer else { throw .badRequest("bridge.channel must be 0 to 7") }
        var bridge = ConversationBridge(channel: Int(clamping: channel), of: try sourceOfBridge(members["source"]))
        bridge.goesUp = try Self.flag("up", in: members)
        bridge.goesDown = try Self.flag("down", in: members)
        if let given = members["textsPerHour"] {
            guard let number = given.integer else { throw .badRequest("bridge.textsPerHour must be 1 to 60") }
            bridge.textsPerHour = Int(clamping: number)
        }
        return bridge
    }

    private static func flag(_ name: String, in members: [String: JSONValue]) throws(APIError) -> Bool {
        guard let given = members[name] else { return true }
        guard let flag = given.bool else { throw .badRequest("bridge.\(name) must be true or false") }
        return flag
    }

    private func sourceOfBridge(_ given: JSONValue?) throws(APIError) -> String {
        guard let given else { return try source(nil).source.uuid }
        guard let uuid = given.string, try knownSources.all(of: store).contains(where: { $0.source.uuid == uuid })
        else {
            throw .badRequest("bridge.source must be the UUID of a radio's source")
        }
        return uuid
    }

    /// Joins a conversation to a channel, or ends that. In the commit that changes the conversation.
    static func set(_ bridge: ConversationBridge?, of found: FoundConversation, _ writer: Writer) throws {
        guard let bridge else {
            _ = try writer.setBridge(nil, of: found.source)
            return
        }
        if let known = found.conversation.bridge, !known.isOnChannel(of: bridge) {
            throw APIError.conflict(
                "\(found.conversation.id) is bridged to channel \(known.channel) already; end that first")
        }
        let other = try writer.brokerConversations().first { other in
            other.source != found.source && other.conversation.bridge?.isOnChannel(of: bridge) == true
        }
        if let other {
            throw APIError.conflict("Channel \(bridge.channel) is bridged to \(other.conversation.id) already")
        }
        let radio = try writer.sources().first { $0.source.uuid == bridge.source }
        guard let radio, try writer.setBridge((bridge, radio: radio.id), of: found.source) else {
            throw APIError.badRequest("bridge.channel must be one that the radio uses")
        }
    }
}

extension Caller {
    /// Refuses who may not read what a bridge takes up, or write where it sends.
    func check(mayBridge bridge: ConversationBridge) throws(APIError) {
        let needed = [(Action.read, bridge.goesUp), (.write, bridge.goesDown)].compactMap { $1 ? $0 : nil }
        for action in needed {
            guard let permission = lacks(action, over: [bridge.channel]) else { continue }
            throw .insufficient(resource: permission.resource.name, action: permission.action)
        }
    }
}
