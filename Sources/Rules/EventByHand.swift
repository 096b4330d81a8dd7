import Folders
import JSON
import MeshModel
import Store

// An event that a person has written to try a rule: one object like `data` in `/api/v1/events`, with the word after `event:` as
// `kind`. Members that the rule does not look at may be left out.

/// Why a text is not an event, in a sentence.
public struct BadEvent: Error, Hashable, Sendable {
    public let text: String

    init(_ text: String) { self.text = text }
}

struct EventByHand {
    enum What {
        case message(Message)
        /// Over a broker, where a writer has a name and is no node.
        case brokerText(Message, writer: String)
        case value(NodeNumber, name: String, Double)
        case position(NodeNumber, Position)
        case waypoint(NodeNumber, channel: UInt32?, Waypoint)
        case node(NodeNumber, EventFields)
        case link(isLive: Bool)
        case problem(String, isOver: Bool)
        case start
        /// Of a kind that no rule looks at.
        case other
    }

    /// Bytes.
    static let longest = 8_000

    let kind: String
    let what: What
    /// The UUID of a radio or conversation; nil for the oldest radio that is used, or the first conversation that the
    /// rule names.
    let source: String?

    /// The words after `event:`, and whether rules look at them.
    private static let kinds = [
        "message": true, "node": true, "position": true, "telemetry": true, "waypoint": true, "status": true,
        "problem": true, "solved": true, "start": true, "message-deleted": false, "read": false, "delivery": false,
        "channel": false, "traceroute": false, "packet": false, "notification": false, "missed": false,
    ]

    /// - Parameter now: host milliseconds.
    init(_ text: String, at now: Int64) throws(BadEvent) {
        guard text.utf8.count <= Self.longest else {
            throw BadEvent("the event is longer than \(Self.longest) bytes; write one object, such as \(Self.example)")
        }
        guard let json = JSONValue(Array(text.utf8)) else {
            throw BadEvent("it is not JSON; write one object, such as \(Self.example)")
        }
        guard case .object = json else { throw BadEvent("it is no object; write one, such as \(Self.example)") }
        let fields = EventFields(json: json)
        guard let kind = try fields.text("kind") else {
            throw BadEvent(
                "kind is missing, which stands behind event: in the stream; write for example \(Self.example)")
        }
        guard Self.kinds[kind] != nil else {
            let known = Self.kinds.filter(\.value).keys.sorted()
            let advice = nearestWord(to: kind, among: known).map { "did you mean \"\($0)\"?" }
            throw BadEvent(
                "no event has the kind \"\(kind)\"; " + (advice ?? "write one of \(known.joined(separator: ", "))"))
        }
        (self.kind, source) = (kind, try fields.text("sourceId"))
        switch kind {
        case "message":
            if let writer = try fields.text("writer") {
                what = .brokerText(try fields.brokerText(at: now), writer: writer)
            } else {
                what = .message(try fields.message(from: fields.node("fromNodeId"), at: now))
            }
        case "telemetry": what = try fields.value()
        case "position": what = .position(try fields.node("nodeId"), try fields.position())
        case "waypoint":
            what = .waypoint(
                try fields.node("ownerNodeId"), channel: try fields.integer("channel", 0...7).map { UInt32($0) },
                try fields.waypoint())
        case "node": what = .node(try fields.node("nodeId"), fields)
        case "status": what = .link(isLive: try fields.needed("connected", "true", fields.flag))
        case "problem", "solved":
            what = .problem(
                try fields.needed("name", "\"region-unset\"", fields.text), isOver: kind == "solved")
        case "start": what = .start
        default: what = .other
        }
    }

    private static let example =
        #"{"kind": "message", "fromNodeId": "!a1b2c3d4", "channel": 0, "text": "hello"}"#
}

/// The members of an event.
struct EventFields {
    let json: JSONValue

    func needed<Value>(
        _ key: String, _ example: String, _ read: (String) throws(BadEvent) -> Value?
    ) throws(BadEvent) -> Value {
        guard let value = try read(key) else {
            throw BadEvent("\(key) is missing; write for example \"\(key)\": \(example)")
        }
        return value
    }

    func text(_ key: String) throws(BadEvent) -> String? {
        guard let value = json[key] else { return nil }
        guard let text = value.string else { throw BadEvent("\(key) is no text; write it in quotation marks") }
        return text
    }

    func flag(_ key: String) throws(BadEvent) -> Bool? {
        guard let value = json[key] else { return nil }
        guard let flag = value.bool else { throw BadEvent("\(key) is neither true nor false") }
        return flag
    }

