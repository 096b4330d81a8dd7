import HTTPServer
import MeshModel
import Nettle
import Platform
import Routes
import Store

@testable import Gateway
@testable import RestAPI

/// A mesh in which everything that can be hidden from a token has a mark that is nowhere else: on two channels of the
/// radio, on one of the gateway's own, and in direct messages.
struct MarkedMesh {
    /// What can be hidden, and from whom.
    struct Mark: CustomStringConvertible {
        let text: String
        let description: String
        /// Whether a token may be shown it at a path.
        let isShown: (Rights, String) -> Bool
    }

    /// Of a token, in the words of the manual.
    struct Rights {
        let scopes: [String]
        private let all: Scopes

        init(_ scopes: [String]) throws { (self.scopes, all) = (scopes, try Scopes(parsing: scopes)) }

        func reads(_ resource: Resource) -> Bool { all.allows(Permission(resource, .read)) }
        /// What was said on a channel; -1: to one alone.
        func hears(_ channel: Int) -> Bool {
            switch channel {
            case -1: reads(.messages)
            case 0...7: reads(.channel(channel))
            default: reads(.channelDatabase)
            }
        }
        /// Who and what is on a channel's map.
        func sees(_ channel: Int) -> Bool {
            if channel < 0 { return false }
            return (0...7).contains(channel)
                ? all.allows(Permission(.channel(channel), .viewOnMap)) : reads(.channelDatabase)
        }
        func seesNodes(_ channel: Int) -> Bool { reads(.nodes) && sees(channel) }
        /// The log has texts, and everything that was for one, only for who may read them elsewhere.
        func logs(_ channel: Int) -> Bool { reads(.packetMonitor) && hears(channel) }
    }

    static let own = TestGateway.own
    private static let words = ["zero", "one", "far", "direct"]
    /// 101 is the first of the gateway's own.
    static let channels = [0, 1, 101, -1]

    let test: TestGateway
    private let began = WallClock.milliseconds() - 600_000

    init() throws {
        test = try TestGateway()
        let id = test.id
        _ = try test.gateway.channelDatabase.add(
            name: "Mchannel-far", psk: [UInt8](repeating: 7, count: 16), description: nil, isEnabled: true,
            enforcesName: false)
        try test.store.commit { try $0.update(id) { $0.nodeNumber = Self.own } }
        let start = began
        try test.store.commit { try $0.insert(Happening(.link, at: start, source: id, name: "live", text: "Mport")) }
        try test.insert(
            [0, 1].map {
                Channel(index: $0, role: $0 == 0 ? .primary : .secondary, name: "Mchannel-\(Self.word($0))", psk: key)
            })
    }

    private let key = [UInt8]("secret key of 16".utf8)

    // MARK: who and what there is

    /// One who speaks on a channel, and one who only relays there. Who writes direct messages is not heard otherwise.
    static func speaker(_ channel: Int) -> NodeNumber { NodeNumber(0xA1B2_C300 + UInt32(index(channel))) }
    static func relay(_ channel: Int) -> NodeNumber { NodeNumber(0x5EC0_1100 + UInt32(index(channel))) }
    static func waypoint(_ channel: Int, _ round: Int) -> UInt32 { UInt32(900 + index(channel) + round * 10) }
    static func packetID(_ channel: Int, _ round: Int) -> PacketID {
        PacketID(70_000 + index(channel) * 10 + round * 1000)
    }
    private static func index(_ channel: Int) -> Int { channels.firstIndex(of: channel)! }
    private static func word(_ channel: Int) -> String { words[index(channel)] }

    /// In a round everything is said once more, under other numbers.
    func time(_ channel: Int, _ round: Int) -> Int64 {
        began + Int64(Self.index(channel) * 7_001 + round * 60_013)
    }

    private func place(_ kind: Int, _ channel: Int) -> Int32 {
        Int32(460_123_457 + kind * 1_234_567 + Self.index(channel) * 100_003)
    }

