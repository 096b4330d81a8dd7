import MeshModel
import MeshProtocol
import Store

// What is worked out from what is heard, and shown as telemetry, by MeshMonitor's rules (Contract 3.7). A value that
// the radio repeats is no reception, and tells nothing of this.

extension Ingest {
    /// What a packet that was heard tells of the way that it came.
    struct Derived {
        /// What is to stand in the row of its report.
        var values: [Telemetry.Value] = []
        /// The grade of the link to its sender; nil: it stays.
        var linkQuality: Int?
    }

    /// Stores what a packet that was heard tells of the way that it came, unless it can stand in the row of its report. Before
    /// its sender's row is changed, which has the packet before it.
    func derive(
        from packet: MeshPacket, _ content: PacketContent?, _ writer: Writer, _ source: SourceID
    ) throws -> Derived {
        var derived = Derived()
        guard let hops = packet.hopsAway.map({ Int($0) }),
            try !writer.hasDerived(from: packet, in: source, at: now)
        else { return derived }
        // Firmware before 2.3 does not say it.
        if packet.hopStart > 0 {
            derived.values.append(.init(.messageHops, Double(hops)))
            if packet.from != own { try grade(packet.from, hops: hops, &derived, writer, source) }
        }
        // -128 stands for "unknown".
        if case .nodeInfo = content, hops == 0, !packet.viaMQTT, let strength = packet.rxRSSI, strength != -128 {
            let signal = [
                Telemetry.Value(.snrLocal, packet.rxSNR.decimalDouble), Telemetry.Value(.rssi, Double(strength)),
            ]
            derived.values += try writer.news(among: signal, of: packet.from, in: source, at: now)
        }
        if case .telemetry(let report) = content, report.hasRoom { return derived }
        if !derived.values.isEmpty {
            try writer.insertDerived(derived.values, of: packet.from, from: packet, in: source, at: now)
        }
        return Derived(linkQuality: derived.linkQuality)
    }

    private func grade(
        _ node: NodeNumber, hops: Int, _ derived: inout Derived, _ writer: Writer, _ source: SourceID
    ) throws {
        guard let known = try writer.linkQuality(of: node, in: source) else {
            let first = LinkGrade.first(hops: hops)
            let heard = LinkGrade.heard(hops: hops, after: hops, from: first)
            for quality in [first, heard] {
                try writer.insertDerived([.init(.linkQuality, Double(quality))], of: node, in: source, at: now)
            }
            derived.linkQuality = heard
            return
        }
        let last = try writer.node(node, in: source, \.lastMessageHops).map { Int($0) } ?? hops
        let next = LinkGrade.heard(hops: hops, after: last, from: known)
        guard next != known else { return }
        derived.linkQuality = next
        derived.values.append(.init(.linkQuality, Double(next)))
    }

    /// The signal under which the radio heard a node last.
    func deriveSignal(of info: NodeInfo, _ writer: Writer, _ source: SourceID) throws {
        // What it did not hear itself has none.
        guard info.number != own, info.snr != 0 else { return }
        let heard = Int64(info.lastHeard)
        let at = heard >= PlausibleTime.earliest ? min(heard * 1000, now) : now
        let snr = Telemetry.Value(.snrRemote, info.snr.decimalDouble)
        let news = try writer.news(among: [snr], of: info.number, in: source, at: at)
        if !news.isEmpty { try writer.insertDerived(news, of: info.number, in: source, at: at, now: now) }
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
        try insertDerived([.init(.linkQuality, Double(rule(known)))], of: node, in: source, at: now)
        try noteLinkQuality(rule(known), of: node, in: source)
    }
}

extension Telemetry {
    /// Its row can hold more: a request for telemetry looks like an empty report and gets none, and that of a person's
    /// health is shown to nobody.
    fileprivate var hasRoom: Bool { (!values.isEmpty || text != nil) && kind != .health }
}
