import MeshModel
import Store

enum NodeColumn: String, ForeignColumn {
    case nodeNum, nodeId, sourceId, longName, shortName, hwModel, role, hopsAway, lastMessageHops, viaMqtt
    case transportMechanism, transportLastRf, transportLastMqtt, transportLastUdp, isStoreForwardServer, macaddr
    case latitude, longitude, altitude, positionTimestamp, positionChannel, positionPrecisionBits
    case positionLocationSource, batteryLevel, voltage, channelUtilization, airUtilTx, lastHeard, snr, rssi
    case lastTracerouteRequest, firmwareVersion, channel, isFavorite, isIgnored, rebootCount, publicKey, lastPKIPacket
    case keyMismatchDetected, duplicateKeyDetected, nodeStatus, nodeStatusUpdatedAt, isUnmessagable, isLicensed
    case createdAt, updatedAt
}

private enum IgnoredColumn: String, ForeignColumn {
    case nodeNum, nodeId, sourceId, longName, shortName, ignoredAt
}

extension TakeOver {
    func takeNodes() throws {
        try readTable("nodes", as: .nodes) { (row: Values<NodeColumn>) in
            guard let number = row[.nodeNum].node ?? row[.nodeId].node else { return .noNode }
            guard !number.isBroadcast else { return .leftOut("is the broadcast address, not a node") }
            guard number.mayBeNode else { return .leftOut("has a reserved number") }
            guard let source = sources.find(row[.sourceId]) else { return sources.whyNot(row[.sourceId]) }
            let theirs = node(number, row)
            if let ours = try writer.node(number, in: source) {
                try writer.updateNode(number, in: source, at: ours.updatedAt) { $0.fill(from: theirs) }
                return .alreadyThere
            }
            return try insert(theirs, in: source)
        }
    }

    private func insert(_ theirs: Node, in source: SourceID) throws -> Fate {
        try writer.updateNode(theirs.number, in: source, at: theirs.updatedAt) { $0 = theirs }
        guard try writer.node(theirs.number, in: source) != nil else {
            return .leftOut("is beyond the number of nodes that a source can have")
        }
        return .taken
    }

    private func node(_ number: NodeNumber, _ row: Values<NodeColumn>) -> Node {
        let created = min(row[.createdAt].milliseconds ?? now, now)
        var node = Node(number: number, createdAt: created)
        node.updatedAt = min(row[.updatedAt].milliseconds ?? created, now)
        node.takeIdentity(row)
        node.takeReception(row, now: now)
        node.takeState(row, now: now)
        return node
    }

    /// What was ignored stays so when the node itself was forgotten and comes back.
    func takeIgnoredNodes() throws {
        try readTable("ignored_nodes", as: .ignoredNodes) { (row: Values<IgnoredColumn>) in
            guard let number = row[.nodeNum].node ?? row[.nodeId].node, number.mayBeNode else { return .noNode }
            guard let source = sources.find(row[.sourceId]) else { return sources.whyNot(row[.sourceId]) }
            if try writer.node(number, in: source) != nil { return .alreadyThere }
            var node = Node(number: number, createdAt: min(row[.ignoredAt].milliseconds ?? now, now))
            node.longName = row[.longName].name
            node.shortName = row[.shortName].name
            node.isIgnored = true
            return try insert(node, in: source)
        }
    }
}

extension Node {
    fileprivate mutating func takeIdentity(_ row: Values<NodeColumn>) {
        // MeshMonitor writes down what it calls a node that has told no name; here that is made up when it is shown.
        longName = row[.longName].name.flatMap { $0 == number.placeholderLongName ? nil : $0 }
        shortName = row[.shortName].name.flatMap { $0 == number.placeholderShortName ? nil : $0 }
        hardwareModel = row[.hwModel].integer(in: 1...0xFFFF).map { UInt32($0) }
        role = row[.role].integer(in: 0...255).map { UInt32($0) }
        macAddress = row[.macaddr].macAddress
        firmwareVersion = row[.firmwareVersion].name
        publicKey = row[.publicKey].key
        // Whose other key it was is not in the database.
        keyMismatch = publicKey != nil && row[.keyMismatchDetected].flag == true
        keyDoubtedAt = keyMismatch ? updatedAt : nil
        isKeyDuplicate = publicKey != nil && row[.duplicateKeyDetected].flag == true
        isLicensed = row[.isLicensed].flag ?? false
        isUnmessagable = row[.isUnmessagable].flag ?? false
        isFavorite = row[.isFavorite].flag ?? false
        isIgnored = row[.isIgnored].flag ?? false
    }

