import MeshModel
import Store

// MeshMonitor has a row for each value, we have one for each packet. The rows of a packet have the same time of reception;
// so rows are read in that order, and the values of one time are put together by node and packet.

private enum TelemetryColumn: String, ForeignColumn {
    case sourceId, nodeNum, nodeId, telemetryType, timestamp, value, createdAt, packetTimestamp, packetId, channel
    case precisionBits, rxSnr, hopStart, hopLimit
}

/// The values of one packet.
struct Report {
    var reception: PastReception
    /// Milliseconds since 1970 by the sender.
    var claimedAt: Int64?
    var precisionBits: UInt32?
    var values: [String: Double] = [:]
}

private struct ReportKey: Hashable {
    var source: SourceID
    var node: NodeNumber
    var packetID: PacketID?
}

extension TakeOver {
    /// Packets of one time. A file in which everything has the same time must not fill the memory.
    private static let openReports = 10_000

    func takeTelemetry() throws {
        var open: [ReportKey: Report] = [:]
        var (order, time): ([ReportKey], Int64?) = ([], nil)
        func close() throws {
            for key in order { try store(open[key]!, of: key) }
            open.removeAll(keepingCapacity: true)
            order.removeAll(keepingCapacity: true)
        }
        try readTable("telemetry", as: .telemetry, orderedBy: [.timestamp]) { (row: Values<TelemetryColumn>) in
            guard let at = row[.timestamp].milliseconds ?? row[.createdAt].milliseconds else { return .noTime }
            if at != time || order.count >= Self.openReports { try close() }
            time = at
            guard let name = row[.telemetryType].text else { return .leftOut("does not say what it measures") }
            guard let rows = RowKind.of(name) else { return RowKind.unknown(name) }
            let kind: Kind = rows == .position ? .positions : .telemetry
            if let fate = fate(row) {
                count(fate, as: kind)
                return nil
            }
            let key = ReportKey(
                source: sources.find(row[.sourceId])!, node: (row[.nodeNum].node ?? row[.nodeId].node)!,
                packetID: row[.packetId].packetID)
            if open[key] == nil {
                open[key] = Report(reception: PastReception(at: at))
                order.append(key)
            }
            if !open[key]!.add(row, name) { count(.leftOut("is there twice"), as: kind) }
            return nil
        }
        try close()
        for (key, newest) in uptimes {
            guard let node = try writer.node(key.number, in: key.source), node.uptimeSeconds == nil else { continue }
            try writer.updateNode(key.number, in: key.source, at: node.updatedAt) { $0.uptimeSeconds = newest.seconds }
        }
    }

    /// Why a row cannot be taken; nil: it can.
    private func fate(_ row: Values<TelemetryColumn>) -> Fate? {
        guard let number = row[.nodeNum].node ?? row[.nodeId].node, number.mayBeNode else { return .noNode }
        if sources.find(row[.sourceId]) == nil { return sources.whyNot(row[.sourceId]) }
        return row[.value].measurement == nil ? .leftOut("has no value") : nil
    }

    private func store(_ report: Report, of key: ReportKey) throws {
        let at = report.reception.at
        if let seconds = report.values["uptimeSeconds"].flatMap({ Int64(exactly: $0.rounded()) }) {
            let known = uptimes[NodeKey(source: key.source, number: key.node)]
            if known.map({ $0.at <= at }) ?? (uptimes.count < 100_000) {
                uptimes[NodeKey(source: key.source, number: key.node)] = (at, seconds)
            }
        }
        for telemetry in report.telemetry {
            let isNew = try writer.insert(
                past: telemetry, from: key.node, report.reception, in: key.source, beside: present)
            if isNew { Ages.add(at, to: &ages.telemetry) }
            count(isNew ? .taken : .alreadyThere, rows: telemetry.values.count, as: .telemetry)
        }
        if let (count, rows) = report.paxcount {
            let isNew = try writer.insert(
                past: count, from: key.node, report.reception, in: key.source, beside: present)
            self.count(isNew ? .taken : .alreadyThere, rows: rows, as: .telemetry)
        }
        guard case (let position?, let rows) = report.position else {
            return count(.leftOut("has no coordinates beside it"), rows: report.position.rows, as: .positions)
        }
        let isNew = try writer.insert(past: position, from: key.node, report.reception, in: key.source, beside: present)
        if isNew { Ages.add(at, to: &ages.positions) }
        count(isNew ? .taken : .alreadyThere, rows: rows, as: .positions)
    }
}

extension Report {
    /// - Returns: false when the packet has this value already.
    fileprivate mutating func add(_ row: Values<TelemetryColumn>, _ name: String) -> Bool {
        guard values[name] == nil, let value = row[.value].measurement else { return false }
        values[name] = value
        reception.packetID = row[.packetId].packetID
        claimedAt = claimedAt ?? row[.packetTimestamp].milliseconds
        reception.channel = reception.channel ?? row[.channel].integer(in: 0...0xFFFF_FFFF).map { UInt32($0) }
        reception.rxSNR = reception.rxSNR ?? row[.rxSnr].number(in: -64...64)
        reception.hopStart = reception.hopStart ?? row[.hopStart].integer(in: 0...7).map { UInt32($0) }
        reception.hopLimit = reception.hopLimit ?? row[.hopLimit].integer(in: 0...7).map { UInt32($0) }
        precisionBits = precisionBits ?? row[.precisionBits].integer(in: 0...32).map { UInt32($0) }
        return true
    }
}
