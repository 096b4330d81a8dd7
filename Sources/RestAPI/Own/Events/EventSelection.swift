import HTTPServer
import MeshModel
import Routes
import Store

/// Which events somebody wants: `?kinds=` (with commas, or several), `?channel=`, `?node=`, `?source=`.
///
/// A client that names a node or a channel gets only what concerns it.
struct EventSelection: Sendable {
    let kinds: Set<EventKind>
    /// Nil: all of them.
    let source: SourceID?
    let channel: Int?
    let node: NodeNumber?
    /// Texts over brokers are of no source, channel or node that somebody could name.
    let hasBrokers: Bool

    /// - Parameters:
    ///   - source: the one that the request names, if any.
    ///   - hasBrokers: unless the request names a channel or a node.
    init(_ request: Request, source: SourceID?, hasBrokers: Bool) throws(APIError) {
        self.source = source
        let words = request.query.filter { $0.key == "kinds" }.flatMap { $0.value.split(separator: ",") }
        var kinds = words.isEmpty ? Set(EventKind.allCases) : []
        for word in words {
            guard let kind = EventKind(rawValue: String(word).trimmed) else {
                let known = EventKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("There is no kind of event \"\(String(word).trimmed)\"; there are \(known)")
            }
            kinds.insert(kind)
        }
        self.kinds = kinds
        guard let channel = request.channelAsked, channel.map({ $0 >= -1 && $0 <= Int64(Int32.max) }) ?? true
        else {
            throw .badRequest("channel must be a number: -1 for direct messages, 0 to 7, or one of the gateway's own")
        }
        self.channel = channel.map { Int($0) }
        guard let node = request.node("node") else { throw .badRequest("node must be a node's id, as !a1b2c3d4") }
        self.node = node
        self.hasBrokers = hasBrokers && channel == nil && node == nil
    }

    var changes: Set<StoredChange.Kind> { kinds.reduce(into: []) { $0.formUnion($1.changes) } }

    /// The link to a radio is on no channel, and of no node on the mesh.
    var conditions: Set<EventKind> {
        channel == nil && node == nil ? kinds.filter(\.isCondition) : []
    }

    func wants(_ id: SourceID) -> Bool { source == nil || source == id }

    /// - Parameters:
    ///   - channel: on which it came; what came on none belongs to the first one, as for who may see it.
    ///   - nodes: those that it concerns.
    func passes(channel: Int?, _ nodes: NodeNumber...) -> Bool {
        (self.channel == nil || self.channel == channel ?? 0) && (node == nil || nodes.contains { $0 == node })
    }

    /// What a rule has told goes by what it is about.
    func passes(_ row: FeedRow) -> Bool {
        (channel == nil || row.needs.contains { $0.channel == channel }) && (node == nil || row.node == node)
    }
}

extension FeedRow.Need {
    /// The channel of the row that it is about; nil: it has none.
    fileprivate var channel: Int? {
        switch self {
        case .message(let channel): channel
        case .node(let channel): channel ?? 0
        case .waypoint(let channel): channel ?? -1
        // Over a broker it is on no channel that somebody could ask for.
        case .brokerText, .info: nil
        }
    }
}