    /// Everything on one channel.
    func talk(on channel: Int, round: Int = 0) throws {
        let (id, now, speaker, relay) = (test.id, time(channel, round), Self.speaker(channel), Self.relay(channel))
        let (word, heardAt) = (Self.word(channel), now + 31)
        let (isDirect, isOurs) = (channel < 0, channel > 7)
        let places = (0...2).map { place($0, channel) }
        let (packetID, voltage) = (Self.packetID(channel, round), voltage(channel))
        let (waypoint, key, extra) = (Self.waypoint(channel, round), publicKey(channel), isOurs ? 1 : nil as Int64?)
        try test.store.commit { writer in
            func packet(_ port: PortNumber, _ payload: [UInt8], _ number: UInt32) -> MeshPacket {
                var packet = MeshPacket(
                    from: speaker, to: isDirect ? Self.own : .broadcast, channel: UInt32(max(channel, 0)),
                    id: packetID + number, payload: .decoded(MeshData(port: port, payload: payload)), rxSNR: 5,
                    rxRSSI: -90, hopLimit: 3, hopStart: 3)
                packet.pkiEncrypted = isDirect
                return packet
            }
            let point = Waypoint(
                id: waypoint, latitudeI: places[1], longitudeI: 65_000_000, name: "Mwaypoint-\(word)",
                description: "Mwords-\(word)")
            let text = packet(.textMessage, Array("Mlogged-\(word)".utf8), 100)
            for (place, packet) in [
                text, packet(.waypoint, point.encoded(), 200),
                packet(.position, Position(latitudeI: places[2], longitudeI: 65_000_000).encoded(), 300),
            ].enumerated() {
                try writer.logPacket(
                    packet, direction: .rx, decryptedWith: extra, in: id, at: now + 1_009 * Int64(place + 1))
            }
            var message = Message(
                id: "", from: speaker, to: isDirect ? Self.own : .broadcast, text: "Mtext-\(word)", channel: channel,
                packetID: packetID, timestamp: now, createdAt: now, updatedAt: now)
            message.decryptedWith = extra
            try writer.insertMessage(message, in: id)
            message = Message(
                id: "", from: Self.own, to: isDirect ? speaker : .broadcast, text: "Mown-\(word)", channel: channel,
                packetID: packetID + 1, isOwn: true, timestamp: now + 1, createdAt: now + 1, updatedAt: now + 1)
            message.sender = Sender(.rest, "Mclient-\(word)")
            if !isOurs { try writer.insertMessage(message, in: id) }
            try writer.upsertWaypoint(point, from: speaker, channel: isDirect ? nil : channel, in: id, at: heardAt)
            let told: [(String, FeedRow.Need)] = [
                ("Mtold-\(word)", .message(channel: channel)),
                ("Mpointed-\(word)", .waypoint(channel: isDirect ? nil : channel)),
            ]
            for (number, (mark, need)) in told.enumerated() {
                try writer.insert(
                    FeedRow(
                        at: heardAt + 2_003 * Int64(number + 1), in: id, type: "message", title: mark,
                        body: "\(mark)-body", needs: [need], rule: "\(mark)-rule", node: speaker))
            }
            guard !isDirect else { return }
            try writer.insert(
                FeedRow(
                    at: heardAt + 9_001, in: id, type: "node-silent", title: "Mabout-\(word)",
                    body: "Mabout-\(word)-body", needs: [.node(channel: channel)], node: relay))
            try writer.insert(
                Happening(
                    .key, at: heardAt + 9_007, source: id, node: speaker, name: "key-changed", text: "Mkey-\(word)"))
            try writer.updateNode(speaker, in: id, at: heardAt) { node in
                (node.longName, node.shortName, node.channel) = ("Mname-\(word)", "M", channel)
                (node.latitude, node.longitude, node.positionChannel) = (Double(places[0]) / 1e7, 6.5, channel)
                (node.nickname, node.notes, node.publicKey) = ("Mnick-\(word)", "Mnotes-\(word)", key)
                node.lastHeard = now / 1000
            }
            try writer.updateNode(relay, in: id, at: heardAt) {
                ($0.longName, $0.channel) = ("Mrelay-\(word)", channel)
            }
            try writer.insertTelemetry(
                Telemetry(kind: .device, values: [Telemetry.Value("voltage", voltage)]),
                from: speaker, packet: text, in: id, at: heardAt)
            try writer.insertPosition(
                Position(latitudeI: places[0] + 17, longitudeI: 65_000_000), from: speaker, packet: text, in: id,
                at: heardAt)
            let route = RouteDiscovery(route: [relay], snrTowards: [24, -13], routeBack: [relay], snrBack: [24, -13])
            try writer.insertTraceroute(
                from: Self.own, to: Self.speaker(0), packetID: packetID + 2, route: route, in: id, at: heardAt)
            let heard = NeighborInfo(
                number: speaker, lastSentBy: speaker, broadcastInterval: 900,
                neighbors: [.init(number: relay, snr: -3.25, lastRxTime: 0)])
            try writer.replaceNeighbors(heard, in: id, at: heardAt)
        }
    }

    /// What is said over a broker, which belongs to no channel.
    func talkOverABroker(round: Int = 0) throws {
        if round == 0 { try test.make("marked", title: "Mbroker-title", filters: ["Mbroker-filter"]) }
        let source = try test.store.read { try $0.brokerConversation("marked") }!.source
        try test.store.commit { writer in
            let about = BrokerText(topic: "Mbroker-topic", writer: "Mbroker-writer")
            _ = try writer.insertReceived("Mbroker-text", about, in: source, at: began + 30_011 + Int64(round) * 60_013)
        }
    }

