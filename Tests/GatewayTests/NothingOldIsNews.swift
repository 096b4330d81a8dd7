import Foundation
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// A reader that acts on what is live hears nothing as live that was known before, or that others only say; and what is new
/// once each.
@Suite struct NothingOldIsNews {
    private func nodes(_ count: UInt32, from first: UInt32 = 0x5000) -> [NodeInfo] {
        (0..<count).map { place in
            var user = User(id: NodeNumber(first + place).id, longName: "Node \(place)", publicKey: nil)
            let digits = (0..<4).map { UInt8(truncatingIfNeeded: (first + place) >> ($0 * 8)) }
            user.publicKey = PublicKey([UInt8](repeating: 7, count: 28) + digits)
            return NodeInfo(
                number: NodeNumber(first + place), user: user,
                position: Position(latitudeI: 1, longitudeI: 2, time: noonSeconds - 60), snr: 5,
                lastHeard: noonSeconds - 60,
                deviceMetrics: Telemetry(kind: .device, values: [.init("batteryLevel", 50)]))
        }
    }

    @Test func whatAHandshakeLists() throws {
        let radio = PeerRadio { $0.nodes = nodes(200) }
        radio.unplug()
        let test = try TestGateway(radio: radio, startsLive: false)
        let toy = try ToyReader(test.gateway)
        radio.replug()
        try test.waitUntilLive()
        let told = try toy.read().changes
        #expect(told.count { $0.kind == .node } >= 200, "nothing was listed")
        #expect(told.allSatisfy { $0.origin == .listed }, "\(told.filter { $0.origin != .listed })")
        // Nor the second time, nor in one transaction with a packet.
        radio.become { $0.nodes = nodes(20, from: 0x9000) }
        let goOn = test.stopWriter()
        try test.readAgain()
        try test.hearUnstored(.packet(.text("hello", from: carol, id: 3)))
        goOn()
        try test.settle()
        let news = try toy.news()
        #expect(news.map(\.kind) == [.node, .nodeHeard, .message], "\(news)")
        #expect(news.first?.what == .node(carol))
    }

    @Test func whatTheRadioOrAServerRepeats() throws {
        let test = try TestGateway()
        let toy = try ToyReader(test.gateway)
        try test.hear(.text("known", from: bob, id: 5))
        #expect(try toy.news().count == 3)
        try test.hear(
            .packet(.replay(.position, ReplayedValuesAreNoReceptions.position.encoded(), id: 1)),
            .packet(.replay(.telemetry, device(("batteryLevel", 80)), id: 2)),
            .packet(
                .heard(.storeForward, storeForwardText("known", isBroadcast: true), from: bob, to: own, id: 5) {
                    packet, _ in packet.rxTime = noonSeconds - 1800
                }))
        let told = try toy.read().changes
        #expect(told.contains { $0.kind == .position } && told.contains { $0.kind == .telemetry })
        #expect(told.allSatisfy { $0.origin == .replayed || $0.origin == .late }, "\(told)")
        #expect(!told.contains { $0.kind == .message })
    }

    @Test func whatIsDecryptedLater() throws {
        let (test, hidden) = (try TestGateway(), HiddenChannel())
        let toy = try ToyReader(test.gateway)
        try test.hear(try hidden.encrypted(.text("secret", id: 1)))
        try test.hear(try hidden.encrypted(.heard(.telemetry, device(("batteryLevel", 80)), id: 2)))
        // The packets themselves were heard.
        #expect(try toy.news().map(\.kind).contains(.nodeHeard))
        try hidden.add(to: test)
        #expect(try test.waitForRedecryption().decrypted == 2)
        let told = try toy.read().changes
        #expect(told.contains { $0.kind == .message } && told.contains { $0.kind == .telemetry })
        #expect(told.allSatisfy { $0.origin == .decryptedLater }, "\(told)")
    }

    @Test func whomOthersMention() throws {
        let test = try TestGateway()
        try test.hear(.text("hello", id: 1))
        let toy = try ToyReader(test.gateway)
        let listener = test.gateway.events.listen(to: [.node])
        let named = (1...10).map { NeighborInfo.Neighbor(number: NodeNumber(0x7000 + $0), snr: 1) }
        test.setTime(noon + 60_000)
        try test.hear(
            .heard(
                .neighborInfo,
                NeighborInfo(number: alice, lastSentBy: alice, broadcastInterval: 900, neighbors: named).encoded(),
                id: 2))
        let told = try toy.read().changes
        #expect(told.count { $0.origin == .mentioned && $0.kind == .node } == 10)
        #expect(told.filter { $0.origin == .live }.map(\.what) == [.node(alice)])
        #expect(listener.nextEvents {}.events.isEmpty, "a node that was never heard is told as new")
        // Then one of them is.
        try test.hear(.text("here I am", from: NodeNumber(0x7001), id: 3))
        #expect(try toy.news().map(\.what).contains(.nodeHeard(NodeNumber(0x7001))))
        #expect(listener.nextEvents {}.events.map(\.kind) == [.node])
    }

    @Test func whatIsDoneHere() throws {
        let test = try TestGateway()
        try test.hear(.text("hello", id: 1))
        let toy = try ToyReader(test.gateway)
        _ = try test.sendAndHand("answer")
        #expect(try test.gateway.set(.favorite, true, of: alice, in: test.source, onRadio: false))
        let told = try toy.read().changes.filter { [.message, .node].contains($0.kind) }
        #expect(Set(told.map(\.kind)) == [.message, .node])
        #expect(told.allSatisfy { $0.origin == .ours }, "\(told)")
    }

