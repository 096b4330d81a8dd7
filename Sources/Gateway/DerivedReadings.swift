import MeshModel
import MeshProtocol
import Store

// What is worked out from what is heard, and shown as telemetry, by MeshMonitor's rules (contract 3.7). A value that the
// radio repeats is no reception, and tells nothing of this.

extension Ingest {
    /// - Parameter lastHops: hops of the node's packet before this one.
    func derive(
        from packet: MeshPacket, _ content: PacketContent?, after lastHops: UInt32?, _ writer: Writer,
        _ source: SourceID
    ) throws {
        guard let hops = packet.hopsAway.map({ Int($0) }) else { return }
        var values: [(metric: DerivedMetric, value: Double)] = []
        // Firmware before 2.3 does not say it.
        if packet.hopStart > 0 { values.append((.messageHops, Double(hops))) }
        // -128 stands for "unknown" (contract 3.3).
        if case .nodeInfo = content, hops == 0, !packet.viaMQTT, let strength = packet.rxRSSI, strength != -128 {
            for (metric, value) in [(DerivedMetric.snrLocal, packet.rxSNR.decimalDouble), (.rssi, Double(strength))]
            where try writer.isNews(value, for: metric, of: packet.from, in: source, at: now) {
                values.append((metric, value))
            }
        }
        guard !values.isEmpty else { return }
        let isFirstCopy = try writer.insertDerived(values, of: packet.from, from: packet, in: source, at: now)
        if isFirstCopy, packet.hopStart > 0, packet.from != own {
            try grade(packet.from, hops: hops, after: lastHops.map { Int($0) } ?? hops, writer, source)
        }
    }

    private func grade(
        _ node: NodeNumber, hops: Int, after last: Int, _ writer: Writer, _ source: SourceID
    ) throws {
        guard let known = try writer.linkQuality(of: node, in: source) else {
            let first = LinkQualityRule.first(hops: hops)
            try writer.setLinkQuality(first, of: node, in: source, at: now)
            let second = LinkQualityRule.heard(hops: hops, after: hops, from: first)
            return try writer.setLinkQuality(second, of: node, in: source, at: now)
        }
        let next = LinkQualityRule.heard(hops: hops, after: last, from: known)
        try writer.setLinkQuality(next, of: node, in: source, at: now)
    }

    /// The signal under which the radio heard a node last.
    func deriveSignal(of info: NodeInfo, _ writer: Writer, _ source: SourceID) throws {
        // What it did not hear itself has none.
        guard info.number != own, info.snr != 0 else { return }
        let heard = Int64(info.lastHeard)
        let at = heard >= PlausibleTime.earliest ? min(heard * 1000, now) : now
        let snr = info.snr.decimalDouble
        guard try writer.isNews(snr, for: .snrRemote, of: info.number, in: source, at: at) else { return }
        try writer.insertDerived([(.snrRemote, snr)], of: info.number, in: source, at: at, now: now)
    }

    /// How many nodes there are: with the radio's own statistics, every quarter of an hour.
    func countNodes(_ writer: Writer, _ source: SourceID) throws {
        let counts = try writer.heardNodes(since: now / 1000 - 86_400, own: own, in: source)
        let values = [
            (metric: DerivedMetric.systemNodeCount, value: Double(counts.all)),
            (.systemDirectNodeCount, Double(counts.direct)),
        ]
        try writer.insertDerived(values, of: own, in: source, at: now)
    }

    func store(_ due: OwnReadings.Due, _ writer: Writer, _ source: SourceID) throws {
        if let offset = due.timeOffset {
            try writer.insertDerived([(.timeOffset, offset)], of: own, in: source, at: now)
        }
        if due.countsNodes { try countNodes(writer, source) }
        for asked in due.traceroutes where try writer.isUnanswered(asked.id, from: own, to: asked.target, in: source) {
            try writer.lowerLinkQuality(of: asked.target, in: source, at: now, LinkQualityRule.tracerouteFailed)
        }
    }
}

extension Writer {
    /// A node that was never heard has no grade that could fall.
    func lowerLinkQuality(
        of node: NodeNumber, in source: SourceID, at now: Int64, _ rule: (Int) -> Int
    ) throws {
        guard let known = try linkQuality(of: node, in: source) else { return }
        try setLinkQuality(rule(known), of: node, in: source, at: now)
    }
}
