import Glibc
import MeshModel
import Store

/// Plays some days of a busy mesh, a hundred nodes with a packet a second and a thousand messages a day, into a database
/// that keeps what `Retention` says, and prints for each tenth of them how large it was. Ages are of the ordinary
/// retention; days and size may be scaled down together.
func playBusyMesh(database: String, days: Int, megabytes: Int64) throws {
    var retention = Retention()
    retention.size = megabytes * 1_000_000
    let store = try Store(path: database, retention: retention)
    defer { store.close() }
    let start: Int64 = 1_787_300_000_000
    let source = try store.commit { writer in
        try writer.insert(
            Source(uuid: "5e0d53a1-7c0b-4f4e-9d55-1f0c1b0f6f2a", name: "Default", isEnabled: true, createdAt: start))
    }
    let seconds = days * 86_400
    let batch = 120
    var (largest, longest): (Int64, UInt64) = (0, 0)
    for first in stride(from: 0, to: seconds, by: batch) {
        let began = monotonicTime()
        try store.commit { writer in
            var dice = Dice(seed: UInt64(first))
            for second in first..<first + batch {
                try writer.hear(UInt32(second), at: start + Int64(second) * 1000, in: source, &dice)
            }
            if first % 3600 == 0 { try writer.expire(at: start + Int64(first) * 1000) }
        }
        longest = max(longest, monotonicTime() - began)
        guard first / batch % (seconds / batch / 10) == 0 else { continue }
        let (usage, counts) = try store.read { (try $0.usage(), try $0.counts(in: source)) }
        largest = max(largest, store.health.size)
        func age(_ time: Int64?) -> Int64 { time.map { (start + Int64(first) * 1000 - $0) / 86_400_000 } ?? 0 }
        print(
            "day \(first / 86_400): used \(usage.used / 1000) kB, file and log \(store.health.size / 1000) kB, "
                + "\(counts.messages) messages of \(age(usage.oldestMessage)) days, telemetry of "
                + "\(age(usage.oldestTelemetry)), positions of \(age(usage.oldestPosition)), packets of "
                + "\(age(usage.oldestPacket)), \(store.health.prunedRows) rows deleted, longest commit of \(batch) "
                + "packets \(longest / 1_000_000) ms")
        longest = 0
    }
    print("largest \(largest)")
}

extension Writer {
    /// Of a hundred packets one or two are texts, fifty-five telemetry, twenty positions; the others are only logged.
    fileprivate func hear(_ second: UInt32, at now: Int64, in source: SourceID, _ dice: inout Dice) throws {
        let from = NodeNumber(0x4350_0000 + UInt32(dice.number(below: 100)))
        let id = second &* 2_654_435_761 | 1
        var packet = MeshPacket(
            from: from, to: .broadcast, id: id,
            payload: .encrypted([UInt8](repeating: 0x5A, count: 20 + dice.number(below: 60))), rxTime: 1, rxSNR: 5.25,
            rxRSSI: -97, hopLimit: 3, hopStart: 5, relayNode: 18, transport: .lora)
        packet.channel = 0
        try logPacket(packet, direction: .rx, in: source, at: now)
        try updateNode(from, in: source, at: now) { node in
            node.longName = "Ridge Repeater"
            node.lastHeard = now / 1000
        }
        switch dice.number(below: 1000) {
        case ..<12:
            let text = (0..<4 + dice.number(below: 8)).map { _ in words[dice.number(below: words.count)] }
                .joined(separator: " ")
            try insertMessage(
                Message(
                    id: "", from: from, to: .broadcast, text: text, channel: dice.number(below: 4), packetID: id,
                    timestamp: now, rxTime: now, hopStart: 5, hopLimit: 3, relayNode: 18, viaMQTT: false, rxSNR: 5.25,
                    rxRSSI: -97, createdAt: now, updatedAt: now), in: source)
        case ..<562:
            try insertTelemetry(telemetry(second, &dice), from: from, packet: packet, in: source, at: now)
        case ..<762:
            let position = Position(
                latitudeI: 465_000_000 + Int32(dice.number(below: 100_000)), longitudeI: 75_000_000, altitude: 1200,
                time: UInt32(now / 1000), satsInView: 9, precisionBits: 32)
            try insertPosition(position, from: from, packet: packet, in: source, at: now)
        default: break
        }
    }
}
