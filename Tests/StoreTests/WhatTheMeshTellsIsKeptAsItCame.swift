import MeshModel
import Testing

@testable import Store

private func packet(_ id: PacketID) -> MeshPacket {
    MeshPacket(
        from: alice, to: .broadcast, channel: 3, id: id, payload: .none, rxSNR: 5.25, rxRSSI: -97, hopLimit: 2,
        hopStart: 3)
}

@Test func aTelemetryPacketIsOneRow() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let telemetry = Telemetry(
        time: .max, kind: .environment,
        values: [
            .init("temperature", -12.345678), .init("pressure", 1013), .init("ground_speed", 1e-7),
            .init("heapTotalBytes", 4_294_967_295), .init("iaq", 0), .init("lux", 1.5e300),
        ], text: "a \"text\"")
    try store.commit { writer in
        try writer.insertTelemetry(telemetry, from: alice, packet: packet(5), in: source, at: noon)
        // Again, as after a restart of the radio.
        try writer.insertTelemetry(telemetry, from: alice, packet: packet(5), in: source, at: noon + hour)
        // The same id with another kind, another node, and without an id: rows of their own.
        let power = Telemetry(kind: .power, values: [])
        try writer.insertTelemetry(power, from: alice, packet: packet(5), in: source, at: noon + 1)
        try writer.insertTelemetry(telemetry, from: bob, packet: packet(5), in: source, at: noon + 2)
        try writer.insertTelemetry(telemetry, from: bob, packet: packet(0), in: source, at: noon + 3)
        try writer.insertTelemetry(telemetry, from: bob, packet: nil, in: source, at: noon + 4)
    }
    let rows = try store.read { try $0.telemetry(in: source) }
    #expect(rows.map(\.at) == [noon + 4, noon + 3, noon + 2, noon + 1, noon])
    #expect(rows.last?.value == telemetry)
    #expect(rows.last?.node == alice)
    #expect(rows.last?.packetID == 5)
    #expect(rows.last?.channel == 3)
    #expect(rows.last?.rxSNR == 5.25)
    #expect(rows.last?.hopStart == 3)
    #expect(rows.last?.hopLimit == 2)
    #expect(rows.first?.packetID == nil)
    #expect(rows.first?.channel == nil)
    try store.read { reader throws in
        #expect(try reader.telemetry(of: alice, in: source).map(\.value.kind) == [.power, .environment])
        #expect(try reader.telemetry(kind: .power, in: source).count == 1)
        #expect(try reader.telemetry(of: bob, in: source, since: noon + 3, before: noon + 4).count == 1)
        #expect(try reader.telemetry(in: source, limit: 1, offset: 1).map(\.at) == [noon + 3])
        #expect(try reader.telemetry(in: SourceID(rawValue: 99)).isEmpty)
    }
}

@Test func everyFieldOfAPositionSurvives() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let full = Position(
        latitudeI: -900_000_000, longitudeI: 1_800_000_000, altitude: -430, time: 1, locationSource: 3,
        altitudeSource: 4, timestamp: 0, timestampMillisAdjust: -999, altitudeHAE: 0,
        altitudeGeoidalSeparation: -50, pdop: 120, hdop: 90, vdop: 80, gpsAccuracy: .max, groundSpeed: 0,
        groundTrack: 36_001, fixQuality: 1, fixType: 3, satsInView: 12, sensorID: 7, nextUpdate: 900,
        sequenceNumber: 42, precisionBits: 32)
    try store.commit { writer in
        try writer.insertPosition(full, from: alice, packet: packet(1), in: source, at: noon)
        try writer.insertPosition(full, from: alice, packet: packet(1), in: source, at: noon + 1)
        try writer.insertPosition(Position(), from: alice, packet: packet(2), in: source, at: noon + 2)
    }
    #expect(try store.read { try $0.positions(of: alice, in: source) }.map(\.value) == [Position(), full])
}

@Test func peopleCountedAndStatusTextsAreKept() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let count = Paxcount(wifi: 12, ble: .max, uptime: 99)
    try store.commit { writer in
        for _ in 1...2 {
            try writer.insertPaxcount(count, from: alice, packet: packet(1), in: source, at: noon)
            try writer.insertNodeStatus("on the ridge", from: alice, packet: packet(2), in: source, at: noon)
        }
    }
    #expect(try store.read { try $0.paxcounts(in: source) }.map(\.value) == [count])
    #expect(try store.read { try $0.nodeStatuses(of: alice, in: source) }.map(\.value) == ["on the ridge"])
}

