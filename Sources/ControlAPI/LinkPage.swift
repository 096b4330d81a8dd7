import Gateway
import JSON
import MeshModel
import Platform
import Routes
import Store

// `mesh-gateway links`: who hears whom, and how well.

extension ControlAPI {
    static let linkPages: [LocalPage] = [LocalPage("/local/links", "links/1", LinkPage.list)]
}

private enum LinkPage {
    private static let week: Int64 = 604_800_000
    /// Routes that are looked at, the newest ones.
    private static let routes = 5000

    /// `?since=7d&node=&worst=true`: the weakest first, else those with the most signals.
    static func list(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let since = try question.since() ?? WallClock.milliseconds() - week
        let node = try question.request.queryValue("node").map {
            try question.node(named: $0, in: source, allowsStranger: true).number
        }
        let own = question.ownNumber(of: source)
        let qualities = try qualities(question.reader, in: source, since: since, own: own)
        let isWorst = question.request.queryValue("worst") == "true"
        let links = qualities.all.filter { node == nil || $0.key.from == node || $0.key.to == node }
            .map { (link: $0.key, quality: $0.value, median: $0.value.percentile(50) ?? 0) }
            .sorted { a, b in
                if isWorst, a.median != b.median { return a.median < b.median }
                if a.quality.count != b.quality.count { return a.quality.count > b.quality.count }
                return (a.link.from, a.link.to) < (b.link.from, b.link.to)
            }
        var nodes: [NodeNumber: Node] = [:]
        for number in Set(links.flatMap { [$0.link.from, $0.link.to] }) {
            nodes[number] = try question.reader.node(number, in: source.id)
        }
        json.source(source)
        json.time("since", milliseconds: since)
        json.member("own", own?.id)
        json.key("links")
        json.array { json in
            for (link, quality, _) in links {
                json.object { json in
                    json.end("from", link.from, nodes[link.from])
                    json.end("to", link.to, nodes[link.to])
                    json.quality(quality)
                }
            }
        }
    }

    private static func qualities(
        _ reader: Reader, in source: FoundSource, since: Int64, own: NodeNumber?
    ) throws -> LinkQualities {
        var links = LinkQualities()
        if let own {
            try reader.eachDirectReception(in: source.id, since: since, own: own) { from, at, snr in
                links.add(from, own, snr, at: at, by: .packet)
            }
        }
        for report in try reader.neighborLinks(in: source.id) where report.at >= since {
            links.add(report.neighbor, report.node, report.snr, at: report.at, by: .neighborInfo)
        }
        for row in try reader.traceroutes(in: source.id, since: since, limit: routes) {
            guard let route = row.route else { continue }
            let (asker, target) = row.isUnasked(own: own) ? (row.to, row.from) : (row.from, row.to)
            links.add(route, from: asker, to: target, at: row.answeredAt ?? row.at)
        }
        return links
    }
}

extension Traceroute {
    /// An answer to somebody else's question, or one that came when nobody waited any more, is stored from the node that
    /// answered to the one that had asked (contract 3.8).
    func isUnasked(own: NodeNumber?) -> Bool { from != own && answeredAt == at }
}

extension JSONWriter {
    fileprivate mutating func quality(_ quality: LinkQuality) {
        member("count", quality.count)
        member("packets", quality.count(by: .packet))
        member("neighborReports", quality.count(by: .neighborInfo))
        member("traceroutes", quality.count(by: .traceroute))
        key("snr")
        object { json in
            json.member("p10", quality.percentile(10))
            json.member("p50", quality.percentile(50))
            json.member("p90", quality.percentile(90))
        }
        time("lastHeard", milliseconds: quality.lastHeard)
    }
}
