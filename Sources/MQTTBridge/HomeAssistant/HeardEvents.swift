import Gateway
import JSON
import MeshModel
import Store

// Which event follows from a change of the log. Nothing that this gateway has said itself, so that an automation that answers
// cannot hear itself; nothing that is no news, or in doubt; nothing that the broker's file does not allow.

struct HeardEvents {
    /// Milliseconds for which the same is not told again.
    private static let sameFor: Int64 = 24 * 3_600_000
    private static let mostKnown = 2_000

    /// What was told, or was there before: by which change, and when, in host milliseconds.
    private var known: [String: (change: Int64, at: Int64)] = [:]

    private var hasRepetition = false

    /// Waypoints that were there before this change are told again only when they are other ones.
    mutating func begin(_ reader: Reader, after change: Int64, at now: Int64) throws {
        var fresh: Set<UInt32> = []
        for change in try reader.changes(after: change, kinds: [.waypoint], limit: 500).0 {
            if case .waypoint(let id) = change.what { fresh.insert(id) }
        }
        for found in try reader.sources() {
            for row in try reader.waypoints(in: found.id)
            where !fresh.contains(row.value.id) && row.at > now - Self.sameFor {
                known[row.value.key] = (0, row.at)
            }
        }
    }

    /// - Returns: nil: nothing follows from it.
    mutating func event(
        _ change: StoredChange, _ reader: Reader, _ mesh: ShownMesh, _ broker: Broker, _ names: TopicNames,
        at now: Int64
    ) throws -> EventQueue.Event? {
        guard now - EventQueue.lifetime <= change.earliest, let found = mesh.source(change.source),
            found.source.isEnabled || change.isNotification
        else { return nil }
        let said = Said(number: change.number, found: found, mesh: mesh, speech: broker.speech, reader: reader)
        let event: Said.Event?
        switch change.what {
        case .message(let id, _) where change.origin == .live || change.origin == .late:
            event = try said.message(id, at: now)
        case .nodeHeard(let number) where change.origin == .live: event = try said.newNode(number)
        case .waypoint(let id) where change.origin == .live: event = try said.waypoint(id, at: now)
        case .notification(let row): event = try said.notification(row)
        case .delivery(let id, let delivery): event = try said.delivery(of: id, delivery, by: broker)
        default: event = nil
        }
        guard let event, now - event.at <= EventQueue.lifetime else { return nil }
        if let once = event.once, !isNew(once, change.number, at: now) { return nil }
        return EventQueue.Event(
            device: event.device, change: change.number, at: event.at,
            publication: Self.publication(names.event(event.device, event.key), event.payload))
    }

    /// Whether something was not told since the last call, because it had been told before. After a kill nobody remembers that, so
    /// the change must not be read again.
    mutating func takeRepetition() -> Bool {
        defer { hasRepetition = false }
        return hasRepetition
    }

    private mutating func isNew(_ key: String, _ change: Int64, at now: Int64) -> Bool {
        if let before = known[key], before.change != change, abs(now - before.at) < Self.sameFor {
            hasRepetition = true
            return false
        }
        if known.count >= Self.mostKnown { known = known.filter { abs(now - $0.value.at) < Self.sameFor / 4 } }
        if known.count >= Self.mostKnown { known = [:] }
        known[key] = (change, now)
        return true
    }

    /// - Parameter id: a text that no other event of this gateway has.
    static func payload(_ id: String, _ type: String, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("id", id)
            json.member("event_type", type)
            write(&json)
        }
        return json.bytes
    }

    static func publication(_ topic: String, _ payload: [UInt8]) -> Publication {
        Publication(
            topic: topic, payload: payload, isRetained: false, expiry: UInt32(EventQueue.lifetime / 1000))
    }
}

/// One change, and what is to be known about it.
private struct Said {
    struct Event {
        let device: DeviceID
        /// Of the entity.
        let key: String
        /// Host milliseconds.
        let at: Int64
        let payload: [UInt8]
        /// By which it is known that it was told before; nil if each one is told.
        var once: String?
    }

    let number: Int64
    let found: FoundSource
    let mesh: ShownMesh
    let speech: Broker.Speech
    let reader: Reader

