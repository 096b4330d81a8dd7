import Gateway
import MeshModel
import Store

extension LinkQualities {
    /// Routes that are looked at, the newest ones.
    private static var routes: Int { 5000 }

    /// What the packets, reports and routes since a time tell of who hears whom.
    ///
    /// - Parameters:
    ///   - since: host milliseconds.
    ///   - own: the number of the source's radio.
    public init(toldTo reader: Reader, in source: FoundSource, since: Int64, own: NodeNumber?) throws {
        var links = LinkQualities()
        if let own {
            try reader.eachDirectReception(in: source.id, since: since, own: own) { from, at, snr in
                links.add(from, own, snr, at: at, by: .packet)
            }
        }
        for report in try reader.neighborLinks(in: source.id) where report.at >= since {
            links.add(report.neighbor, report.node, report.snr, at: report.at, by: .neighborInfo)
        }
        for row in try reader.traceroutes(in: source.id, since: since, limit: Self.routes) {
            guard let route = row.route else { continue }
            let (asker, target) = row.isUnasked(own: own) ? (row.to, row.from) : (row.from, row.to)
            links.add(route, from: asker, to: target, at: row.answeredAt ?? row.at)
        }
        self = links
    }

    /// Those with the most signals first, or the weakest.
    public func sorted(worstFirst: Bool) -> [(link: Link, quality: LinkQuality)] {
        all.map { (link: $0.key, quality: $0.value, median: $0.value.percentile(50) ?? 0) }
            .sorted { a, b in
                if worstFirst, a.median != b.median { return a.median < b.median }
                if a.quality.count != b.quality.count { return a.quality.count > b.quality.count }
                return (a.link.from, a.link.to) < (b.link.from, b.link.to)
            }
            .map { ($0.link, $0.quality) }
    }
}

extension Traceroute {
    /// An answer to somebody else's question, or one that came when nobody waited any more, is stored from the node that
    /// answered to the one that had asked (Contract 3.8).
    public func isUnasked(own: NodeNumber?) -> Bool { from != own && answeredAt == at }
}
