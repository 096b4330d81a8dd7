import MeshModel
import Testing

@testable import Store

/// Deleting, marking as read, and what a row brought that a packet has filled, are changes under a number, and are found
/// by it when their rows are gone.
@Suite struct WhatIsGoneAndWhatWasReadIsToldToo {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID
    private let all = Set(StoredChange.Kind.allCases)

    init() throws {
        (store, source) = try Store.withSource(folder)
        store.observe { _ in }
    }

    private func changes(_ body: @escaping @Sendable (Writer, SourceID) throws -> Void) throws -> [StoredChange.What] {
        let (source, before) = (source, try store.read { try $0.newestChange() })
        try store.commit { try body($0, source) }
        return try store.read { try $0.changes(after: before, kinds: all) }.changes.map(\.what)
    }

    @Test func aMessageThatIsDeleted() throws {
        _ = try changes { try $0.insertMessage(.received("secret", channel: 2, id: 7), in: $1) }
        let id = try #require(try store.read { try $0.message(id: "7", in: source) }).id
        let found = try changes { _ = try $0.deleteMessage(id: id, in: $1) }
        guard found.count == 1, case .messageDeleted(let message) = found[0] else { return #expect(Bool(false)) }
        #expect(message.id == id && message.channel == 2 && message.from == alice && message.text.isEmpty)
        // The message that was stored before is found no more.
        #expect(try store.read { try $0.changes(after: 0, kinds: [.message]) }.changes.isEmpty)
    }

    @Test func aNodeThatIsDeletedWithItsWaypoints() throws {
        _ = try changes { writer, source in
            try writer.updateNode(alice, in: source, at: noon) { $0.channel = 3 }
            try writer.updateNode(bob, in: source, at: noon) { _ in }
            try writer.upsertWaypoint(Waypoint(id: 0xFFFF_FFFF), from: alice, in: source, at: noon)
        }
        let found = try changes { writer, source in
            _ = try writer.deleteNode(alice, in: source)
            _ = try writer.deleteNode(bob, in: source)
        }
        #expect(
            found == [
                .waypointDeleted(0xFFFF_FFFF, channel: nil), .nodeDeleted(alice, channel: 3),
                .nodeDeleted(bob, channel: nil),
            ])
    }

    @Test func whoseMarkHasMovedAndWhere() throws {
        _ = try changes { writer, source in
            try writer.updateNode(bob, in: source, at: noon) { _ in }
            try writer.insertMessage(.received("a", channel: 2, id: 1), in: source)
            try writer.insertMessage(.received("b", from: bob, to: alice, id: 2), in: source)
        }
        let found = try changes { writer, source in
            try writer.markRead(.channel(2), by: 5, in: source)
            try writer.markRead(.direct(bob), by: 70_000, in: source)
            try writer.markRead(.allDirect, by: 0, in: source)
        }
        #expect(found == [.read(.channel(2), by: 5), .read(.direct(bob), by: 70_000), .read(.allDirect, by: 0)])
    }

    @Test func eachRowThatWasHeard() throws {
        let found = try changes { writer, source in
            let battery = Telemetry(time: nil, kind: .device, values: [.init("batteryLevel", 50)])
            for _ in 0..<2 { try writer.insertTelemetry(battery, from: alice, packet: nil, in: source, at: noon) }
            try writer.insertPaxcount(
                Paxcount(wifi: 1, ble: 2, uptime: 3), from: alice, packet: nil, in: source, at: noon)
        }
        #expect(found == [.telemetry(alice, row: 1), .telemetry(alice, row: 2), .paxcount(alice, row: 1)])
    }

    /// What became known of a message that says nothing of its delivery.
    @Test func aMessageThatWasChanged() throws {
        _ = try changes { try $0.insertMessage(.received("a", id: 7), in: $1) }
        let found = try changes { writer, source in
            for _ in 0..<2 {
                _ = try writer.updateMessage(from: alice, packetID: 7, in: source, at: noon) { $0.rxTime = 5 }
            }
        }
        guard found.count == 1, case .messageChanged = found[0] else { return #expect(Bool(false), "\(found)") }
    }

    @Test func everyCommitThatChangesAnythingGivesAnotherVersion() throws {
        var seen: Set<UInt64> = [store.version]
        for id in 1...20 as ClosedRange<UInt32> {
            _ = try changes { writer, source in
                switch id % 3 {
                case 0: try writer.insertMessage(.received("a", id: id), in: source)
                case 1: try writer.updateNode(NodeNumber(id), in: source, at: noon) { _ in }
                default:
                    let packet = MeshPacket(from: alice, to: .broadcast, id: id, payload: .encrypted([1]))
                    try writer.logPacket(packet, direction: .rx, in: source, at: noon)
                }
            }
            seen.insert(store.version)
        }
        #expect(seen.count == 21 && seen.allSatisfy { $0 < 1 << 53 })
        let last = store.version
        try store.commit { _ in }
        #expect(store.version == last)
    }
}