/// Firmware 2.8 repeats its last positions and telemetry after each handshake.
@Test func aRepeatedPacketIsRecognised() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let known = try store.commit { writer in
        try writer.insertPosition(Position(), from: alice, packet: packet(1), in: source, at: noon)
        let telemetry = Telemetry(kind: .device, values: [])
        try writer.insertTelemetry(telemetry, from: alice, packet: packet(2), in: source, at: noon)
        try writer.insertNodeStatus("", from: alice, packet: packet(3), in: source, at: noon)
        return try (1...4).map { try writer.hasPacket(id: $0, from: alice, in: source) }
            + [writer.hasPacket(id: 1, from: bob, in: source)]
    }
    #expect(known == [true, true, true, false, false])
}

@Test func aReportOfNeighboursReplacesTheLast() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    var info = NeighborInfo(
        number: alice, lastSentBy: bob, broadcastInterval: 14_400,
        neighbors: [
            .init(number: bob, snr: -3.5, lastRxTime: 77, broadcastInterval: 5), .init(number: NodeNumber(1), snr: 9),
        ])
    try store.commit { [info] in try $0.replaceNeighbors(info, in: source, at: noon) }
    #expect(try store.read { try $0.neighbors(in: source) }.map(\.value) == [info])
    info.neighbors.removeFirst()
    try store.commit { [info] in try $0.replaceNeighbors(info, in: source, at: noon + 1) }
    let reports = try store.read { try $0.neighbors(in: source) }
    #expect(reports.map(\.value) == [info])
    #expect(reports.map(\.at) == [noon + 1])
}

@Test func aWaypointIsKeptByItsOwnID() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    var waypoint = Waypoint(
        id: .max, latitudeI: 1, longitudeI: -2, expire: 3, lockedTo: bob, name: "Hut", description: "warm",
        icon: 0x1F6D6,
        geofenceRadius: 50, boundingBox: .init(west: -1, south: -2, east: 3, north: 4), notifyOnEnter: true,
        notifyOnExit: true, notifyFavoritesOnly: true)
    try store.commit { [waypoint] in try $0.upsertWaypoint(waypoint, from: alice, in: source, at: noon) }
    #expect(try store.read { try $0.waypoints(in: source) }.map(\.value) == [waypoint])
    waypoint = Waypoint(id: .max, name: "Gone")
    try store.commit { [waypoint] in try $0.upsertWaypoint(waypoint, from: bob, in: source, at: noon + 1) }
    let rows = try store.read { try $0.waypoints(in: source) }
    #expect(rows.map(\.value) == [waypoint])
    #expect(rows.map(\.node) == [bob])
    #expect(try store.commit { try $0.waypoint(id: .max, in: source) } == waypoint)
    try store.commit { try $0.deleteWaypoint(id: .max, in: source) }
    #expect(try store.read { try $0.waypoints(in: source) }.isEmpty)
}

@Test func notificationsOfTheRadioAreKept() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let first = ClientNotification(replyID: 5, time: 1, level: 30, message: "Duty cycle limit")
    let second = ClientNotification(time: 0, level: 0, message: "")
    try store.commit { writer in
        try writer.insertNotification(first, in: source, at: noon)
        try writer.insertNotification(second, in: source, at: noon + 1)
    }
    #expect(try store.read { try $0.notifications(in: source) }.map(\.notification) == [second, first])
}

/// Short decimals, long ones and exponents: the shortest text of a number brings back just that number.
@Test func theNumbersOfARowComeBackExactly() {
    var numbers: [Double] = [0, 0.1, -3.7, 1e-7, 1.5e300, 4_294_967_295, 999_999_999_999_999, 0.30000000000000004]
    for _ in 0..<2_000 {
        let divisor = (0..<Int.random(in: 0...12)).reduce(1.0) { ten, _ in ten * 10 }
        numbers.append(Double(Int64.random(in: -9_999_999...9_999_999)) / divisor)
        numbers.append(.random(in: -1e6...1e6))
        numbers.append(Double(Float.random(in: -100...100)))
    }
    let fields = numbers.enumerated().map { (name: "n\($0)", value: $1) }
    let read = NumberObject.fields(NumberObject.text(fields))
    #expect(read.map(\.name) == fields.map(\.name))
    #expect(read.map(\.value) == numbers)
    #expect(NumberObject.fields("{}").isEmpty)
    for number in numbers where number != number.rounded() {
        #expect(NumberObject.text([("n", number)]) == "{\"n\":\(number)}")
    }
}