    fileprivate mutating func takeReception(_ row: Values<NodeColumn>, now: Int64) {
        func seconds(_ column: NodeColumn) -> Int64? { row[column].seconds.map { min($0, now / 1000) } }
        hopsAway = row[.hopsAway].integer(in: 0...7).map { UInt32($0) }
        lastMessageHops = row[.lastMessageHops].integer(in: 0...7).map { UInt32($0) }
        viaMQTT = row[.viaMqtt].flag
        transport = row[.transportMechanism].integer(in: 0...255).map { UInt32($0) }
        lastHeard = seconds(.lastHeard)
        lastHeardRF = seconds(.transportLastRf)
        lastHeardMQTT = seconds(.transportLastMqtt)
        lastHeardUDP = seconds(.transportLastUdp)
        snr = row[.snr].number(in: -64...64)
        rssi = row[.rssi].integer(in: -256...64).map { Int($0) }
        channel = row[.channel].integer(in: 0...0xFFFF_FFFF).map { Int($0) }
        isStoreForwardServer = row[.isStoreForwardServer].flag
        lastTracerouteRequest = row[.lastTracerouteRequest].milliseconds
        lastPKIPacket = row[.lastPKIPacket].milliseconds
    }

    fileprivate mutating func takeState(_ row: Values<NodeColumn>, now: Int64) {
        if let north = row[.latitude].number(in: -90...90), let east = row[.longitude].number(in: -180...180),
            north != 0 || east != 0
        {
            (latitude, longitude) = (north, east)
            altitude = row[.altitude].number(in: -20_000...1_000_000).map { Int($0.rounded()) }
            positionTimestamp = row[.positionTimestamp].milliseconds.map { min($0, now) }
            positionChannel = row[.positionChannel].integer(in: 0...0xFFFF_FFFF).map { Int($0) }
            positionPrecisionBits = row[.positionPrecisionBits].integer(in: 0...32).map { UInt32($0) }
            positionLocationSource = row[.positionLocationSource].integer(in: 0...3).map { UInt32($0) }
        }
        batteryLevel = row[.batteryLevel].integer(in: 0...255).map { Int($0) }
        voltage = row[.voltage].number(in: -1_000...1_000)
        channelUtilization = row[.channelUtilization].number(in: 0...1_000)
        airUtilTx = row[.airUtilTx].number(in: 0...1_000)
        rebootCount = row[.rebootCount].integer(in: 0...0xFFFF_FFFF).map { UInt32($0) }
        status = row[.nodeStatus].name
        statusUpdatedAt = row[.nodeStatusUpdatedAt].milliseconds
    }

    /// What is not known here becomes what is known there.
    fileprivate mutating func fill(from theirs: Node) {
        createdAt = min(createdAt, theirs.createdAt)
        longName = longName ?? theirs.longName
        shortName = shortName ?? theirs.shortName
        hardwareModel = hardwareModel ?? theirs.hardwareModel
        role = role ?? theirs.role
        macAddress = macAddress ?? theirs.macAddress
        publicKey = publicKey ?? theirs.publicKey
        lastHeard = lastHeard ?? theirs.lastHeard
        firmwareVersion = firmwareVersion ?? theirs.firmwareVersion
        guard latitude == nil else { return }
        (latitude, longitude, altitude) = (theirs.latitude, theirs.longitude, theirs.altitude)
        (positionTimestamp, positionChannel) = (theirs.positionTimestamp, theirs.positionChannel)
        (positionPrecisionBits, positionLocationSource) = (theirs.positionPrecisionBits, theirs.positionLocationSource)
    }
}
