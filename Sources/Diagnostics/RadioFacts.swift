import JSON
import MeshModel

/// A radio, as the daemon has it or as the database remembers it. Times in host milliseconds.
public struct RadioFacts: Described, Hashable, Sendable {
    /// Since the link was made.
    public struct Traffic: Described, Hashable, Sendable {
        public var bytes: UInt64
        public var text: UInt64
        public var garbage: UInt64
        public var frames: UInt64
        public var connections: UInt64

        init() { self.init(bytes: 0, text: 0, garbage: 0) }
        public init(bytes: UInt64, text: UInt64, garbage: UInt64, frames: UInt64 = 0, connections: UInt64 = 0) {
            (self.bytes, self.text, self.garbage) = (bytes, text, garbage)
            (self.frames, self.connections) = (frames, connections)
        }

        static var facts: [Fact<Self>] {
            [
                Fact("bytes", \.bytes), Fact("frames", \.frames), Fact("textBytes", \.text),
                Fact("garbageBytes", \.garbage), Fact("connections", \.connections),
            ]
        }
    }

    public struct Nodes: Described, Hashable, Sendable {
        /// Some of them, as ids.
        public var ids: [String] = []
        public var count = 0

        init() {}
        /// - Parameter ids: of all of them; so many are named at most.
        public init(_ ids: [String]) { (self.ids, count) = (Array(ids.prefix(20)), ids.count) }

        static var facts: [Fact<Self>] { [Fact("count", \.count), Fact("ids", \.ids)] }

        var text: String { ids.prefix(5).joined(separator: ", ") + (count > 5 ? " and \(count - 5) more" : "") }
    }

    /// The source's UUID.
    public var id: String?
    /// The setting of its link.
    public var device: String?
    public var nodeID: String?
    /// As LinkState names it; nil without a daemon.
    public var link: String?
    public var since: Int64?
    /// What keeps the link from working, and what is wrong although it works.
    public var problems: [Problem] = []
    public var traffic: Traffic?
    public var firmware: String?
    /// RegionCode; 0 none is set.
    public var region: UInt32?
    public var regionName: String?
    public var isTransmitterOff: Bool?
    public var logsInFrames: Bool?
    public var isStoreForwardServer: Bool?
    /// The newest packet that was heard.
    public var lastPacket: Int64?
    /// Seconds that the radio's clock is ahead of this computer's, by its latest packets.
    public var clockAhead: Int64?
    /// Its latest packets have no time.
    public var isClockUnset: Bool?
    /// Percent, and when.
    public var channelUtilization: Double?
    public var airUtilization: Double?
    public var utilizationAt: Int64?
    public var nodes = 0
    public var weakKeys = Nodes()
    public var isOwnKeyWeak = false
    public var sharedKeys = Nodes()
    public var isOwnKeyShared = false
    public var doubtedKeys = Nodes()
    /// Favourites that the radio does not have.
    public var missingFavorites = Nodes()
    /// Old and new number of nodes that seem to have another one: `!0000000a !0000000b`.
    public var renumberedNodes = Nodes()
    /// Nodes that are heard and have sent no telemetry for a week; and how many are heard at all.
    public var quietNodes = Nodes()
    public var heardNodes = 0
    /// Own packets on their way, the oldest of those that wait for nothing but the radio, and how many wait for something.
    public var outbox = 0
    public var oldestInOutbox: Int64?
    public var held = 0

    public init() {}

    func has(_ problem: Problem.Kind) -> Problem? { problems.first { $0.kind == problem } }

    var isLive: Bool { link == "live" }

    /// In the order of the page.
    static var facts: [Fact<Self>] {
        [
            Fact("id", \.id), Fact("device", \.device), Fact("nodeId", \.nodeID), Fact("state", \.link),
            Fact(time: "since", \.since), Fact("problems", \.problems), Fact("traffic", \.traffic),
            Fact("firmware", \.firmware), Fact("region", \.region), Fact("regionName", \.regionName),
            Fact("transmitterOff", \.isTransmitterOff), Fact("logsInFrames", \.logsInFrames),
            Fact("storeForwardServer", \.isStoreForwardServer), Fact(time: "lastPacket", \.lastPacket),
            Fact("clockAhead", \.clockAhead), Fact("clockUnset", \.isClockUnset),
            Fact("channelUtilization", \.channelUtilization), Fact("airUtilization", \.airUtilization),
            Fact(time: "utilizationAt", \.utilizationAt), Fact("nodes", \.nodes),
            Fact("weakKeys", \.weakKeys), Fact("ownKeyWeak", \.isOwnKeyWeak), Fact("sharedKeys", \.sharedKeys),
            Fact("ownKeyShared", \.isOwnKeyShared), Fact("doubtedKeys", \.doubtedKeys),
            Fact("missingFavorites", \.missingFavorites), Fact("renumberedNodes", \.renumberedNodes),
            Fact("quietNodes", \.quietNodes), Fact("heardNodes", \.heardNodes),
            Fact(
                "outbox",
                [Fact("count", \.outbox), Fact("held", \.held), Fact(time: "oldest", \.oldestInOutbox)]),
        ]
    }
}

/// As the page of a daemon of any version has it.
extension Problem: Tellable {
    static func read(_ json: JSONValue) -> Problem? {
        Problem(told: json["name"]?.string ?? "?", json["advice"]?.string ?? "")
    }

    func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("advice", advice)
        }
    }
}
