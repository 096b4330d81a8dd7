/// A conversation over a broker: topics that are read as one chat, and one topic that is written to.
public struct BrokerConversation: Hashable, Sendable {
    /// Never changes; see ``checkName(_:)``.
    public let name: String
    /// 1 to 64 characters.
    public var title: String
    /// The name of the broker's file in brokers.d.
    public var broker: String
    /// 1 to 16 topic filters.
    public var filters: [TopicFilter]
    /// What texts are published to, if the owner has said so; see ``topic``.
    public var givenTopic: String?
    /// 0 or 1.
    public var qos = 1
    /// Texts go out as JSON with their id and writer.
    public var isJSON = false
    /// What others read as the writer of our texts: 1 to 64 characters.
    public var writer = Self.usualWriter
    /// Identifies its key, which itself stays in the database; nil: it has none.
    public var keyID: String?
    /// The channel that it is joined to; nil: none.
    public var bridge: ConversationBridge?
    /// The channels that it is or was joined to. Whoever may not read one of them may not read the conversation, and
    /// the same with writing.
    public var channels: Set<Int> = []

    public static let usualWriter = "mesh-gateway"
    /// So many there may be.
    public static let limit = 32

    public init(_ name: String, title: String? = nil, broker: String, filters: [String]) {
        (self.name, self.broker, self.filters) = (name, broker, filters.map { TopicFilter($0) })
        self.title = title ?? name
    }

    /// What texts are published to; nil: nobody can write there. By default it is the first filter without wildcards.
    public var topic: String? { givenTopic ?? filters.first { !$0.hasWildcards }?.text }

    public var canSend: Bool { topic != nil }

    /// Texts go out under its key, and others are not taken.
    public var isSealed: Bool { keyID != nil }

    /// Whether what stands on a topic is no text: gateways and Home Assistant publish states there, and press buttons.
    ///
    /// - Parameter prefixes: Home Assistant's at the broker.
    public static func isReserved(_ topic: String, prefixes: [String]) -> Bool {
        topic.isBelow("mesh-gateway") || prefixes.contains { topic.isBelow($0) }
    }

    /// Its name among all conversations, for clients.
    public var id: String { Self.idPrefix + name }

    public static let idPrefix = "mqtt:"
}

extension BrokerConversation {
    /// How it is connected.
    public struct Connection: Hashable, Sendable {
        public enum State: String, CaseIterable, Sendable {
            case connected, connecting
            /// The broker does not let us read a filter, or does not let us in.
            case refused
            /// Too much came: its filters are not subscribed to for ten minutes.
            case flooded
            /// No such broker is in force, or the library for brokers is missing. Texts wait.
            case noBroker = "no-broker"
        }

        public var state: State
        /// Host milliseconds; nil: nobody knows.
        public var since: Int64?
        /// Nil: all is well.
        public var reason: String?
        /// What came to a sealed conversation and is no text of it: sealed in another way, and in clear.
        public var (unopened, unsealed) = (0, 0)

        public init(_ state: State, since: Int64? = nil, reason: String? = nil) {
            (self.state, self.since, self.reason) = (state, since, reason)
        }
    }

    /// A member that cannot be as it was given.
    public struct Mistake: Error, Hashable, CustomStringConvertible {
        /// As the API names it.
        public let member: String
        /// What it may be, as it follows "NAME ".
        public let text: String

        public var description: String { "\(member) \(text)" }

        public init(_ member: String, _ text: String) { (self.member, self.text) = (member, text) }
    }

    /// Bytes of a filter or a topic. MQTT has room for 65,535; what people write is short.
    public static let longestTopic = 256
    static let mostFilters = 16
    private static let longestText = 64

    public static func checkName(_ name: String) throws(Mistake) {
        let isGood = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (48...57).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard isGood, (1...32).contains(name.utf8.count) else {
            throw Mistake("name", "has 1 to 32 of the characters a to z, 0 to 9 and -")
        }
    }

