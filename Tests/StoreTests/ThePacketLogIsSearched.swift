import MeshModel
import Testing

@testable import Store

/// What is in the log, newest last; the packet id is the place.
///
/// 1 a text to everybody on channel 0, 2 a traceroute to alice under PKC, 3 a text to alice on channel 2, 4 a position to
/// alice on channel 2, 5 undecodable with the hash 2, 6 an own text to everybody on channel 7. Row 8 is a text to everybody
/// that the channel database decrypted; row 7 is another source's.
private func filled(_ folder: Folder) throws -> (Store, SourceID) {
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        func log(
            _ id: PacketID, _ port: PortNumber?, from: NodeNumber = bob, to: NodeNumber, channel: UInt32,
            pki: Bool = false, entry: Int64? = nil, _ direction: PacketDirection = .rx
        ) throws {
            var packet = MeshPacket(from: from, to: to, channel: channel, id: id, payload: .encrypted([1]))
            if let port { packet.payload = .decoded(MeshData(port: port, payload: [0x41])) }
            packet.pkiEncrypted = pki
            try writer.logPacket(
                packet, direction: direction, decryptedWith: entry, in: source, at: noon + Int64(id))
        }
        try log(1, .textMessage, to: .broadcast, channel: 0)
        try log(2, .traceroute, to: alice, channel: 0, pki: true)
        try log(3, .textMessage, to: alice, channel: 2)
        try log(4, .position, to: alice, channel: 2)
        try log(5, nil, to: .broadcast, channel: 2)
        try log(6, .textMessage, from: alice, to: .broadcast, channel: 7, .tx)
        var other = Source.example
        other.uuid = "other"
        let stranger = try writer.insert(other)
        let packet = MeshPacket(from: bob, to: .broadcast, id: 7, payload: .none)
        try writer.logPacket(packet, direction: .rx, in: stranger, at: noon + 7)
        try log(8, .textMessage, to: .broadcast, channel: 5, entry: 3)
    }
    return (store, source)
}

@Test func everyFilterOfThePacketLogHolds() throws {
    let folder = Folder()
    let (store, source) = try filled(folder)
    func ids(_ change: (inout PacketQuery) -> Void) throws -> [PacketID] {
        var query = PacketQuery(in: source)
        change(&query)
        let found = try store.read { try $0.packets(query) }.map(\.packet.id)
        query.limit = 1
        query.offset = 1
        #expect(try store.read { try $0.packets(query) }.map(\.packet.id) == Array(found.dropFirst().prefix(1)))
        #expect(try store.read { try $0.packetCount(query) } == found.count, "all of them count, not the page")
        return found
    }
    #expect(try ids { _ in } == [8, 6, 5, 4, 3, 2, 1])
    #expect(try ids { $0.from = alice } == [6])
    #expect(try ids { $0.to = alice } == [4, 3, 2])
    #expect(try ids { $0.port = .textMessage } == [8, 6, 3, 1])
    #expect(try ids { $0.port = .unknown } == [5])
    #expect(try ids { $0.channel = 2 } == [5, 4, 3])
    #expect(try ids { $0.isDecoded = false } == [5])
    #expect(try ids { $0.isDecoded = true } == [8, 6, 4, 3, 2, 1])
    #expect(try ids { $0.since = noon + 5 } == [8, 6, 5])
    #expect(
        try ids {
            ($0.to, $0.channel, $0.port, $0.isDecoded, $0.since) = (alice, 2, .position, true, noon)
        } == [4])
}

@Test func aPacketIsShownToThoseWhoMayReadIt() throws {
    let folder = Folder()
    let (store, source) = try filled(folder)
    func ids(_ channels: Set<Int>, directMessages: Bool, channelDatabase: Bool = false) throws -> [PacketID] {
        let readable = PacketQuery.Readable(
            channels: channels, directMessages: directMessages, channelDatabase: channelDatabase)
        let query = PacketQuery(in: source, readable: readable)
        let found = try store.read { try $0.packets(query) }.map(\.packet.id)
        #expect(try store.read { try $0.packetCount(query) } == found.count)
        for row in 1...8 as ClosedRange<Int64> {
            let one = try store.read { try $0.packet(id: row, query) }
            #expect((one != nil) == found.contains(PacketID(row)), "row \(row)")
        }
        return found
    }
    #expect(try ids([], directMessages: false) == [5])
    #expect(try ids([0], directMessages: false) == [5, 1])
    #expect(try ids([2], directMessages: false) == [5, 4])
    #expect(try ids([], directMessages: true) == [5, 3, 2])
    #expect(try ids([0, 2, 5, 7], directMessages: true) == [6, 5, 4, 3, 2, 1])
    #expect(try ids([], directMessages: false, channelDatabase: true) == [8, 5])
}

