import MeshModel
import Testing

@testable import Store

@Test func tenThousandNodesAreServedInSlices() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let other = try store.commit { writer in
        for number in 1...10_000 as ClosedRange<UInt32> {
            try writer.updateNode(NodeNumber(number &* 2_654_435_761), in: source, at: noon + Int64(number)) { node in
                node.lastHeard = number % 10 == 0 ? nil : Int64(number % 1000)
            }
        }
        var second = Source.example
        second.uuid = "other"
        let other = try writer.insert(second)
        try writer.updateNode(alice, in: other, at: noon) { _ in }
        return other
    }
    let numbers = try store.read { try $0.nodeNumbers(in: source) }
    #expect(numbers.count == 10_000)
    var count = 0
    var last = Int64.max
    for start in stride(from: 0, to: numbers.count, by: 64) {
        let slice = numbers[start..<min(start + 64, numbers.count)]
        let nodes = try store.read { try $0.nodes(slice, in: source) }
        #expect(nodes.map(\.number) == Array(slice))
        for node in nodes {
            #expect(node.updatedAt < last)
            last = node.updatedAt
        }
        count += nodes.count
    }
    #expect(count == 10_000)

    let active = try store.read { try $0.nodeNumbers(in: source, order: .lastHeardDescending, heardSince: 990) }
    let heard = try store.read { try $0.nodes(active, in: source) }.map(\.lastHeard)
    #expect(heard == heard.sorted { $0! > $1! })
    #expect(heard.count == 90)
    #expect(heard.allSatisfy { $0! > 990 })
    #expect(try store.read { try $0.nodeNumbers(in: other) } == [alice])
    #expect(try store.read { try $0.counts(in: nil).nodes } == 10_001)
    #expect(try store.read { try $0.counts(in: other).nodes } == 1)
}

@Test func everyFieldOfANodeSurvives() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    var full = Node(number: NodeNumber(0xFFFF_FFFE), createdAt: noon)
    full.longName = "Ridge Repeater"
    full.shortName = "🙂"
    full.hardwareModel = 43
    full.role = 2
    full.macAddress = [1, 2, 3, 4, 5, 6]
    full.publicKey = PublicKey(1...32 as ClosedRange<UInt8>)
    full.keyMismatch = true
    full.isLicensed = true
    full.isUnmessagable = true
    full.hopsAway = 1
    full.lastMessageHops = 2
    full.viaMQTT = false
    full.transport = 6
    full.lastHeardRF = 3
    full.lastHeardMQTT = 4
    full.lastHeardUDP = 5
    full.lastHeard = 6
    full.snr = -7.5
    full.rssi = -120
    full.channel = 7
    full.isStoreForwardServer = true
    full.favoriteMissingSince = 1_790_000_000_000
    full.latitude = 46.2044
    full.longitude = -6.1432
    full.altitude = -3
    full.positionTimestamp = 8
    full.positionChannel = 2
    full.positionPrecisionBits = 13
    full.positionLocationSource = 1
    full.batteryLevel = 101
    full.voltage = 4.05
    full.channelUtilization = 6.3
    full.airUtilTx = 1.2
    full.uptimeSeconds = 345_600
    full.firmwareVersion = "2.7.26"
    full.rebootCount = 9
    full.isFavorite = true
    full.isIgnored = true
    full.isMuted = true
    full.isKeyManuallyVerified = true
    full.hasXEdDSASigned = true
    full.status = "up"
    full.statusUpdatedAt = 10
    full.lastPKIPacket = 11
    full.isFavoriteOnRadio = true
    full.isIgnoredOnRadio = true
    full.lastTracerouteRequest = noon - 7
    full.announcedKey = PublicKey(2...33 as ClosedRange<UInt8>)
    full.keyDoubtedAt = noon - 8
    full.successor = alice
    full.predecessor = NodeNumber(0xFFFF_FFFD)
    full.sameKeySince = noon - 9
    full.isKeyDuplicate = true
    full.nickname = "Annie"
    full.notes = "The key is under the stone."
    full.linkQuality = 7
    // A field that is added to Node must be added to the row, and here.
    let unset = Mirror(reflecting: full).children.filter { "\($0.value)" == "nil" || "\($0.value)" == "false" }
    #expect(unset.map(\.label) == [])

    try store.commit { [full] writer in
        try writer.updateNode(full.number, in: source, at: noon + 5) { $0 = full }
        try writer.updateNode(alice, in: source, at: noon) { _ in }
        try writer.updateNode(.broadcast, in: source, at: noon) { $0.longName = "everybody" }
    }
    full.updatedAt = noon + 5
    #expect(try store.read { try $0.node(full.number, in: source) } == full)
    #expect(try store.read { try $0.node(alice, in: source) } == Node(number: alice, createdAt: noon))
    #expect(try store.read { try $0.nodeNumbers(in: source) } == [full.number, alice])
    // From the file again, not from the writer's memory.
    store.close()
    let again = try Store(path: folder.database)
    let number = full.number
    let stored = try again.commit { try $0.node(number, in: source) }
    #expect(stored == full)
}

@Test func aNodeIsWrittenOnceACommitHoweverManyPacketsChangedIt() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let rows = try store.commit { writer in
        try writer.updateNode(alice, in: source, at: noon) { _ in }
        let before = writer.connection.totalChanges
        for round in 1...50 { try writer.updateNode(alice, in: source, at: noon) { $0.rssi = -round } }
        return writer.connection.totalChanges - before
    }
    #expect(rows == 0)
    #expect(try store.read { try $0.node(alice, in: source)?.rssi } == -50)
}
