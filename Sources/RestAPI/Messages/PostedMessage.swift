import JSON
import MeshModel
import Routes

/// The body of `POST …/messages`, checked in MeshMonitor's order (Contract 3.6): the first failure counts.
struct PostedMessage: Equatable {
    /// Trimmed, and without control characters other than newline and tab.
    var text: String
    var destination: Destination
    /// `toNodeId` as it was given: what the answer repeats.
    private(set) var recipient: String?
    var replyID: PacketID?
    var isTapback: Bool

    enum Destination: Equatable {
        /// 0 to 7.
        case channel(Int)
        case node(NodeNumber)
    }

    init(_ body: JSONValue) throws(APIError) {
        text = (body["text"]?.string ?? "").withoutControlCharacters.trimmed
        guard !text.isEmpty else { throw .badRequest("Message text is required") }
        switch (body["channel"], body["toNodeId"]) {
        case (.some, .some): throw .badRequest("Provide either channel OR toNodeId, not both")
        case (nil, nil): throw .badRequest("Either channel or toNodeId is required")
        case (.some(let channel), nil): destination = .channel(try Self.channel(channel))
        case (nil, .some(let node)):
            destination = try Self.node(node)
            recipient = node.string
        }
        replyID = try Self.replyID(body["replyId"])
        isTapback = try Self.isTapback(text, replyTo: replyID, body["emoji"])
    }

    /// The body of `POST /api/messages/send`: a destination wins over a channel, and without either it is the primary
    /// channel.
    init(fromPage body: JSONValue) throws(APIError) {
        text = (body["text"]?.string ?? "").withoutControlCharacters.trimmed
        guard !text.isEmpty else { throw .badRequest("Message text is required") }
        if let given = body["destination"], given != .string("") {
            guard let node = NodeNumber(given) else { throw .badRequest("Invalid node ID format") }
            destination = .node(node)
        } else {
            destination = .channel(0)
        }
        if destination == .channel(0) || destination == .node(.broadcast) {
            destination = .channel(try body["channel"].map { (value) throws(APIError) in try Self.channel(value) } ?? 0)
        }
        replyID = try Self.replyID(body["replyId"])
        isTapback = try Self.isTapback(text, replyTo: replyID, body["emoji"])
    }

    /// 3, 3.9, "3" and "0x3" are channel 3. A text is a number and nothing else: what is meant for one channel must not be
    /// read on another.
    private static func channel(_ value: JSONValue) throws(APIError) -> Int {
        let number: Int64? =
            switch value {
            case .number(let number) where number > -1 && number < 8: Int64(number)
            case .string(let text): Int64(digits: text)
            default: nil
            }
        guard let number, (0...7).contains(number) else {
            throw .badRequest("Channel must be a number between 0 and 7")
        }
        return Int(number)
    }

    /// `!` and hexadecimal digits, of which as many count as there are (`!12zz` is 0x12).
    ///
    /// Two numbers are nobody's. `!ffffffff` is everybody: what is sent there is read by all, so it goes out and is
    /// shown as what it is, a text on the primary channel. `!00000000` is refused: upstream would take it for a
    /// channel message, and a text meant for one person must not be shown to all.
    private static func node(_ value: JSONValue) throws(APIError) -> Destination {
        guard let text = value.string, text.utf8.first == UInt8(ascii: "!") else {
            throw .badRequest("toNodeId must be a hex string starting with ! (e.g., !a1b2c3d4)")
        }
        var digits = text.utf8.dropFirst().prefix { hexDigit($0) != nil }
        digits = digits.drop { $0 == UInt8(ascii: "0") }
        guard (1...8).contains(digits.count) else { throw .badRequest("Invalid node ID format") }
        let node = NodeNumber(digits.reduce(0) { $0 << 4 | UInt32(hexDigit($1)!) })
        return node.isBroadcast ? .channel(0) : .node(node)
    }

    private static func replyID(_ value: JSONValue?) throws(APIError) -> PacketID? {
        guard let value else { return nil }
        guard let number = value.integer, let id = PacketID(exactly: number) else {
            throw .badRequest("replyId must be a number")
        }
        return id == 0 ? nil : id
    }

    /// `emoji` says whether a text is a reaction. Without it, one emoji as a reply is one: clients that do not know the
    /// flag send reactions so.
    private static func isTapback(
        _ text: String, replyTo replyID: PacketID?, _ emoji: JSONValue?
    ) throws(APIError) -> Bool {
        let flag: Bool? =
            switch emoji {
            case .bool(let flag): flag
            case .number(let number): number != 0
            default: nil
            }
        if flag == true, replyID == nil { throw .badRequest("emoji needs the replyId of a message") }
        return flag ?? (replyID != nil && text.isOneEmoji)
    }
}

extension Int64 {
    /// Decimal digits, or hexadecimal ones behind `0x`, without a sign.
    fileprivate init?(digits text: String) {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        guard digits.utf8.first.map({ hexDigit($0) != nil }) ?? false,
            let number = Int64(digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        self = number
    }
}
