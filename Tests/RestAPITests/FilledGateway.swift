import MeshModel
import Platform
import Routes
import Store

@testable import RestAPI

/// A gateway with a live radio, and at least one row of everything that the API shows.
struct FilledGateway {
    static let peer = TestGateway.peer
    static let hill = "11111111-2222-4333-8444-555555555555"

    let live: SentTextsAreRowsAtOnce.Live
    var test: TestGateway { live.test }

    init() throws {
        live = try SentTextsAreRowsAtOnce.Live(rules: .oneRule, brokers: .twoBrokers, targets: .twoTargets)
        try nodes()
        try reports()
        try routes()
        try packets()
        try told()
    }

    private func told() throws {
        let id = test.id
        try test.store.commit { writer in
            try writer.store(RuleRow("silent", settings: "when = node silent for 6h", change: 1, at: 1))
            let row = FeedRow(
                at: WallClock.milliseconds() - 2000, in: id, type: "node-silent", title: "Ridge is silent", body: "",
                needs: [.node(channel: 0)], rule: "silent", episode: randomUUID(), state: .begins, node: Self.peer)
            try writer.store(RuleFiring(key: "1", fate: .counted, row: row))
            try writer.insert(
                FeedRow(
                    at: WallClock.milliseconds() - 1000, in: id, type: "node-silent", title: "Ridge is silent",
                    body: "Not heard for 6 hours", needs: [.node(channel: 0)], rule: "silent", episode: randomUUID(),
                    state: .begins, node: Self.peer))
        }
    }

    private func nodes() throws {
        try test.update(Self.peer) { node in
            (node.longName, node.channel, node.lastHeard) = ("Ridge", 0, WallClock.milliseconds() / 1000 - 60)
            (node.latitude, node.longitude, node.positionChannel) = (46.2, 6.1, 0)
            node.publicKey = PublicKey([UInt8](repeating: 7, count: 32))
            node.hopsAway = 0
        }
        try test.update(NodeNumber(0x300)) { node in
            (node.publicKey, node.announcedKey) = (PublicKey([UInt8](1...32)), PublicKey([UInt8](2...33)))
            node.keyMismatch = true
        }
        try test.insert("hello", packetID: 7, at: TestGateway.now)
        try test.insert("to me", packetID: 8, at: TestGateway.now) { message in
            (message.to, message.channel) = (TestGateway.own, -1)
        }
        try test.store.commit { writer in
            let other = try writer.insert(Source(uuid: Self.hill, name: "Hill", isEnabled: true, createdAt: .max))
            try writer.updateNode(Self.peer, in: other, at: TestGateway.now) { node in
                (node.shortName, node.hardwareModel) = ("RDG", 43)
            }
        }
    }

    private func reports() throws {
        try test.insert(
            Telemetry(kind: .device, values: [Telemetry.Value("voltage", 3.7), Telemetry.Value("batteryLevel", 87)]),
            packetID: 11, at: WallClock.milliseconds())
        try test.insert(
            Telemetry(kind: .environment, values: [Telemetry.Value("temperature", -3.25)]), packetID: 12,
            at: WallClock.milliseconds())
        try test.insert(place(0), packetID: 13, at: WallClock.milliseconds())
    }

    private func routes() throws {
        let (id, own, now) = (test.id, live.radio.number, WallClock.milliseconds())
        let route = RouteDiscovery(route: [NodeNumber(0x300)], snrTowards: [24, -13])
        try test.store.commit { writer in
            try writer.insertTraceroute(from: own, to: Self.peer, packetID: 21, route: route, in: id, at: now)
            try writer.insertTraceroute(from: own, to: Self.peer, packetID: 22, route: nil, in: id, at: now - 1)
            let info = NeighborInfo(
                number: Self.peer, lastSentBy: Self.peer, broadcastInterval: 900,
                neighbors: [.init(number: own, snr: -3.25, lastRxTime: 1_787_299_000)])
            try writer.replaceNeighbors(info, in: id, at: now)
        }
    }

    private func packets() throws {
        let (id, now) = (test.id, WallClock.milliseconds())
        let text = MeshPacket(
            from: Self.peer, to: .broadcast, id: 7,
            payload: .decoded(MeshData(port: .textMessage, payload: Array("hello".utf8))), rxTime: 1_787_300_042,
            rxSNR: 5.25, rxRSSI: -97, hopLimit: 3, hopStart: 3, relayNode: 18, transport: .lora)
        var secret = text
        secret.payload = .encrypted([0x0F, 0xA0])
        let packets = [text, secret]
        try test.store.commit { writer in
            for packet in packets { try writer.logPacket(packet, direction: .rx, in: id, at: now - 1000) }
            try writer.logPacket(text, direction: .tx, in: id, at: now)
        }
    }
}