/// Contract 3.10: what MeshMonitor does not log.
@Test func whatIsNoTrafficCanBeLeftOut() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let (own, carol) = (alice, NodeNumber(0xCA40_1003))
    try store.commit { writer in
        func log(
            _ id: PacketID, _ port: PortNumber, from: NodeNumber, to: NodeNumber, _ direction: PacketDirection = .rx,
            _ change: (inout MeshPacket) -> Void = { _ in }
        ) throws {
            var packet = MeshPacket(
                from: from, to: to, id: id, payload: .decoded(MeshData(port: port, payload: [])), rxRSSI: -80,
                hopLimit: 3, hopStart: 3, transport: .lora)
            change(&packet)
            try writer.logPacket(packet, direction: direction, in: source, at: noon + Int64(id))
        }
        try log(1, .routing, from: bob, to: own)
        try log(2, .admin, from: own, to: bob, .tx)
        try log(3, .routing, from: own, to: own) { ($0.rxRSSI, $0.transport) = (nil, .internal) }
        try log(4, .telemetry, from: own, to: .broadcast) {
            ($0.rxRSSI, $0.transport, $0.hopStart, $0.hopLimit) = (nil, .internal, 0, 0)
        }
        // Traffic: others among themselves, what the radio sends, what we send, and who claims to be us.
        try log(5, .routing, from: bob, to: carol)
        try log(6, .position, from: own, to: .broadcast) { ($0.rxRSSI, $0.transport) = (nil, .internal) }
        try log(7, .textMessage, from: own, to: bob, .tx) { ($0.transport, $0.hopStart) = (.internal, 0) }
        try log(8, .telemetry, from: own, to: .broadcast) { $0.hopStart = 0 }
        try log(9, .textMessage, from: bob, to: own) { ($0.transport, $0.hopStart) = (.internal, 0) }
    }
    func ids(_ change: (inout PacketQuery) -> Void = { _ in }) throws -> [PacketID] {
        var query = PacketQuery(in: source, trafficOf: own)
        change(&query)
        let found = try store.read { try $0.packets(query) }.map(\.packet.id)
        #expect(try store.read { try $0.packetCount(query) } == found.count)
        return found
    }
    #expect(try ids() == [9, 8, 7, 6, 5])
    #expect(try ids { $0.port = .routing } == [5])
    #expect(try ids { $0.trafficOf = nil } == [9, 8, 7, 6, 5, 4, 3, 2, 1])
    #expect(try ids { $0.trafficOf = carol } == [9, 8, 7, 6, 4, 3, 2, 1])
    try store.read { reader in
        #expect(try reader.packet(id: 4, PacketQuery(in: source, trafficOf: own)) == nil)
        #expect(try reader.packet(id: 5, PacketQuery(in: source, trafficOf: own)) != nil)
        let counts = try reader.packetCounts(in: source, since: noon, trafficOf: own)
        #expect(counts.map(\.port) == [.textMessage, .position, .routing, .telemetry])
        #expect(counts.map(\.count) == [2, 1, 1, 1])
        #expect(try reader.packetCounts(in: source, since: noon).reduce(0) { $0 + $1.count } == 9)
        // One of bob's two direct packets was an acknowledgement for us.
        #expect(try reader.directNeighbors(in: source, since: noon, own: own).map(\.packets) == [1])
        #expect(try reader.directNeighbors(in: source, since: noon, own: nil).map(\.packets) == [2])
    }
}

@Test func nodesHeardWithoutARelayAreGrouped() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let carol = NodeNumber(0xCA40_1003)
    try store.commit { writer in
        func log(
            _ from: NodeNumber, at time: Int64, _ direction: PacketDirection = .rx,
            _ change: (inout MeshPacket) -> Void = { _ in }
        ) throws {
            var packet = MeshPacket(from: from, to: .broadcast, id: 1, payload: .encrypted([1]))
            (packet.rxRSSI, packet.hopStart, packet.hopLimit) = (-90, 3, 3)
            change(&packet)
            try writer.logPacket(packet, direction: direction, in: source, at: time)
        }
        try log(bob, at: noon)
        try log(bob, at: noon + 2) { $0.rxRSSI = -93 }
        try log(bob, at: noon + 1)
        // Not one of these was heard directly, lately, over the air, from somebody else.
        try log(bob, at: noon - 1)
        try log(bob, at: noon) { $0.hopLimit = 2 }
        try log(bob, at: noon) { $0.rxRSSI = nil }
        try log(bob, at: noon) { $0.viaMQTT = true }
        try log(bob, at: noon) { ($0.hopStart, $0.hopLimit) = (0, 0) }
        try log(bob, at: noon, .tx)
        try log(alice, at: noon)
        try log(.broadcast, at: noon)
        // With a bitfield a hop start of 0 means what it says.
        try log(carol, at: noon) {
            ($0.hopStart, $0.hopLimit) = (0, 0)
            $0.payload = .decoded(MeshData(port: .privateApp, payload: [], bitfield: 0))
        }
    }
    let found = try store.read { try $0.directNeighbors(in: source, since: noon, own: alice) }
    #expect(
        found == [
            DirectNeighbor(number: bob, averageRSSI: -91, packets: 3, lastHeard: noon + 2),
            DirectNeighbor(number: carol, averageRSSI: -90, packets: 1, lastHeard: noon),
        ])
}
