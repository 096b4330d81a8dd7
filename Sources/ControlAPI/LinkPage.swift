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

    /// `?since=7d&node=&worst=true`: the weakest first, else those with the most signals.
    static func list(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let since = try question.since() ?? WallClock.milliseconds() - week
        let node = try question.request.queryValue("node").map {
            try question.node(named: $0, in: source, allowsStranger: true).number
        }
        let own = question.ownNumber(of: source)
        let qualities = try LinkQualities(toldTo: question.reader, in: source, since: since, own: own)
        let scale = SignalScale(question.radio(of: source)?.lora ?? source.source.lora)
        let isWorst = question.request.queryValue("worst") == "true"
        let links = qualities.sorted(worstFirst: isWorst).filter {
            node == nil || $0.link.from == node || $0.link.to == node
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
            for (link, quality) in links {
                json.object { json in
                    json.end("from", link.from, nodes[link.from])
                    json.end("to", link.to, nodes[link.to])
                    json.quality(quality, scale)
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func quality(_ quality: LinkQuality, _ scale: SignalScale) {
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
        member("grade", quality.percentile(50).map { scale.grade(of: $0).rawValue })
        time("lastHeard", milliseconds: quality.lastHeard)
    }
}