    /// More has changed than is logged row by row: the reader learns that it has missed it.
    @Test(arguments: ["take-over", "restoration", "clock", "import"]) func whatComesFromElsewhere(_ way: String) throws
    {
        let folder = FileManager.default.temporaryDirectory.path + "/gateway-" + UUID().uuidString
        let kept = folder + "-kept"
        defer { for path in [folder, kept] { try? FileManager.default.removeItem(atPath: path) } }
        do {
            let test = try TestGateway(folder: folder)
            let toy = try ToyReader(test.gateway)
            try test.hear(.text("known", id: 1))
            #expect(try !toy.read().missed)
            test.stop()
            try FileManager.default.copyItem(atPath: folder, toPath: kept)
        }
        let isMissed: Bool
        switch way {
        case "take-over", "import":
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.copyItem(atPath: kept, toPath: folder)
            try BulkChange.run(path: folder + "/mesh.db", program: "0") { writer in
                for id in 10...30 as ClosedRange<PacketID> {
                    _ = try writer.insertMessage(
                        Message(
                            id: "", from: alice, to: .broadcast, text: "old \(id)", channel: 0, packetID: id,
                            timestamp: noon, createdAt: noon, updatedAt: noon), in: writer.sources()[0].id)
                }
            }
            isMissed = true
        case "restoration":
            // Time goes on without the reader that was there, and then the days since are lost.
            let test = try TestGateway(folder: kept)
            let toy = try ToyReader(test.gateway)
            for id in 40...60 as ClosedRange<PacketID> { try test.hear(.text("lost \(id)", id: id)) }
            #expect(try toy.news().count { $0.kind == .message } == 21)
            test.stop()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try restore(to: folder)
            isMissed = true
        default:
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let store = try Store(path: folder + "/mesh.db")
            store.observe { _ in }
            let source = try store.commit { try $0.insert(Source(uuid: "u", name: "n", isEnabled: true, createdAt: 1)) }
            _ = try store.commit { try $0.openCursor("toy") }
            _ = try store.commit { writer in
                try writer.insertMessage(
                    Message(
                        id: "", from: alice, to: .broadcast, text: "in 1970", channel: 0, packetID: 1, timestamp: 1_000,
                        createdAt: 1_000, updatedAt: 1_000), in: source)
            }
            try store.commit { try $0.clockWasSet(by: noon, at: 3_600_000) }
            store.close()
            isMissed = true
        }
        let test = try TestGateway(folder: folder)
        let toy = try ToyReader(test.gateway)
        let (changes, missed) = try toy.read()
        #expect(missed == isMissed)
        #expect(changes.allSatisfy { $0.origin != .live && $0.kind != .message }, "\(changes)")
        try test.hear(.text("new", id: 99))
        #expect(try toy.news().count { $0.kind == .message } == 1)
    }

    /// A cursor ahead of the changes, as no backup of ours leaves it.
    private func restore(to folder: String) throws {
        let store = try Store(path: folder + "/mesh.db")
        defer { store.close() }
        store.observe { _ in }
        try store.commit { writer in
            let source = try writer.insert(Source(uuid: "u", name: "n", isEnabled: true, createdAt: 1))
            try writer.updateNode(alice, in: source, at: noon) { $0.longName = "Alice" }
            _ = try writer.openCursor("toy")
            try writer.moveCursor("toy", to: 1 << 41)
        }
    }

    @Test func whatIsNewIsToldOnce() throws {
        let test = try TestGateway()
        try test.hear(.text("before", id: 1))
        let toy = try ToyReader(test.gateway)
        let status: [UInt8] = [0x0A, 2] + Array("ok".utf8)
        let packets: [(MeshPacket, StoredChange.Kind)] = [
            (.text("hello", id: 11), .message),
            (.heard(.position, Position(latitudeI: 5, longitudeI: 6).encoded(), id: 12), .position),
            (.heard(.telemetry, device(("batteryLevel", 42)), id: 13), .telemetry),
            (.heard(.nodeStatus, status, id: 14), .status),
            (.heard(.waypoint, Waypoint(id: 9, latitudeI: 1, longitudeI: 2, name: "hut").encoded(), id: 15), .waypoint),
            (.heard(.paxcounter, Paxcount(wifi: 3, ble: 4, uptime: 60).encoded(), id: 17), .paxcount),
            (.heard(.nodeInfo, User(longName: "Alice", publicKey: key(1)).encoded(), id: 18), .node),
            (
                .heard(.traceroute, RouteDiscovery().encoded(), to: own, id: 19) { _, data in data.requestID = 5 },
                .traceroute
            ),
            (.text("hello", from: carol, id: 20), .nodeHeard),
            (.text("from the queue", id: 16) { packet, _ in packet.rxTime = noonSeconds - 7 * 3600 }, .message),
            // A server repeats what was never heard here.
            (
                .heard(.storeForward, storeForwardText("missed", isBroadcast: true), from: bob, to: own, id: 21) {
                    packet, _ in packet.rxTime = noonSeconds - 60
                }, .message
            ),
        ]
        for (place, (packet, kind)) in packets.enumerated() {
            test.setTime(noon + Int64(place) * 1_000)
            try test.hear(packet)
            let news = try toy.news()
            #expect(news.count { $0.kind == kind } == 1, "\(kind): \(news)")
            let isLate = packet.rxTime != noonSeconds
            #expect(news.allSatisfy { $0.origin == (isLate ? .late : .live) }, "\(kind): \(news)")
            // The radio says it once more. The rows of a waypoint and of a node that is heard are written again with each copy.
            if kind == .waypoint || kind == .node { continue }
            try test.hear(packet)
            #expect(try !toy.news().contains { $0.kind == kind }, "\(kind)")
        }
    }
}
