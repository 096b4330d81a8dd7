import Glibc
import MeshModel
import Store

/// Fills a database as some months of a busy mesh would: nodes with every field, messages of four channels and of direct
/// conversations, one in three seconds up to now, and as many telemetry packets of a few nodes, all of this week, because
/// older ones are deleted. Through the store's writer, in one change: the search index and the counts of points are whole
/// when it ends, so that the gateway has nothing to catch up with while it is measured.
func fill(database: String, nodes: UInt32, messages: UInt32) throws {
    let now = hostMilliseconds()
    try BulkChange.run(path: database, program: "bench") { writer in
        let source = try writer.insert(
            Source(uuid: "5e0d53a1-7c0b-4f4e-9d55-1f0c1b0f6f2a", name: "Default", isEnabled: true, createdAt: now))
        try writer.updateChannels(channels, in: source, at: now)
        var dice = Dice(seed: 1)
        for index in 0..<nodes {
            try writer.updateNode(number(of: index), in: source, at: now) { node in
                node.describe(index, at: now, &dice)
            }
        }
        for index in 0..<messages {
            if index % 5_000 == 0 {
                try writer.relieve()
                dice = Dice(seed: UInt64(index) + 2)
            }
            let time = now - Int64(messages - index) * 3_000
            let message = message(index, at: time, &dice)
            guard try writer.insertMessage(message, in: source) else { preconditionFailure("ids are unique") }
            try writer.insertTelemetry(
                telemetry(index, &dice), from: number(of: index % talkers), packet: nil, in: source,
                at: now - Int64(messages - index) * week / Int64(messages))
        }
    }
}

/// Milliseconds, a little less than the days that telemetry is kept.
private let week: Int64 = 6 * 86_400_000

/// Four of five are what the node says of itself, the others of its surroundings.
func telemetry(_ index: UInt32, _ dice: inout Dice) -> Telemetry {
    func value(_ name: String, _ base: Double, _ steps: Int) -> Telemetry.Value {
        Telemetry.Value(name, Double(Float(base + Double(dice.number(below: steps)) / 100)))
    }
    if index / talkers % 5 == 0 {
        return Telemetry(
            kind: .environment,
            values: [value("temperature", 10, 2_000), value("humidity", 30, 5_000), value("pressure", 980, 4_000)])
    }
    return Telemetry(
        kind: .device,
        values: [
            Telemetry.Value("batteryLevel", Double(dice.number(below: 101))), value("voltage", 3, 120),
            value("channelUtilization", 0, 3_000), value("airUtilTx", 0, 500),
            Telemetry.Value("uptimeSeconds", Double(index)),
        ])
}

private let channels = (0..<8).map { index in
    Channel(
        index: index, role: index == 0 ? .primary : index < 4 ? .secondary : .disabled,
        name: index == 0 || index > 3 ? "" : "Channel \(index)", psk: index < 4 ? [1] : [])
}

private func number(of index: UInt32) -> NodeNumber { NodeNumber(0x4350_0000 + index) }

let words = [
    "good", "morning", "mesh", "from", "the", "ridge", "signal", "is", "fine", "today", "battery", "low", "on", "my",
    "way", "back", "at", "noon", "anybody", "near", "lake", "trail", "closed", "rain", "tonight", "copy", "thanks",
]

/// Few of a mesh's nodes have a person behind them who writes.
private let talkers: UInt32 = 8

/// Once in so many messages a word stands that no other has.
private let rarity: UInt32 = 50_000

private func message(_ index: UInt32, at time: Int64, _ dice: inout Dice) -> Message {
    var text = (0..<4 + dice.number(below: 8)).map { _ in words[dice.number(below: words.count)] }
        .joined(separator: " ")
    if index % rarity == rarity / 2 { text += " aurora" }
    let isDirect = dice.number(below: 10) == 0
    return Message(
        id: "", from: number(of: UInt32(dice.number(below: Int(talkers)))),
        to: isDirect ? number(of: 0) : .broadcast, text: text, channel: isDirect ? -1 : dice.number(below: 4),
        packetID: index &* 2_654_435_761 | 1, timestamp: time, rxTime: time, hopStart: 3,
        hopLimit: UInt32(dice.number(below: 4)), relayNode: 18, viaMQTT: false, rxSNR: 5.25, rxRSSI: -97,
        pkiEncrypted: isDirect, createdAt: time, updatedAt: time)
}

extension Node {
    fileprivate mutating func describe(_ index: UInt32, at now: Int64, _ dice: inout Dice) {
        longName = "Ridge Repeater \(index)"
        shortName = String(index, radix: 36)
        hardwareModel = 43
        role = UInt32(dice.number(below: 3))
        macAddress = (0..<6).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        publicKey = PublicKey((0..<32).map { _ in UInt8(truncatingIfNeeded: dice.next()) })
        hopsAway = UInt32(dice.number(below: 5))
        lastMessageHops = hopsAway
        viaMQTT = false
        transport = 1
        lastHeard = now / 1000 - Int64(dice.number(below: 86_400))
        lastHeardRF = lastHeard
        snr = Double(dice.number(below: 80)) / 4 - 10
        rssi = -60 - dice.number(below: 60)
        channel = 0
        latitude = 46 + Double(dice.number(below: 10_000)) / 10_000
        longitude = 6 + Double(dice.number(below: 10_000)) / 10_000
        altitude = 300 + dice.number(below: 2_000)
        positionTimestamp = now
        positionChannel = 0
        positionPrecisionBits = 32
        batteryLevel = dice.number(below: 101)
        voltage = Double(Float(3 + Double(dice.number(below: 120)) / 100))
        channelUtilization = Double(Float(Double(dice.number(below: 300)) / 10))
        airUtilTx = Double(Float(Double(dice.number(below: 50)) / 10))
        uptimeSeconds = Int64(dice.number(below: 1_000_000))
    }
}
