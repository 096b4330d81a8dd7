import MeshModel
import MeshProtocol
import Store

// What is worked out from what is heard, and shown as telemetry, by MeshMonitor's rules (contract 3.7). A value that the
// radio repeats is no reception, and tells nothing of this.

extension Ingest {
    /// Stores what a packet that was heard tells of the way that it came, unless it can stand in the row of its report.
    ///
    /// - Parameter lastHops: hops of the node's packet before this one.
    /// - Returns: what is to stand there.
    func derive(
        from packet: MeshPacket, _ content: PacketContent?, after lastHops: UInt32?, _ writer: Writer,
        _ source: SourceID
    ) throws -> [Telemetry.Value] {
        guard let hops = packet.hopsAway.map({ Int($0) }),
            try !writer.hasDerived(from: packet, in: source, at: now)
        else { return [] }
        var values: [Telemetry.Value] = []
        // Firmware before 2.3 does not say it.
        if packet.hopStart > 0 {
            values.append(.init(.messageHops, Double(hops)))
            let last = lastHops.map { Int($0) } ?? hops
            if packet.from != own, let grade = try grade(packet.from, hops: hops, after: last, writer, source) {
                values.append(.init(.linkQuality, Double(grade)))
            }
        }
        // -128 stands for "unknown" (contract 3.3).
        if case .nodeInfo = content, hops == 0, !packet.viaMQTT, let strength = packet.rxRSSI, strength != -128 {
            for (metric, value) in [(DerivedMetric.snrLocal, packet.rxSNR.decimalDouble), (.rssi, Double(strength))]
            where try writer.isNews(value, for: metric, of: packet.from, in: source, at: now) {
                values.append(.init(metric, value))
            }
        }
        if case .telemetry(let report) = content, report.hasRoom { return values }
        if !values.isEmpty { try writer.insertDerived(values, of: packet.from, from: packet, in: source, at: now) }
        return []
    }

    /// - Returns: the grade, when it is another one now.
    private func grade(
        _ node: NodeNumber, hops: Int, after last: Int, _ writer: Writer, _ source: SourceID
    ) throws -> Int? {
        guard let known = try writer.linkQuality(of: node, in: source) else {
            let first = LinkGrade.first(hops: hops)
            for quality in [first, LinkGrade.heard(hops: hops, after: hops, from: first)] {
                try writer.setLinkQuality(quality, of: node, in: source, at: now)
            }
            return nil
        }
        let next = LinkGrade.heard(hops: hops, after: last, from: known)
        guard next != known else { return nil }
        writer.noteLinkQuality(next, of: node, in: source)
        return next
    }

    /// The signal under which the radio heard a node last.
    func deriveSignal(of info: NodeInfo, _ writer: Writer, _ source: SourceID) throws {
        // What it did not hear itself has none.
        guard info.number != own, info.snr != 0 else { return }
        let heard = Int64(info.lastHeard)
        let at = heard >= PlausibleTime.earliest ? min(heard * 1000, now) : now
        let snr = info.snr.decimalDouble
        guard try writer.isNews(snr, for: .snrRemote, of: info.number, in: source, at: at) else { return }
        try writer.insertDerived([.init(.snrRemote, snr)], of: info.number, in: source, at: at, now: now)
    }

    /// How many nodes there are: with the radio's own statistics, every quarter of an hour.
    func countNodes(_ writer: Writer, _ source: SourceID) throws {
        let counts = try writer.heardNodes(since: now / 1000 - 86_400, own: own, in: source)
        let all = Telemetry.Value(.systemNodeCount, Double(counts.all))
        let direct = Telemetry.Value(.systemDirectNodeCount, Double(counts.direct))
        try writer.insertDerived([all, direct], of: own, in: source, at: now)
    }

    func store(_ due: OwnReadings.Due, _ writer: Writer, _ source: SourceID) throws {
        if let offset = due.timeOffset {
            try writer.insertDerived([.init(.timeOffset, offset)], of: own, in: source, at: now)
        }
        if due.countsNodes { try countNodes(writer, source) }
        for asked in due.traceroutes where try writer.isUnanswered(asked.id, from: own, to: asked.target, in: source) {
            try writer.lowerLinkQuality(of: asked.target, in: source, at: now, LinkGrade.tracerouteFailed)
        }
    }
}

extension Writer {
    /// A node that was never heard has no grade that could fall.
    func lowerLinkQuality(
        of node: NodeNumber, in source: SourceID, at now: Int64, _ rule: (Int) -> Int
    ) throws {
        guard let known = try linkQuality(of: node, in: source), rule(known) != known else { return }
        try setLinkQuality(rule(known), of: node, in: source, at: now)
    }

    fileprivate func setLinkQuality(
        _ quality: Int, of node: NodeNumber, in source: SourceID, at now: Int64
    ) throws {
        try insertDerived([.init(.linkQuality, Double(quality))], of: node, in: source, at: now)
        noteLinkQuality(quality, of: node, in: source)
    }
}

extension Telemetry {
    /// Its row can hold more: a request for telemetry looks like an empty report and gets none, and that of a person's
    /// health is shown to nobody (contract 3.7).
    fileprivate var hasRoom: Bool { (!values.isEmpty || text != nil) && kind != .health }
}