    func number(_ key: String, _ range: ClosedRange<Double>) throws(BadEvent) -> Double? {
        guard let value = json[key] else { return nil }
        guard case .number(let number) = value, range.contains(number) else {
            throw BadEvent("\(key) is no number from \(range.lowerBound.shown) to \(range.upperBound.shown)")
        }
        return number
    }

    func integer(_ key: String, _ range: ClosedRange<Int64>) throws(BadEvent) -> Int64? {
        guard let value = json[key] else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw BadEvent("\(key) is no whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func node(_ key: String) throws(BadEvent) -> NodeNumber {
        let id = try needed(key, "\"!a1b2c3d4\"", text)
        guard let number = NodeNumber(id: id), !number.isBroadcast else {
            throw BadEvent("\(key) \"\(id)\" is no id; write ! and eight hexadecimal digits, such as !a1b2c3d4")
        }
        return number
    }

    // MARK: what it is about

    fileprivate func brokerText(at now: Int64) throws(BadEvent) -> Message {
        var message = try message(from: NodeNumber(0), at: now)
        // Outside it has channel -1, as its row in `messages` has not.
        message.channel = 0
        return message
    }

    fileprivate func message(from: NodeNumber, at now: Int64) throws(BadEvent) -> Message {
        let channel = Int(try integer("channel", -1...1_000) ?? 0)
        var message = Message(
            id: "made-up_\(from.rawValue)_0", from: from, to: .broadcast, text: try text("text") ?? "",
            channel: channel, port: PortNumber(rawValue: UInt32(try integer("portnum", 0...511) ?? 1)), packetID: 1,
            timestamp: now, createdAt: now, updatedAt: now)
        message.hopStart = try integer("hopStart", 0...7).map { UInt32($0) }
        message.hopLimit = try integer("hopLimit", 0...7).map { UInt32($0) }
        message.viaMQTT = try flag("viaMqtt")
        message.rxSNR = try number("rxSnr", -200...200)
        message.rxRSSI = try integer("rxRssi", -1_000...1_000).map { Int($0) }
        message.replyID = try integer("replyId", 0...Int64(UInt32.max)).map { PacketID($0) }
        message.isTapback = try integer("emoji", 0...1) == 1
        return message
    }

    fileprivate func value() throws(BadEvent) -> EventByHand.What {
        let name = try needed("telemetryType", "\"batteryLevel\"", text)
        guard Telemetry.names.contains(name) else {
            let advice = nearestWord(to: name, among: Telemetry.names).map { "did you mean \"\($0)\"?" }
            throw BadEvent(
                "telemetryType \"\(name)\" is no value that nodes measure; "
                    + (advice ?? "write a name of /api/v1/telemetry, such as temperature"))
        }
        let value = try needed("value", "15") { key throws(BadEvent) in try number(key, -1e15...1e15) }
        return .value(try node("nodeId"), name: name, value)
    }

    private func degrees(_ key: String, _ most: Double) throws(BadEvent) -> Int32 {
        let degrees = try needed(key, key == "latitude" ? "47.05" : "8.31") { key throws(BadEvent) in
            try number(key, -most...most)
        }
        return Int32((degrees * 1e7).rounded())
    }

    fileprivate func position() throws(BadEvent) -> Position {
        Position(
            latitudeI: try degrees("latitude", 90), longitudeI: try degrees("longitude", 180),
            precisionBits: try integer("precisionBits", 0...32).map { UInt32($0) })
    }

    fileprivate func waypoint() throws(BadEvent) -> Waypoint {
        Waypoint(
            id: UInt32(try integer("waypointId", 0...Int64(UInt32.max)) ?? 1), latitudeI: try degrees("latitude", 90),
            longitudeI: try degrees("longitude", 180), name: try text("name") ?? "",
            description: try text("description") ?? "")
    }

    /// Applies the event's members to a node.
    func change(_ node: inout Node) throws(BadEvent) {
        if let name = try text("longName") { node.longName = name }
        if let name = try text("shortName") { node.shortName = name }
        if let role = try integer("role", 0...100) { node.role = UInt32(role) }
        if let hops = try integer("hopsAway", 0...7) { node.hopsAway = UInt32(hops) }
        if let snr = try number("snr", -200...200) { node.snr = snr }
        if let channel = try integer("channel", 0...7) { node.channel = Int(channel) }
        if let isOver = try flag("viaMqtt") { node.viaMQTT = isOver }
        if let isFavorite = try flag("isFavorite") { node.isFavorite = isFavorite }
        if let isIgnored = try flag("isIgnored") { node.isIgnored = isIgnored }
        if let heard = try integer("lastHeard", 0...Int64(UInt32.max)) { node.lastHeard = heard }
    }
}