    /// Checks everything except that there is such a broker.
    ///
    /// - Parameter prefixes: Home Assistant's at its broker, below which a text could press a button.
    public func check(prefixes: [String]) throws(Mistake) {
        try Self.checkName(name)
        try Self.check(title, "title")
        try Self.check(writer, "from")
        guard (1...Self.mostFilters).contains(filters.count) else {
            throw Mistake("filters", "has 1 to \(Self.mostFilters) topic filters")
        }
        guard Set(filters).count == filters.count else { throw Mistake("filters", "has one of them twice") }
        for filter in filters {
            if let wrong = filter.mistake { throw Mistake("filters", "has one that \(wrong)") }
            guard !Self.isReserved(filter.text, prefixes: prefixes) else {
                throw Mistake(
                    "filters", "has one below mesh-gateway/ or Home Assistant's prefix: what stands there is no text")
            }
        }
        if let givenTopic {
            if let wrong = TopicFilter(givenTopic).mistake { throw Mistake("topic", wrong) }
            guard !TopicFilter(givenTopic).hasWildcards else { throw Mistake("topic", "has no + and no #") }
            guard !Self.isReserved(givenTopic, prefixes: prefixes) else {
                throw Mistake(
                    "topic",
                    "cannot lie below mesh-gateway/ or Home Assistant's prefix: a text there could press a button")
            }
        }
        guard qos != 2 else {
            throw Mistake(
                "qos",
                "is 0 or 1: with an id QoS 1 gives each text once, and a new process cannot go on with a half-finished QoS 2"
            )
        }
        guard qos == 0 || qos == 1 else { throw Mistake("qos", "is 0 or 1") }
        try checkBridge()
    }

    private static func check(_ text: String, _ member: String) throws(Mistake) {
        guard (1...longestText).contains(text.count), text.utf8.count <= 4 * longestText, !text.hasControlCharacters
        else {
            throw Mistake(member, "has 1 to \(longestText) characters, none of them a control character")
        }
    }
}

/// What a client subscribes to (MQTT 5, 4.7). Brokers compare filters by their bytes, Swift would take two ways to write "é"
/// for one.
public struct TopicFilter: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static func == (one: TopicFilter, other: TopicFilter) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    public var hasWildcards: Bool { text.utf8.contains { $0 == 0x23 || $0 == 0x2B } }

    /// Why a conversation cannot have it, as it follows "it "; nil: it can.
    var mistake: String? {
        guard !text.isEmpty else { return "is empty" }
        guard text.utf8.count <= BrokerConversation.longestTopic else {
            return "has more than \(BrokerConversation.longestTopic) bytes"
        }
        guard !text.hasControlCharacters else { return "has control characters" }
        guard text.utf8.first != UInt8(ascii: "$") else {
            return "begins with $: such topics are the broker's own"
        }
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() {
            let isHash = level.contains(UInt8(ascii: "#"))
            guard level.count == 1 || !(isHash || level.contains(UInt8(ascii: "+"))) else {
                return "has + or # beside other characters: each stands alone between two /"
            }
            guard !isHash || index == levels.count - 1 else { return "has # before its end" }
        }
        return nil
    }

    /// Whether a topic is among those that it names.
    public func matches(_ topic: String) -> Bool {
        let slash = UInt8(ascii: "/")
        var wanted = text.utf8.split(separator: slash, omittingEmptySubsequences: false)[...]
        var levels = topic.utf8.split(separator: slash, omittingEmptySubsequences: false)[...]
        // A broker's own topics ($SYS) are named by no wildcard.
        if topic.utf8.first == UInt8(ascii: "$"), wanted.first?.first != UInt8(ascii: "$") { return false }
        while let level = wanted.popFirst() {
            if level.elementsEqual("#".utf8) { return true }
            guard let given = levels.popFirst() else { return false }
            guard level.elementsEqual("+".utf8) || level.elementsEqual(given) else { return false }
            // "a/#" names "a", too.
            if levels.isEmpty, wanted.count == 1, wanted.first!.elementsEqual("#".utf8) { return true }
        }
        return levels.isEmpty
    }
}

extension String {
    /// C0, DEL, C1, and the code points that Unicode will never give to a character: of those in a topic or a user
    /// property libmosquitto ends the connection.
    fileprivate var hasControlCharacters: Bool {
        unicodeScalars.contains { scalar in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0xFDD0...0xFDEF).contains(scalar.value)
                || scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// By its bytes, as brokers see it.
    fileprivate func isBelow(_ prefix: String) -> Bool { (self + "/").utf8.starts(with: (prefix + "/").utf8) }
}
