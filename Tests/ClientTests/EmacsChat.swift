import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// What meshmonitor-chat.el asks and how it reads: `json-read` tells 1 from 1.0 and from `t`, and 0 is true in Lisp.
struct EmacsChat {
    let client: Client
    /// `/api/v1/sources/default` in 1.2.0, `/api/v1` before.
    let root: String
    private let headers = ["Content-Type: application/json", "Accept: application/json"]

    static let status = Form.object([
        "version": .someText, "uptime": .number,
        "connection": .object([
            "connected": .bool,
            "localNode": .object([
                "nodeId": .nodeID, "nodeNum": .unsigned32, "longName": .someText, "shortName": .someText,
            ]),
        ]),
        "statistics": .object(["nodes": .integer, "messages": .integer, "channels": .integer]),
    ])

    static let nodes = Form.rows(
        .object([
            "nodeNum": .unsigned32, "nodeId": .nodeID, "longName": .orNull(.string), "shortName": .orNull(.string),
            "hopsAway": .orNull(.integer), "lastHeard": .orNull(.seconds), "hasPKC": .orNull(.bool),
            "isFavorite": .bool,
        ]))

    /// A role in words would stop the channel list with a Lisp error.
    static let channels = Form.rows(
        .object([
            "id": .that("a slot") { (0...7).contains($0.integer ?? -1) }, "name": .string,
            "role": .that("0, 1 or 2") { (0...2).contains($0.integer ?? -1) },
        ]))

    static let messages = Form.rows(
        .object([
            "id": .rowID, "fromNodeId": .nodeID, "fromNodeNum": .unsigned32, "toNodeId": .string,
            "toNodeNum": .unsigned32, "text": .string, "channel": .integer, "timestamp": .milliseconds,
            "requestId": .orNull(.unsigned32), "replyId": .orNull(.unsigned32),
            "portnum": .either([.exactly(.number("1")), .null]), "emoji": .either([.exactly(.number("1")), .null]),
            "deliveryState": .orNull(.oneOf("pending", "delivered", "confirmed", "failed")),
            "ackFailed": .either([.exactly(.number("1")), .null]),
            "rxSnr": .orNull(.number), "rxRssi": .orNull(.integer), "hopStart": .orNull(.integer),
            "hopLimit": .orNull(.integer), "relayNode": .orNull(.integer), "viaMqtt": .orNull(.bool),
            "decryptedBy": .orNull(.string),
        ]))

    func get(_ path: String, as form: Form) throws -> StrictJSON {
        try client.request("GET", path, headers).read(as: form)
    }

    func messages(_ query: String) throws -> [StrictJSON] {
        try get("\(root)/messages?\(query)", as: Self.messages)["data"]?.rows ?? []
    }

    /// `json-encode` escapes nothing but what it must, so the body is UTF-8.
    func post(_ body: JSON) throws -> Answer {
        try client.request("POST", "\(root)/messages", headers, body: JSONEncoder().encode(body))
    }

    /// `url.el` with its cookie jar, on the two requests that it makes without the token.
    func session(_ method: String, _ path: String, cookie: String?, csrf: String? = nil, body: JSON? = nil) throws
        -> Answer
    {
        var stranger = client
        stranger.token = nil
        var lines = headers
        if let cookie { lines.append("Cookie: \(cookie)") }
        if let csrf { lines.append("X-CSRF-Token: \(csrf)") }
        return try stranger.request(method, path, lines, body: try body.map { try JSONEncoder().encode($0) })
    }
}

/// A chat buffer: what the user sees of one channel or one person.
struct EmacsBuffer {
    enum Target {
        case channel(Int)
        case person(String)
    }

    struct Line: Hashable {
        let packetID: Int
        let sender: String
        let text: String
        let replyID: Int?
        /// Behind own texts: `·`, `✓` or `✗`.
        var icon: Character?
    }

    let chat: EmacsChat
    let target: Target
    /// The own node, as `/api/status` gave it.
    let own: StrictJSON?
    private(set) var lines: [Line] = []
    /// Under a line, by the packet id that it answers.
    private(set) var reactions: [Int: [String]] = [:]
    private var seenIDs: Set<String> = []
    private var seenPackets: Set<Int> = []
    /// Whole seconds.
    private var lastTimestamp: Int?

    init(_ chat: EmacsChat, _ target: Target, own: StrictJSON?) {
        (self.chat, self.target, self.own) = (chat, target, own)
    }