    /// The same in a conversation that is bridged to channel 1.
    func talkOverABridge(round: Int = 0) throws {
        if round == 0 {
            let source = try test.make("joined", title: "Mbridge-title", filters: ["Mbridge-filter"])
            let bridge = (ConversationBridge(channel: 1, of: test.uuid), radio: test.id)
            _ = try test.store.commit { try $0.setBridge(bridge, of: source) }
        }
        let source = try test.store.read { try $0.brokerConversation("joined") }!.source
        try test.store.commit { writer in
            let about = BrokerText(topic: "Mbridge-topic", writer: "Mbridge-writer")
            _ = try writer.insertReceived("Mbridge-text", about, in: source, at: began + 30_023 + Int64(round) * 60_013)
        }
    }

    private func publicKey(_ channel: Int) -> PublicKey {
        PublicKey([UInt8](repeating: UInt8(11 + Self.index(channel)), count: 32))!
    }

    private func voltage(_ channel: Int) -> Double { 3.28125 + Double(Self.index(channel)) / 32 }

    private func degrees(_ value: Int32) -> String { "\(Double(value) / 1e7)" }

    /// Of one round of each channel.
    var marks: [Mark] {
        var all: [Mark] = [
            Mark(text: Base64.encoded(key), description: "a channel's key") { _, _ in false }
        ]
        func add(_ text: String, _ what: String, _ isShown: @escaping (Rights, String) -> Bool) {
            all.append(Mark(text: text, description: "\(what) (\(text))", isShown: isShown))
        }
        for word in ["text", "topic", "writer"] {
            add("Mbroker-\(word)", "what is said over a broker") { rights, _ in rights.reads(.messages) }
        }
        for word in ["title", "filter"] {
            add("Mbroker-\(word)", "a conversation over a broker") { rights, path in
                path.contains("/mqtt/") ? rights.reads(.mqtt) : rights.reads(.messages)
            }
        }
        for word in ["text", "topic", "writer"] {
            add("Mbridge-\(word)", "what is said over a bridge") { rights, _ in
                rights.reads(.messages) && rights.hears(1)
            }
        }
        for word in ["title", "filter"] {
            add("Mbridge-\(word)", "a conversation that is bridged") { rights, path in
                path.contains("/mqtt/") ? rights.reads(.mqtt) : rights.reads(.messages) && rights.hears(1)
            }
        }
        for channel in Self.channels {
            let word = Self.word(channel)
            let isSaid = { (rights: Rights, _: String) in rights.reads(.messages) && rights.hears(channel) }
            add("Mtext-\(word)", "a text", isSaid)
            add("\(time(channel, 0))", "the time of a text", isSaid)
            add("\(time(channel, 0) + 1_009)", "the time of a packet") { rights, _ in rights.logs(channel) }
            add("Mlogged-\(word)", "a text in the log") { rights, _ in rights.logs(channel) }
            if channel <= 7 {
                add("Mclient-\(word)", "who had a text sent") { rights, path in
                    isSaid(rights, path) && rights.reads(.configuration)
                }
            }
            let isPoint = { (rights: Rights, path: String) in
                path.contains("packets")
                    ? rights.logs(channel) && rights.sees(max(channel, 0))
                    : rights.reads(.nodes) && (channel < 0 ? rights.reads(.messages) : rights.sees(channel))
            }
            add("Mtold-\(word)", "what a rule told of a text") { rights, path in
                isSaid(rights, path) && rights.reads(.notifications)
            }
            add("Mpointed-\(word)", "what a rule told of a waypoint") { rights, path in
                isPoint(rights, path) && rights.reads(.notifications)
            }
            add("Mwaypoint-\(word)", "a waypoint", isPoint)
            add("Mwords-\(word)", "a waypoint's words", isPoint)
            add(degrees(place(1, channel)), "a waypoint's place", isPoint)
            add("\(place(1, channel))", "a waypoint's place in the log", isPoint)
            add("\(place(2, channel))", "a position in the log") { rights, _ in
                rights.logs(channel) && rights.sees(max(channel, 0))
            }
            guard channel >= 0 else { continue }
            let isNode = { (rights: Rights, _: String) in rights.seesNodes(channel) }
            add("Mname-\(word)", "a name") { rights, path in
                isNode(rights, path)
                    // MeshMonitor's contract, as the manual says.
                    || path.contains("/neighbor-info") && rights.reads(.info) && rights.sees(channel)
                    || path.contains("/packets") && !path.contains("explain") && rights.logs(channel)
            }
            add("Mrelay-\(word)", "a relay's name") { rights, path in
                isNode(rights, path) || path.contains("/neighbor-info") && rights.reads(.info) && rights.sees(channel)
            }
            for number in ["\(Self.relay(channel).rawValue)", Self.relay(channel).id] {
                add(number, "a relay") { rights, path in
                    let isEnd = path.contains("/neighbor-info") || path.contains("/links")
                    return isNode(rights, path) || isEnd && rights.reads(.info) && rights.sees(channel)
                }
            }
            add("Mabout-\(word)", "what a rule told of a node") { rights, path in
                isNode(rights, path) && rights.reads(.notifications)
            }
            add("Mkey-\(word)", "what happened to a key") { rights, path in
                isNode(rights, path) && (rights.reads(.info) || path.hasSuffix("/key"))
            }
            add("Mnick-\(word)", "a nickname", isNode)
            add("Mnotes-\(word)", "notes", isNode)
            add(Base64.encoded(publicKey(channel).bytes), "a public key", isNode)
            add(degrees(place(0, channel) + 17), "a position", isNode)
            add(degrees(place(0, channel)), "a node's place") { rights, path in
                isNode(rights, path) || path.contains("/neighbor-info") && rights.reads(.info) && rights.sees(channel)
            }
            add("\(voltage(channel))", "a voltage", isNode)
            add("Mchannel-\(word)\"", "a channel's name") { rights, _ in
                channel > 7 ? rights.reads(.channelDatabase) : rights.reads(.messages) && rights.hears(channel)
            }
        }
        return all
    }

