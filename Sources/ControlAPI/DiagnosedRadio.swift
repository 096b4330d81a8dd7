import JSON

extension Diagnosis {
    /// A radio, as the daemon has it or as the database remembers it.
    public struct Radio: Equatable, Sendable {
        /// The source's UUID.
        public var id: String?
        /// The setting of its link.
        public var device: String?
        public var nodeID: String?
        /// Of its link; nil without a daemon.
        public var state: String?
        public var since: Int64?
        /// What keeps the link from working, and what is wrong although it works.
        public var problems: [Problem] = []
        public var traffic: Traffic?
        public var firmware: String?
        /// RegionCode; 0: none is set.
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
        /// Nodes that are heard, and have sent no telemetry for a week; and how many are heard.
        public var quietNodes = Nodes()
        public var heardNodes = 0
        public var outbox = Outbox()

        init() {}
    }

    public struct Problem: Equatable, Sendable {
        public var name: String
        public var advice: String
    }

    /// Since the link works.
    public struct Traffic: Equatable, Sendable {
        public var bytes: UInt64
        public var frames: UInt64
        public var textBytes: UInt64
        public var garbageBytes: UInt64
        public var connections: UInt64
    }

    public struct Nodes: Equatable, Sendable {
        public var count = 0
        /// Some of them.
        public var ids: [String] = []
    }

    /// Own packets on their way.
    public struct Outbox: Equatable, Sendable {
        public var count = 0
        /// How many wait for something besides the radio.
        public var held = 0
        /// Since when the oldest of the others waits.
        public var oldest: Int64?
    }
}

extension Diagnosis.Radio {
    init(_ json: JSONValue) {
        id = json["id"]?.string
        device = json["device"]?.string
        nodeID = json["nodeId"]?.string
        state = json["state"]?.string
        since = json["since"]?.time
        problems = (json["problems"]?.array ?? []).map {
            Diagnosis.Problem(name: $0["name"]?.string ?? "?", advice: $0["advice"]?.string ?? "")
        }
        traffic = json["traffic"].map(Diagnosis.Traffic.init)
        firmware = json["firmware"]?.string
        region = json["region"]?.integer.flatMap { UInt32(exactly: $0) }
        regionName = json["regionName"]?.string
        isTransmitterOff = json["transmitterOff"]?.bool
        logsInFrames = json["logsInFrames"]?.bool
        isStoreForwardServer = json["storeForwardServer"]?.bool
        lastPacket = json["lastPacket"]?.time
        clockAhead = json["clockAhead"]?.integer
        isClockUnset = json["clockUnset"]?.bool
        if case .number(let percent)? = json["channelUtilization"] { channelUtilization = percent }
        if case .number(let percent)? = json["airUtilization"] { airUtilization = percent }
        utilizationAt = json["utilizationAt"]?.time
        nodes = Int(json["nodes"]?.integer ?? 0)
        weakKeys = Diagnosis.Nodes(json["weakKeys"])
        isOwnKeyWeak = json["ownKeyWeak"]?.bool ?? false
        sharedKeys = Diagnosis.Nodes(json["sharedKeys"])
        isOwnKeyShared = json["ownKeyShared"]?.bool ?? false
        doubtedKeys = Diagnosis.Nodes(json["doubtedKeys"])
        missingFavorites = Diagnosis.Nodes(json["missingFavorites"])
        renumberedNodes = Diagnosis.Nodes(json["renumberedNodes"])
        quietNodes = Diagnosis.Nodes(json["quietNodes"])
        heardNodes = Int(json["heardNodes"]?.integer ?? 0)
        outbox = Diagnosis.Outbox(json["outbox"])
    }

    func write(_ json: inout JSONWriter) {
        json.member("id", id)
        json.member("device", device)
        json.member("nodeId", nodeID)
        json.member("state", state)
        json.time("since", milliseconds: since)
        json.key("problems")
        json.array { json in
            for problem in problems {
                json.object { json in
                    json.member("name", problem.name)
                    json.member("advice", problem.advice)
                }
            }
        }
        json.key("traffic")
        if let traffic { json.object { traffic.write(&$0) } } else { json.null() }
        json.member("firmware", firmware)
        json.member("region", region)
        json.member("regionName", regionName)
        json.member("transmitterOff", isTransmitterOff)
        json.member("logsInFrames", logsInFrames)
        json.member("storeForwardServer", isStoreForwardServer)
        json.time("lastPacket", milliseconds: lastPacket)
        json.member("clockAhead", clockAhead)
        json.member("clockUnset", isClockUnset)
        json.member("channelUtilization", channelUtilization)
        json.member("airUtilization", airUtilization)
        json.time("utilizationAt", milliseconds: utilizationAt)
        json.member("nodes", nodes)
        weakKeys.write("weakKeys", &json)
        json.member("ownKeyWeak", isOwnKeyWeak)
        sharedKeys.write("sharedKeys", &json)
        json.member("ownKeyShared", isOwnKeyShared)
        doubtedKeys.write("doubtedKeys", &json)
        missingFavorites.write("missingFavorites", &json)
        renumberedNodes.write("renumberedNodes", &json)
        quietNodes.write("quietNodes", &json)
        json.member("heardNodes", heardNodes)
        json.key("outbox")
        json.object { outbox.write(&$0) }
    }
}

extension Diagnosis.Traffic {
    fileprivate init(_ json: JSONValue) {
        func number(_ key: String) -> UInt64 { UInt64(max(0, json[key]?.integer ?? 0)) }
        self.init(
            bytes: number("bytes"), frames: number("frames"), textBytes: number("textBytes"),
            garbageBytes: number("garbageBytes"), connections: number("connections"))
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.member("bytes", bytes)
        json.member("frames", frames)
        json.member("textBytes", textBytes)
        json.member("garbageBytes", garbageBytes)
        json.member("connections", connections)
    }
}

extension Diagnosis.Nodes {
    fileprivate init(_ json: JSONValue?) {
        count = Int(json?["count"]?.integer ?? 0)
        ids = (json?["ids"]?.array ?? []).compactMap(\.string)
    }

    fileprivate func write(_ name: StaticString, _ json: inout JSONWriter) {
        json.key(name)
        json.object { json in
            json.member("count", count)
            json.key("ids")
            json.array { json in for id in ids { json.value(id) } }
        }
    }
}

extension Diagnosis.Outbox {
    fileprivate init(_ json: JSONValue?) {
        count = Int(json?["count"]?.integer ?? 0)
        held = Int(json?["held"]?.integer ?? 0)
        oldest = json?["oldest"]?.time
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.member("count", count)
        json.member("held", held)
        json.time("oldest", milliseconds: oldest)
    }
}