    private var radio: DeviceID { DeviceID(source: found.source) }
    private var id: String { String(number) }

    /// Whether what came on a channel may be told; nil for what came to the radio alone, or nobody knows how.
    private func isHeard(on channel: Int?) -> Bool {
        guard let channel, channel >= 0 else { return speech.isDirect }
        return mesh.channels(of: found.id).contains(channel)
    }

    // MARK: texts

    func message(_ id: String, at now: Int64) throws -> Event? {
        guard let message = try reader.message(id: id, in: found.id), !message.isOwn, !message.spoofSuspected,
            !mesh.isOwn(message.from), isHeard(on: message.channel)
        else { return nil }
        let node = try reader.node(message.from, in: found.id)
        if node?.isIgnored == true { return nil }
        switch message.port {
        case .detectionSensor: return try detection(message, node, at: now)
        case .textMessage, .alert: return text(message, node)
        default: return nil
        }
    }

    private func text(_ message: Message, _ node: Node?) -> Event {
        let isDirect = message.channel < 0
        let type = message.isTapback ? "reaction" : isDirect ? "direct" : "channel"
        let payload = HeardEvents.payload(id, type) { json in
            json.member("text", message.text)
            json.member("from", message.from.id)
            json.member("name", node.shownName ?? message.from.placeholderLongName)
            json.member("channel", isDirect ? nil : message.channel)
            json.member("hops", message.hopsAway)
            json.member("reply", message.replyID)
        }
        return Event(
            device: radio, key: isDirect ? "text_direct" : "text_\(message.channel)", at: message.createdAt,
            payload: payload)
    }

    // MARK: the mesh

    private func detection(_ message: Message, _ node: Node?, at now: Int64) throws -> Event? {
        guard node?.isMuted != true, message.viaMQTT != true || message.channel < 0 else { return nil }
        let channel = message.channel < 0 ? nil : message.channel
        if try isMuted(channel, message.from, at: now) { return nil }
        return mesh(
            "detection", message.from, node, text: message.text, channel: channel, at: message.createdAt,
            once: "detection \(message.from.id) \(message.packetID)")
    }

    func newNode(_ number: NodeNumber) throws -> Event? {
        guard !mesh.isOwn(number), let node = try reader.node(number, in: found.id), !node.isIgnored, !node.isMuted,
            node.viaMQTT != true
        else { return nil }
        // Its row may be of days ago, when others spoke of it.
        let time = max(node.createdAt, (node.lastHeard ?? 0) * 1000)
        for other in mesh.sources where other.id != found.id {
            guard let known = try reader.node(number, in: other.id), let heard = known.lastHeard else { continue }
            if known.createdAt < node.createdAt - 60_000 || heard * 1000 < time - 60_000 { return nil }
        }
        return mesh("new_node", number, node, channel: node.channel, at: time, once: "node \(number.id)")
    }

    func waypoint(_ id: UInt32, at now: Int64) throws -> Event? {
        guard let row = try reader.waypoint(id: id, in: found.id), !mesh.isOwn(row.node), !row.value.isExpired(at: now),
            let node = try reader.node(row.node, in: found.id), !node.isIgnored, !node.isMuted, node.viaMQTT != true
        else { return nil }
        let channel = row.channel.map { Int($0) }
        guard isHeard(on: channel), try !isMuted(channel, row.node, at: now) else { return nil }
        return mesh(
            "waypoint", row.node, node, text: row.value.description, channel: channel, row.value, at: row.at,
            once: row.value.key)
    }

    /// Whether everybody has muted the conversation in which it came; nil: it came to this radio alone.
    private func isMuted(_ channel: Int?, _ node: NodeNumber, at now: Int64) throws -> Bool {
        let mutes = try reader.mutes(by: 0, in: found.id)
        if let channel { return mutes[.channel(channel)]?.holds(at: now) == true }
        return mutes[.direct(node)]?.holds(at: now) == true || mutes[.allDirect]?.holds(at: now) == true
    }