    // MARK: what can be asked

    /// Every GET that wants a token, with everything that there is in the place of its parameters, and what comes in a
    /// second round.
    var targets: [String] {
        let (uuid, nodes) = (test.uuid, [0, 1, 101].flatMap { [Self.speaker($0), Self.relay($0)] })
        func values(_ parameter: String, _ path: String) -> [String] {
            switch parameter {
            case "{sourceId}": [uuid]
            case "{id}" where path.contains("/waypoints/"):
                [0, 1].flatMap { round in Self.channels.map { "\(Self.waypoint($0, round))" } }
            case "{id}" where path.contains("/packets/"): (1...14).map { "\($0)" }
            case "{id}" where path.contains("/channel-database/"): ["1"]
            case "{id}": [uuid]
            case "{nodeId}": nodes.map(\.id)
            case "{nodeNum}", "{fromNum}", "{toNum}": nodes.map { "\($0.rawValue)" } + ["\(Self.own.rawValue)"]
            case "{fromNodeId}": [Self.own.id]
            case "{toNodeId}": nodes.map(\.id)
            case "{messageId}": [0, 1].flatMap { round in Self.channels.map { "\(Self.packetID($0, round))" } }
            case "{conversationId}": ["channel:0", "channel:1", "channel:101", "direct:\(Self.speaker(-1).id)"]
            case "{conversationName}": ["marked", "joined"]
            case "{channelId}": ["0", "1"]
            case "{deviceId}": [uuid]
            case "{sessionId}": ["\(uuid).0", "\(uuid).1"]
            default: []
            }
        }
        let paths = Endpoints.all.filter { endpoint in
            switch endpoint.access {
            case .token, .everything, .session, .cookie: endpoint.method == .get && !endpoint.path.hasSuffix("/events")
            case .open, .local: false
            }
        }.flatMap { endpoint in
            endpoint.path.split(separator: "/").reduce([""]) { paths, segment in
                let all = segment.hasPrefix("{") ? values(String(segment), endpoint.path) : [String(segment)]
                return paths.flatMap { path in all.map { "\(path)/\($0)" } }
            }
        }
        let speaker = "\(test.uuid)_\(Self.speaker(0).rawValue)_\(Self.packetID(0, 0))"
        return paths + paths.filter { $0.hasPrefix("/api/neighbor-info/") }.map { $0 + "?sourceId=\(uuid)" }
            + paths.filter { $0.hasPrefix("/api/telemetry/!") }.map { $0 + "?sourceId=\(uuid)&hours=24" }
            + [
                "messages?since=1", "messages?channel=-1", "messages?channel=0", "messages?channel=1",
                "messages?channel=101", "messages?before=\(speaker)", "messages?after=\(speaker)",
                "messages?around=\(speaker)", "messages?conversation=channel:1", "messages?conversation=channel:101",
                "messages/search?q=Mtext", "messages/search?q=Mown&scope=channels",
                "messages/search?q=M&channels=1,101",
                "messages/search?fromNodeId=\(Self.speaker(1).id)", "nodes?active=true", "nodes?fields=nodeId,longName",
                "telemetry?type=voltage", "telemetry?nodeId=\(Self.speaker(1).id)", "packets?channel=1",
                "packets?portnum=8",
                "links?worst=true", "conversations", "conversations/mqtt:marked", "messages?conversation=mqtt:marked",
                "messages/search?q=Mbroker&conversation=mqtt:marked", "conversations/mqtt:joined",
                "messages?conversation=mqtt:joined", "messages/search?q=Mbridge&conversation=mqtt:joined",
            ].map { "/api/v1/" + $0 }
    }
}
