import MeshModel
import Store

/// A notification for a target, before it is put into the target's form.
struct Outgoing: Hashable, Sendable {
    /// A UUID, the same at each attempt.
    var id: String
    /// Host milliseconds.
    var at: Int64
    /// In kebab-case; `summary` and `test` are this room's own.
    var type: String
    var title: String
    var body: String
    var priority: FeedRow.Priority?
    var rule: String?
    var episode: String?
    var state: FeedRow.State?
    var node: NodeNumber?
    var messageID: String?
    /// Where the web page shows it; nil if the page has no public address.
    var link: String?
    /// For a summary: how many notifications of each rule it replaces.
    var counts: [DispatchCount] = []

    /// Shows whether anything arrives.
    static func test(of target: String, at now: Int64, link: String?) -> Outgoing {
        Outgoing(
            id: randomUUID(), at: now, type: "test", title: "mesh-gateway",
            body: "This is how the target \(target) is told.", link: link)
    }
}

extension Outgoing {
    /// - Parameter link: an address on the web page.
    init(_ dispatch: Dispatch, link: String?) {
        guard !dispatch.isSummary else {
            self.init(summary: dispatch, link: link)
            return
        }
        let row = dispatch.row
        self.init(
            id: dispatch.uuid, at: row.createdAt, type: row.type, title: row.title, body: row.body,
            priority: row.priority, rule: row.rule, episode: row.episode,
            state: row.state, node: row.node, messageID: row.messageID, link: link)
    }

    private init(summary dispatch: Dispatch, link: String?) {
        let total = dispatch.counts.reduce(0) { $0 + $1.count }
        self.init(
            id: dispatch.uuid, at: dispatch.at, type: "summary", title: "\(total) notifications",
            body: (dispatch.titles + [Self.counted(dispatch.counts)]).joined(separator: "\n"), link: link,
            counts: dispatch.counts)
    }

    private static func counted(_ counts: [DispatchCount]) -> String {
        counts.map { "\($0.rule.isEmpty ? "gateway" : $0.rule): \($0.count)" }.joined(separator: ", ")
            + ". The feed has them."
    }
}

extension FeedRow.State {
    public var name: String {
        switch self {
        case .begins: "begins"
        case .lasts: "lasts"
        case .ends: "ends"
        }
    }
}

extension FeedRow {
    /// Where the web page shows its subject, from the page's root on; nil if nowhere.
    ///
    /// - Parameter source: a UUID.
    public func view(in source: String) -> String? {
        if let messageID, let conversation { return "#/\(source)/c/\(conversation.id)?m=\(messageID)" }
        return node.map { "#/\(source)/n/\($0.id)" }
    }
}
