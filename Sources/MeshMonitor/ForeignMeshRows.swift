import MeshModel
import Store

private enum TracerouteColumn: String, ForeignColumn {
    case sourceId, fromNodeNum, fromNodeId, toNodeNum, toNodeId, route, routeBack, snrTowards, snrBack, packetId
    case timestamp, createdAt
}

private enum NeighborColumn: String, ForeignColumn {
    case sourceId, nodeNum, neighborNodeNum, snr, lastRxTime, timestamp
}

private enum WaypointColumn: String, ForeignColumn {
    case sourceId, waypointId, ownerNodeNum, latitude, longitude, expireAt, lockedTo, name, description, iconCodepoint
    case lastUpdatedAt, firstSeenAt
}

extension TakeOver {
    // MARK: Traceroutes

    func takeTraceroutes() throws {
        try readTable("traceroutes", as: .traceroutes, orderedBy: [.timestamp]) { (row: Values<TracerouteColumn>) in
            guard let from = row[.fromNodeNum].node ?? row[.fromNodeId].node, from.mayBeNode,
                let to = row[.toNodeNum].node ?? row[.toNodeId].node, to.mayBeNode
            else { return .noNode }
            guard let source = sources.find(row[.sourceId]) else { return sources.whyNot(row[.sourceId]) }
            guard let time = row[.timestamp].milliseconds ?? row[.createdAt].milliseconds else { return .noTime }
            let lists = [row[.route], row[.snrTowards], row[.routeBack], row[.snrBack]]
            if lists.contains(where: { $0.isUnreadableList }) { return .leftOut("has a route that cannot be read") }
            let isNew = try writer.insert(
                past: row[.route].list.map { _ in route(lists.map { $0.list ?? [] }) }, from: from, to: to,
                packetID: row[.packetId].packetID, in: source, at: time, beside: present)
            if isNew { Ages.add(time, to: &ages.positions) }
            return isNew ? .taken : .alreadyThere
        }
        try writer.sortTraceroutes()
    }

    /// Hops there, their signals, hops back, theirs. Signals are in quarter dB.
    private func route(_ lists: [[Int64]]) -> RouteDiscovery {
        func nodes(_ list: [Int64]) -> [NodeNumber] { list.compactMap { ForeignValue.integer($0).node } }
        func signals(_ list: [Int64]) -> [Int32] { list.map { Int32(clamping: $0) } }
        return RouteDiscovery(
            route: nodes(lists[0]), snrTowards: signals(lists[1]), routeBack: nodes(lists[2]),
            snrBack: signals(lists[3]))
    }

    // MARK: Neighbours

    /// The last report of each node. Versions differ in whether older ones are still there.
    func takeNeighbors() throws {
        var open: (key: NodeKey, at: Int64, rows: [NeighborInfo.Neighbor])?
        func close() throws {
            guard let (key, at, rows) = open else { return }
            open = nil
            try count(store(rows, of: key, at: at), rows: rows.count, as: .neighbors)
        }
        // The newest report comes last; so each is closed by what follows, and a newer one takes its place.
        try readTable("neighbor_info", as: .neighbors, orderedBy: [.sourceId, .nodeNum, .timestamp]) {
            (row: Values<NeighborColumn>) in
            guard let number = row[.nodeNum].node, number.mayBeNode,
                let other = row[.neighborNodeNum].node, other.mayBeNode
            else { return .noNode }
            guard let source = sources.find(row[.sourceId]) else { return sources.whyNot(row[.sourceId]) }
            guard let time = row[.timestamp].milliseconds else { return .noTime }
            let neighbor = NeighborInfo.Neighbor(
                number: other, snr: Float(row[.snr].number(in: -64...64) ?? 0),
                lastRxTime: row[.lastRxTime].seconds.flatMap { UInt32(exactly: $0) } ?? 0)
            let key = NodeKey(source: source, number: number)
            if let current = open, current.key == key, time - current.at < Self.reportTime, current.rows.count < 256 {
                open!.rows.append(neighbor)
                return nil
            }
            if let current = open, current.key == key {
                count(
                    .leftOut("is of a report that a newer one has replaced"), rows: current.rows.count, as: .neighbors)
            } else {
                try close()
            }
            open = (key, time, [neighbor])
            return nil
        }
        try close()
    }

    /// Milliseconds within which the rows of one report are written.
    private static let reportTime: Int64 = 10_000

    private func store(_ rows: [NeighborInfo.Neighbor], of key: NodeKey, at time: Int64) throws -> Fate {
        if try writer.neighborsReported(by: key.number, in: key.source) != nil { return .alreadyThere }
        let info = NeighborInfo(number: key.number, lastSentBy: key.number, broadcastInterval: 0, neighbors: rows)
        try writer.replaceNeighbors(info, in: key.source, at: time)
        for neighbor in rows { try writer.insertMentionedNode(neighbor.number, in: key.source, at: time) }
        return .taken
    }

    // MARK: Waypoints

    func takeWaypoints() throws {
        try readTable("waypoints", as: .waypoints) { (row: Values<WaypointColumn>) in
            guard let source = sources.find(row[.sourceId]) else { return sources.whyNot(row[.sourceId]) }
            guard let id = row[.waypointId].packetID else { return .leftOut("has no id") }
            guard let north = row[.latitude].number(in: -90...90), let east = row[.longitude].number(in: -180...180)
            else { return .leftOut("has no coordinates") }
            if try writer.waypoint(id: id, in: source) != nil { return .alreadyThere }
            let expire = row[.expireAt].seconds ?? 0
            if expire != 0, expire * 1000 <= now { return .leftOut("has expired") }
            let waypoint = Waypoint(
                id: id, latitudeI: Int32((north * 1e7).rounded()), longitudeI: Int32((east * 1e7).rounded()),
                expire: UInt32(clamping: expire), lockedTo: row[.lockedTo].node ?? NodeNumber(0),
                name: row[.name].name ?? "", description: row[.description].name ?? "",
                icon: row[.iconCodepoint].integer(in: 0...0x10FFFF).map { UInt32($0) } ?? 0)
            let time = row[.lastUpdatedAt].milliseconds ?? row[.firstSeenAt].milliseconds ?? now
            try writer.upsertWaypoint(
                waypoint, from: row[.ownerNodeNum].node ?? NodeNumber(0), in: source, at: min(time, now))
            return .taken
        }
    }
}

extension ForeignValue {
    /// Not NULL, and no list of numbers.
    fileprivate var isUnreadableList: Bool { self != .null && self != .text("null") && list == nil }
}