    private func mesh(
        _ type: String, _ number: NodeNumber, _ node: Node?, text: String? = nil, channel: Int?,
        _ waypoint: Waypoint? = nil, at time: Int64, once: String
    ) -> Event {
        let payload = HeardEvents.payload(id, type) { json in
            json.member("node", number.id)
            json.member("name", node.shownName ?? number.placeholderLongName)
            json.member("text", text)
            json.member("channel", channel)
            json.member("title", waypoint?.name)
            json.float("latitude", waypoint?.latitudeI.map { Double($0) / 1e7 })
            json.float("longitude", waypoint?.longitudeI.map { Double($0) / 1e7 })
        }
        return Event(device: .gateway, key: "mesh", at: time, payload: payload, once: once)
    }

    // MARK: rules and commands

    func notification(_ row: Int64) throws -> Event? {
        guard let row = try reader.feedRow(row), !row.needs.isEmpty, row.needs.allSatisfy(isAllowed) else { return nil }
        let type =
            switch row.state {
            case nil: "event"
            case .begins: "begins"
            case .lasts: "lasts"
            case .ends: "ends"
            }
        let payload = HeardEvents.payload(id, type) { json in
            json.member("rule", row.rule)
            json.member("type", row.type)
            json.member("title", row.title)
            json.member("body", row.body)
            json.member("node", row.node?.id)
        }
        return Event(device: .gateway, key: "rule", at: row.createdAt, payload: payload)
    }

    private func isAllowed(_ need: FeedRow.Need) -> Bool {
        switch need {
        case .message(let channel): isHeard(on: channel)
        case .waypoint(let channel): isHeard(on: channel)
        case .node, .info: true
        case .brokerText: false
        }
    }

    /// Of a text of several packets the last one decides: it goes out when those before it have.
    func delivery(of id: String, _ delivery: Delivery, by broker: Broker) throws -> Event? {
        guard let message = try reader.message(id: id, in: found.id),
            message.sender == Sender(.homeAssistant, broker.name), message.part.map({ $0.number == $0.count }) ?? true
        else { return nil }
        let isDirect = !message.to.isBroadcast
        let type: String
        switch delivery.state {
        case .queued, .handed: return nil
        case .accepted: type = "sent"
        case .relayed where isDirect: return nil
        case .relayed, .confirmed: type = "delivered"
        case .failed: type = delivery.cause == .expired ? "expired" : "failed"
        }
        let outcome = CommandOutcome(
            id: self.id, type, isDirect ? "text" : "text_\(message.channel)",
            of: isDirect ? .node(message.to) : radio,
            because: delivery.state == .failed ? delivery.explanation(of: message) : nil)
        return Event(device: .gateway, key: "commands", at: message.updatedAt, payload: outcome.payload)
    }
}

/// What became of a command.
struct CommandOutcome: Hashable, Sendable {
    /// A text that no other event has.
    let id: String
    /// One of the entity's types.
    let type: String
    /// The last level of the command's topic; nil if it is none of ours.
    let command: String?
    /// The device's level of the topic; nil if it is none of ours.
    let target: String?
    let reason: String?
    /// How many were refused, of which each by itself would be too much.
    var count: Int?

    init(id: String, _ type: String, _ command: String?, of target: DeviceID?, because reason: String? = nil) {
        (self.id, self.type, self.command, self.target, self.reason) = (id, type, command, target?.object, reason)
    }

    var payload: [UInt8] {
        HeardEvents.payload(id, type) { json in
            json.member("command", command)
            json.member("target", target)
            json.member("reason", reason)
            if let count { json.member("count", count) }
        }
    }
}

extension StoredChange {
    /// Before this time, in host milliseconds, it was not made; known of messages without their row.
    fileprivate var earliest: Int64 { if case .message(_, let at) = what { at } else { .max } }
}

extension Node? {
    fileprivate var shownName: String? { self?.nickname ?? self?.longName }
}

extension Waypoint {
    /// What makes it another one.
    fileprivate var key: String {
        "waypoint \(id) \(latitudeI ?? 0) \(longitudeI ?? 0) \(expire) \(name) \(description)"
    }
}

extension StoredChange {
    /// One about the gateway itself is stored under the oldest radio, also while that is switched off.
    fileprivate var isNotification: Bool { if case .notification = what { true } else { false } }
}
