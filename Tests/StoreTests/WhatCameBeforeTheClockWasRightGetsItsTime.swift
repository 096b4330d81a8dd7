import MeshModel
import Testing

@testable import Store

/// A Raspberry Pi starts in 1970, and learns the time an hour later.
@Suite struct WhatCameBeforeTheClockWasRightGetsItsTime {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID
    /// What the clock shows after its start, in milliseconds.
    private let boot: Int64 = 40_000

    init() throws { (store, source) = try Store.withSource(folder) }

    private func live(from start: Int64) throws {
        let source = source
        try store.commit { writer in
            let packet = MeshPacket(from: alice, to: bob, id: PacketID(truncatingIfNeeded: start), payload: .none)
            let telemetry = Telemetry(kind: .device, values: [Telemetry.Value("batteryLevel", 50)])
            try writer.logPacket(packet, direction: .rx, in: source, at: start)
            try writer.insertTelemetry(telemetry, from: alice, packet: packet, in: source, at: start)
            try writer.updateNode(alice, in: source, at: start) { $0.lastHeard = start / 1000 }
            var message = Message.received("at \(start)", id: packet.id, at: start)
            message.createdAt = try writer.receiptTime(start, in: source)
            try writer.insertMessage(message, in: source)
        }
    }

    private func times(_ column: String, _ table: String) throws -> [Int64] {
        try secondConnection(store).prepare(composed: "SELECT \(column) FROM \(table) ORDER BY id").rows {
            $0.integer()
        }
    }

    @Test func theTimeThatTheClockWouldHaveShown() throws {
        try live(from: noon - 10 * day)
        try live(from: boot)
        try live(from: boot + hour)
        let leap = noon - boot
        try store.commit { [boot] in try $0.clockWasSet(by: leap, at: boot + hour) }
        try live(from: noon + 2 * hour)
        let right = [noon - 10 * day, noon, noon + hour, noon + 2 * hour]
        for (column, table) in [
            ("at", "packets"), ("at", "telemetry"), ("timestamp", "messages"), ("created_at", "messages"),
        ] {
            #expect(try times(column, table) == right, "\(table)")
        }
        #expect(try store.read { try $0.node(alice, in: source) }?.lastHeard == (noon + 2 * hour) / 1000)
    }

    @Test func nodesThatWereHeardOnlyThenToo() throws {
        try live(from: boot)
        try store.commit { [boot] in try $0.clockWasSet(by: noon - boot, at: boot + hour) }
        let node = try #require(try store.read { try $0.node(alice, in: source) })
        #expect(node.lastHeard == noon / 1000)
        #expect(node.createdAt == noon)
    }

    /// Of a clock that leaps from one plausible time to another nobody knows when it was right.
    @Test func otherLeapsLeaveTimesAlone() throws {
        try live(from: noon)
        for leap in [3 * hour, -3 * hour, 50 * day] {
            try store.commit { try $0.clockWasSet(by: leap, at: noon + hour) }
        }
        #expect(try times("at", "packets") == [noon])
        #expect(try times("timestamp", "messages") == [noon])
    }

    /// What waits is to be sent for as long as it was to be, and what an earlier run accepted by the right time as well.
    @Test func whatWaitsForTheRadioWaitsOn() throws {
        let (source, boot) = (source, boot)
        let earlier = noon - hour
        try store.commit { writer in
            for (place, time) in [earlier, boot].enumerated() {
                let packet = MeshPacket(from: alice, to: bob, id: PacketID(place + 1), payload: .none)
                try writer.insertOutbox(OutboxItem(packet: packet, expiresAt: time + day, createdAt: time), in: source)
            }
            try writer.clockWasSet(by: noon - boot, at: boot + hour)
        }
        let items = try store.read { try $0.outbox(in: source) }
        #expect(items.map(\.createdAt) == [earlier, noon])
        #expect(items.map(\.expiresAt) == [earlier + day, noon + day])
    }

    /// Targets are told the time that the feed shows, and have waited for as long as they have.
    @Test func whatWaitsForATargetToo() throws {
        let (boot, earlier) = (boot, noon - hour)
        try store.commit { writer in
            for (title, time) in [("earlier", earlier), ("boot", boot)] {
                let row = FeedRow(at: time, in: nil, type: "rebooted", title: title, body: "", needs: [.info])
                try writer.insert(row)
                try writer.insert(Dispatch(to: "phone", at: time, row))
            }
            try writer.clockWasSet(by: noon - boot, at: boot + hour)
        }
        var waiting = try store.read { try $0.dispatches(of: "phone") }
        #expect(waiting.map(\.at) == [earlier, noon] && waiting.map(\.row.createdAt) == [earlier, noon])
        // From one plausible time to another.
        try store.commit { try $0.clockWasSet(by: 50 * day, at: noon + hour) }
        waiting = try store.read { try $0.dispatches(of: "phone") }
        #expect(waiting.map(\.at) == [earlier + 50 * day, noon + 50 * day])
        #expect(waiting.map(\.row.createdAt) == [earlier, noon])
    }
}