    /// Opening it, and catching up after a pause.
    mutating func load() throws { try fetch("limit=50") }

    /// Every ten seconds.
    mutating func poll() throws { try fetch("limit=20" + (lastTimestamp.map { "&since=\($0 + 1)" } ?? "")) }

    private mutating func fetch(_ query: String) throws {
        switch target {
        case .channel(let index): show(try chat.messages("channel=\(index)&\(query)"))
        case .person(let id):
            // As `url-hexify-string` writes it.
            let id = id.replacingOccurrences(of: "!", with: "%21")
            show(try chat.messages("fromNodeId=\(id)&\(query)") + chat.messages("toNodeId=\(id)&\(query)"))
        }
    }

    private mutating func show(_ rows: [StrictJSON]) {
        let sorted = rows.enumerated().sorted {
            ($0.element["timestamp"]!.integer! / 1000, $0.offset) < (
                $1.element["timestamp"]!.integer! / 1000, $1.offset
            )
        }.map(\.element)
        for row in sorted where row["emoji"] != .number("1") { show(text: row) }
        for row in sorted where row["emoji"] == .number("1") { show(reaction: row) }
    }

    private mutating func show(text row: StrictJSON) {
        let (id, packetID) = (row["id"]!.string!, row["requestId"]?.integer ?? row["id"]!.packetIDOfRow!)
        // A text that is on the screen as pending is judged by `ackFailed` first, and a failure by nothing else.
        if let line = lines.firstIndex(where: { $0.packetID == row["requestId"]?.integer && $0.icon == "·" }) {
            if row["ackFailed"] == .number("1") {
                lines[line].icon = "✗"
            } else if ["confirmed", "delivered"].contains(row["deliveryState"]?.string) {
                lines[line].icon = "✓"
            }
        }
        guard !seenIDs.contains(id), !seenPackets.contains(packetID) else { return }
        let isOwn = row["fromNodeId"] == own?["nodeId"] || row["fromNodeNum"] == own?["nodeNum"]
        let icon: Character? =
            switch row["deliveryState"]?.string {
            case "confirmed", "delivered": "✓"
            case "failed": "✗"
            case "pending": "·"
            default: nil
            }
        lines.append(
            Line(
                packetID: packetID, sender: row["fromNodeId"]!.string!, text: row["text"]!.string!,
                replyID: row["replyId"]?.integer, icon: isOwn ? icon : nil))
        seenIDs.insert(id)
        seenPackets.insert(packetID)
        lastTimestamp = max(lastTimestamp ?? 0, row["timestamp"]!.integer! / 1000)
    }

    private mutating func show(reaction row: StrictJSON) {
        guard !seenIDs.contains(row["id"]!.string!) else { return }
        if let answered = row["replyId"]?.integer { reactions[answered, default: []].append(row["text"]!.string!) }
        seenIDs.insert(row["id"]!.string!)
        lastTimestamp = max(lastTimestamp ?? 0, row["timestamp"]!.integer! / 1000)
    }

    /// RET: the text is on the screen as pending as soon as the server took it.
    mutating func send(_ text: String, replyTo replyID: Int? = nil) throws -> Int {
        let data = try post(text, replyID)
        let packetID = try #require(data["requestId"]?.integer)
        if !seenPackets.contains(packetID) {
            lines.append(
                Line(
                    packetID: packetID, sender: own?["nodeId"]?.string ?? "me", text: text, replyID: replyID, icon: "·")
            )
        }
        seenIDs.insert(try #require(data["messageId"]?.string))
        seenPackets.insert(packetID)
        return packetID
    }

    /// C-c C-e: an emoji that answers something, and nothing else; it is on the screen at once.
    mutating func react(_ emoji: String, to packetID: Int) throws {
        reactions[packetID, default: []].append(emoji)
        seenIDs.insert(try #require(try post(emoji, packetID)["messageId"]?.string))
    }

    private func post(_ text: String, _ replyID: Int?) throws -> StrictJSON {
        var body: [String: JSON] = ["text": .string(text)]
        switch target {
        case .channel(let index): body["channel"] = .integer(index)
        case .person(let id): body["toNodeId"] = .string(id)
        }
        if let replyID { body["replyId"] = .integer(replyID) }
        let form = Form.item(
            .object([
                "requestId": .unsigned32, "messageId": .rowID, "messageCount": .exactly(.number("1")),
                "deliveryState": .exactly(.string("pending")),
            ]))
        return try #require(try chat.post(.object(body)).read(as: form, status: 201)["data"])
    }
}
