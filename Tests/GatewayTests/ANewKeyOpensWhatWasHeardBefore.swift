import Dispatch
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct ANewKeyOpensWhatWasHeardBefore {
    private let hidden = HiddenChannel()
    private let later = noon + 600_000

    @Test func textsTakeTheirPlaceInTheHistory() throws {
        let test = try TestGateway()
        try test.hear(try hidden.encrypted(.text("first", id: 1)))
        test.setTime(noon + 1_000)
        try test.hear(.text("second", from: bob, id: 2))
        test.setTime(noon + 2_000)
        try test.hear(try hidden.encrypted(.text("third", id: 3)))
        test.setTime(later)
        let entry = try hidden.add(to: test)
        let progress = try test.waitForRedecryption()
        #expect(progress.status == .completed && progress.entry == entry.id && progress.name == "Hikers")
        #expect(progress.total == 2 && progress.processed == 2 && progress.decrypted == 2)
        #expect(progress.startedAt == later && progress.completedAt == later && progress.error == nil)

        let messages = try test.messages()
        #expect(messages.map(\.text) == ["first", "second", "third"])
        #expect(messages.map(\.timestamp) == [noon, noon + 1_000, noon + 2_000])
        #expect(messages.map(\.decryptedWith) == [entry.id, nil, entry.id])
        // Who asks for what is new since then gets them, too.
        let source = try test.source
        let query = MessageQuery(source: source, since: later - 1, order: .oldestFirst)
        #expect(try test.store.read { try $0.messages(query) }.map(\.text) == ["first", "third"])
        let logged = try test.store.read { try $0.packets(PacketQuery(in: source)) }
        #expect(logged.map { $0.packet.decoded?.port } == [.textMessage, .textMessage, .textMessage])
        #expect(logged.map(\.decryptedWith) == [entry.id, nil, entry.id])
        #expect(logged.map(\.at) == [noon + 2_000, noon + 1_000, noon])
        #expect(try test.store.read { try $0.channelEntry(entry.id) }?.decryptedPackets == 2)
    }

    /// What became known meanwhile is newer.
    @Test func oldFactsDoNotReplaceNewOnes() throws {
        let test = try TestGateway()
        let (old, new) = (Position(latitudeI: 1, longitudeI: 1), Position(latitudeI: 2, longitudeI: 2))
        let status: ([UInt8]) -> [UInt8] = { [0x0A, UInt8($0.count)] + $0 }
        let neighbors: (NodeNumber) -> [UInt8] = { other in
            NeighborInfo(
                number: alice, lastSentBy: alice, broadcastInterval: 900, neighbors: [.init(number: other, snr: 1)]
            ).encoded()
        }
        let packets: [(PortNumber, [UInt8])] = [
            (.nodeInfo, User(id: alice.id, longName: "Old name").encoded()), (.position, old.encoded()),
            (.telemetry, device(("batteryLevel", 11))), (.nodeStatus, status(Array("old".utf8))),
            (.neighborInfo, neighbors(bob)),
        ]
        for (index, packet) in packets.enumerated() {
            try test.hear(try hidden.encrypted(.heard(packet.0, packet.1, id: PacketID(index + 1))))
        }
        test.setTime(noon + 60_000)
        try test.hear([
            .packet(.heard(.nodeInfo, User(id: alice.id, longName: "New name").encoded(), id: 11)),
            .packet(.heard(.position, new.encoded(), id: 12)),
            .packet(.heard(.telemetry, device(("batteryLevel", 99)), id: 13)),
            .packet(.heard(.nodeStatus, status(Array("new".utf8)), id: 14)),
            .packet(.heard(.neighborInfo, neighbors(carol), id: 15)),
        ])
        test.setTime(later)
        try hidden.add(to: test)
        #expect(try test.waitForRedecryption().decrypted == packets.count)

        let node = try #require(try test.node(alice))
        #expect(node.longName == "New name" && node.batteryLevel == 99 && node.status == "new")
        #expect(node.latitude == new.latitude && node.channel == 0 && node.positionChannel == 0)
        #expect(node.lastHeard == (noon + 60_000) / 1000)
        let source = try test.source
        #expect(
            try test.store.read { try $0.neighbors(in: source) }.flatMap(\.value.neighbors).map(\.number) == [carol])
        // The series have both.
        #expect(try test.store.read { try $0.telemetry(of: alice, in: source) }.map(\.at) == [noon + 60_000, noon])
        #expect(try test.store.read { try $0.positions(of: alice, in: source) }.map(\.at) == [noon + 60_000, noon])
    }

    @Test func whatWasUnknownIsLearnt() throws {
        let test = try TestGateway()
        let position = Position(latitudeI: 471_000_000, longitudeI: 113_000_000)
        try test.hear([
            .packet(try hidden.encrypted(.heard(.nodeInfo, User(id: alice.id, longName: "Alice").encoded(), id: 1))),
            .packet(try hidden.encrypted(.heard(.position, position.encoded(), id: 2))),
        ])
        test.setTime(later)
        let entry = try hidden.add(to: test)
        _ = try test.waitForRedecryption()
        let node = try #require(try test.node(alice))
        #expect(node.longName == "Alice" && node.latitude == 47.1 && node.positionTimestamp == noon)
        #expect(node.channel == 100 + Int(entry.id) && node.positionChannel == 100 + Int(entry.id))
        #expect(node.lastHeard == noon / 1000, "it was not heard again")
    }

    @Test func moreThanASliceIsDoneInOrder() throws {
        let test = try TestGateway()
        let count = Redecryption.sliceSize * 2 + 10
        var messages: [FromRadio] = []
        for id in 1...PacketID(count) {
            // Every third is somebody else's.
            let channel = id % 3 == 0 ? HiddenChannel(name: "Others", psk: Array(0x70..<0x80)) : hidden
            messages.append(.packet(try channel.encrypted(.text("text \(id)", id: id))))
        }
        try test.hear(messages)
        test.setTime(later)
        try hidden.add(to: test)
        let progress = try test.waitForRedecryption()
        let expected = (1...count).filter { $0 % 3 != 0 }.map { "text \($0)" }
        #expect(progress.total == count && progress.processed == count && progress.decrypted == expected.count)
        #expect(try test.messages().map(\.text) == Array(expected.prefix(100)))
        let source = try test.source
        let all = MessageQuery(source: source, order: .oldestFirst, limit: 10_000)
        #expect(try test.store.read { try $0.messages(all) }.map(\.text) == expected)
    }

    @Test func oneEntryAtATime() throws {
        let test = try TestGateway()
        let others = HiddenChannel(name: "Others", psk: Array(0x70..<0x80))
        try test.hear(try hidden.encrypted(.text("ours", id: 1)))
        try test.hear(try others.encrypted(.text("theirs", id: 2)))
        let redecryption = test.gateway.channelDatabase.redecryption
        let disabled = try others.add(to: test, isEnabled: false)
        #expect(redecryption.progress == nil, "a disabled entry opens nothing")
        // The writer is held up, so that the first cannot end.
        let gate = Gate()
        test.store.enqueue(.grouped, { _ in gate.wait() })
        #expect(redecryption.start(disabled))
        #expect(redecryption.progress?.status == .pending)
        #expect(!redecryption.start(disabled))
        redecryption.add(disabled)
        gate.open()
        #expect(try test.waitForRedecryption().decrypted == 0)
        try hidden.add(to: test)
        _ = try test.waitForRedecryption()
        _ = try test.gateway.channelDatabase.update(disabled.id) { $0.isEnabled = true }
        #expect(redecryption.start(disabled))
        _ = try test.waitForRedecryption()
        #expect(try test.messages().map(\.text) == ["ours", "theirs"])
    }

    @Test func aNewKeyOfAnEntryIsTried() throws {
        let test = try TestGateway()
        let entry = try HiddenChannel(psk: Array(0x70..<0x80)).add(to: test)
        try test.hear(try hidden.encrypted(.text("hello", id: 1)))
        _ = try test.waitForRedecryption()
        #expect(try test.messages().isEmpty)
        let psk = hidden.psk
        _ = try test.gateway.channelDatabase.update(entry.id) { $0.psk = psk }
        _ = try test.waitForRedecryption()
        #expect(try test.messages().map(\.text) == ["hello"])
    }

    @Test func itEndsWithTheGateway() throws {
        let test = try TestGateway()
        let entry = try hidden.add(to: test)
        _ = try test.waitForRedecryption()
        test.gateway.stop()
        #expect(!test.gateway.channelDatabase.redecryption.start(entry))
    }

    /// The entry is deleted between two slices.
    @Test func aDeletedEntryOpensNothingMore() throws {
        let test = try TestGateway()
        try test.hear(try hidden.encrypted(.text("hello", id: 1)))
        let entry = try hidden.add(to: test, isEnabled: false)
        _ = try test.gateway.channelDatabase.remove(entry.id)
        #expect(test.gateway.channelDatabase.redecryption.start(entry))
        #expect(try test.waitForRedecryption().status == .completed)
        #expect(try test.messages().isEmpty)
    }
}

/// Holds a thread up.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() { semaphore.wait() }
    func open() { semaphore.signal() }
}
