import Glibc
import JSON
import Search
import Terminal

/// What people should know of a rule beside its settings: how many nodes it watches, which of its names no node has, and what is
/// so already.
struct RuleNotes {
    let lines: [String]

    /// Of a rule that was just written.
    init(of name: String, _ viewing: Viewing) {
        let path = "/local/rules/\(PercentEncoding.segment(name))"
        var page = try? Backend.reading(viewing, isTold: false).get(path).json
        // The daemon reads it on another thread.
        var left = 30
        while left > 0, page?["via"]?.string == "daemon", Self.rule(page)?["since"]?.string == nil {
            usleep(100_000)
            left -= 1
            page = try? Backend.reading(viewing, isTold: false).get(path).json
        }
        lines = Self.rule(page).map { Self.watched($0) + Self.cost($0) + Self.already($0) } ?? []
    }

    private static func rule(_ page: JSONValue?) -> JSONValue? { page?["rules"]?.array?.first }

    static func watched(_ rule: JSONValue) -> [String] {
        guard let watched = rule["watched"] else { return [] }
        var lines: [String] = []
        if let count = watched["nodes"]?.integer {
            lines.append("It watches \(count == 1 ? "1 node" : "\(count) nodes") now.")
        }
        for stranger in watched["strangers"]?.array ?? [] {
            let similar = stranger["similar"]?.string.map { "did you mean \"\(printable($0))\"?" }
            lines.append(
                "No node is called \"\(printable(stranger["name"]?.string ?? ""))\"; "
                    + (similar ?? "mesh-gateway nodes lists them."))
        }
        if watched["lacksFavourites"]?.bool == true { lines.append(noFavourites) }
        return lines
    }

    /// How much it may send.
    static func cost(_ rule: JSONValue) -> [String] {
        guard let cost = rule["cost"], let packets = cost["packets"]?.integer else { return [] }
        guard packets > 0 else { return ["It sends nothing: rules-airtime is 0, or less than one packet takes."] }
        let tenths = ((cost["milliseconds"]?.integer ?? 0) + 50) / 100
        let seconds = "\(tenths / 10).\(tenths % 10)"
        return [
            "It sends at most \(packets == 1 ? "1 packet" : "\(packets) packets") an hour, \(seconds) s on the air at "
                + "\(cost["preset"]?.string ?? "?"); others repeat them. All rules together keep to rules-airtime."
        ]
    }

    static let noFavourites = "There are no favourites yet; to make one: mesh-gateway node NODE --favourite"

    /// nil if there is a favourite, or nobody knows.
    static func noFavourites(_ viewing: Viewing) -> String? {
        let page = try? Backend.reading(viewing, isTold: false).get(
            "/local/nodes", [("filter", "favorite"), ("source", viewing.source)])
        return page?.json["nodes"]?.array?.isEmpty == true ? noFavourites : nil
    }

    /// Of a broker that shows favourites.
    static func sayNoFavourites(ofBroker name: String, _ viewing: Viewing) {
        guard !viewing.json, let page = try? Backend.reading(viewing, isTold: false).get("/local/mqtt"),
            let broker = page.json["brokers"]?.array?.first(where: { $0["name"]?.string == name }),
            broker["homeAssistant"]?.string?.contains("favourites") == true, let note = noFavourites(viewing)
        else { return }
        writeToStandardError(note + "\n")
    }

    /// What held when the rule was read.
    static func already(_ rule: JSONValue) -> [String] {
        let names = (rule["states"]?.array ?? []).filter { $0["told"]?.bool == false }.compactMap { $0["name"]?.string }
        guard !names.isEmpty else { return [] }
        // A radio's own state is about no node.
        let isOfNodes = rule["watched"]?["nodes"]?.integer != nil
        let count = isOfNodes ? "\(names.count) node\(names.count == 1 ? "" : "s")" : "\(names.count)"
        let shown = names.prefix(5).map(printable).joined(separator: ", ")
        let more = names.count > 5 ? " and \(names.count - 5) more" : ""
        return ["Already so for \(count): \(shown)\(more); told when it begins again."]
    }
}
