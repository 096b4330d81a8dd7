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
    /// Likewise from the page's root on; nil if it shows it nowhere.
    var view: String?
    /// Where the message that it is about stands, under a name that no other radio's conversation has; nil if it is about none.
    var conversation: String?
    /// The radio that it is about, and its link's session, by the names that apps have for them; nil if it is about none.
    var device: String?
    var session: String?
    /// It is to be said in a few words.
    var isShort = false
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
    /// Shows a phone or a browser whether anything arrives.
    static func testOfRegistration(at now: Int64) -> Outgoing {
        Outgoing(
            id: randomUUID(), at: now, type: "test", title: "mesh-gateway",
            body: "This is how notifications arrive here.", view: "#/")
    }

    /// For a registration.
    ///
    /// - Parameter source: the UUID of the row's.
    init(_ dispatch: Dispatch, in source: String?, isShort: Bool) {
        self.init(dispatch, link: nil)
        self.isShort = isShort
        guard !dispatch.isSummary else { return }
        view = dispatch.row.link ?? source.flatMap { dispatch.row.view(in: $0) }
        conversation = dispatch.row.conversation.map { "\(source ?? "")/\($0.id)" }
        device = source
        session = source.map { "\($0).\(dispatch.row.session)" }
    }

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
            body: Self.bodyOfSummary(dispatch.titles, dispatch.counts), link: link, counts: dispatch.counts)
    }

    static func bodyOfSummary(_ titles: [String], _ counts: [DispatchCount]) -> String {
        (titles + [counted(counts)]).joined(separator: "\n")
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
