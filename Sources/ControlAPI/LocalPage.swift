import Gateway
import Glibc
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

/// A page of the command line: what is known, as JSON that people's programs may read too.
///
/// A running daemon answers it on its local socket. While none runs, the command renders the same page itself from the
/// database, which it opens for reading only; what only a running daemon knows is null then. The shape of each page is
/// published as a JSON Schema (`deploy/schemas`), and changes only with its number.
struct LocalPage: Sendable {
    typealias Content = @Sendable (LocalQuestion, inout JSONWriter) throws -> Void

    /// Below `/local`, with `{name}` for a segment that may be anything.
    let path: String
    /// Name and number of its schema, such as `nodes/1`.
    let schema: String
    /// Writes the members behind `schema` and `via`. Throws an ``APIError``, or what the store throws.
    let content: Content

    init(_ path: String, _ schema: String, _ content: @escaping Content) {
        self.path = path
        self.schema = schema
        self.content = content
    }

    /// All that need nothing but the database. Each subject lists its own in its file.
    static let all: [LocalPage] = [
        ControlAPI.nodePages, ControlAPI.statusPages, ControlAPI.channelPages, ControlAPI.keyPages,
        ControlAPI.tokenPages,
        ControlAPI.diagnosisPages, ControlAPI.messagePages, ControlAPI.sendingPages,
        ControlAPI.packetPages, ControlAPI.telemetryPages, ControlAPI.linkPages, ControlAPI.nodeRequestPages,
        ControlAPI.waypointPages,
        ControlAPI.conversationPages, ControlAPI.brokerConversationPages, ControlAPI.rulePages, ControlAPI.targetPages,
        ControlAPI.brokerPages, ControlAPI.pushPages,
    ].flatMap { $0 }

    var endpoint: Endpoint {
        .local(.get, path) { api in { call throws(APIError) in try api.page(self, call) } }
    }

    func render(_ question: LocalQuestion) throws(APIError) -> Response {
        do {
            let bytes = try Self.bytes(schema, via: question.api == nil ? "database" : question.request.via) { json in
                try content(question, &json)
            }
            return .json(.bytes(bytes))
        } catch let error as APIError {
            throw error
        } catch {
            throw .failed("the database cannot be read: \(error)")
        }
    }

    /// A page as it goes out: its schema and who answers, then its members.
    static func bytes(
        _ schema: String, via: String, _ content: (inout JSONWriter) throws -> Void
    ) rethrows -> [UInt8] {
        var json = JSONWriter()
        try json.object { json in
            json.member("schema", schema)
            json.member("via", via)
            try content(&json)
        }
        return json.bytes
    }
}

extension Request {
    /// Who answers, where a gateway does: a command without a daemon asks the one in its own process, which has the
    /// radio.
    var via: String {
        if case .local(_, _, getpid()) = peer { "radio" } else { "daemon" }
    }
}

/// What a page is asked.
struct LocalQuestion {
    let request: Request
    let reader: Reader
    /// What stands in the place of the path's `{…}`.
    let parameters: [String]
    /// The database's file.
    let path: String
    /// Nil without a running daemon.
    let api: ControlAPI?
    /// What the files say while no daemon runs.
    var filesAlone = LocalFolders()

    var folders: LocalFolders {
        api.map { LocalFolders(rules: $0.rules, targets: $0.targets, brokers: $0.brokers) } ?? filesAlone
    }

    /// Nil without a running daemon.
    var gateway: Gateway? { api?.gateway }

    /// The source that the query's `source` names, by UUID, name or device setting; without one, the oldest enabled.
    func source() throws -> FoundSource {
        let sources = try reader.sources()
        guard let name = request.queryValue("source"), !name.isEmpty else {
            guard let found = sources.preferred ?? sources.first else {
                throw APIError.notFound(
                    "No radio was connected yet. Plug one in; mesh-gateway ports shows what is there")
            }
            return found
        }
        let found = sources.filter { [$0.source.uuid, $0.source.name, $0.source.device].contains(name) }
        guard found.count == 1 else {
            let names = sources.map { "\"\($0.source.name)\" (\($0.source.uuid))" }.joined(separator: ", ")
            throw APIError.notFound(
                found.isEmpty
                    ? "There is no source \"\(name)\"; there are \(names)"
                    : "Several sources are called \"\(name)\"; name one by its UUID: \(names)")
        }
        return found[0]
    }

    /// The source of the conversation over a broker that the query's `with` names; nil: it names none such.
    func brokerSource() throws -> FoundSource? {
        guard let id = request.queryValue("with"), id.hasPrefix(BrokerConversation.idPrefix) else { return nil }
        try request.checkNamesNoSource()
        let name = String(id.dropFirst(BrokerConversation.idPrefix.count))
        guard let found = try reader.brokerConversation(name), let source = try reader.source(found.source) else {
            throw APIError.noBrokerConversation(name)
        }
        return (found.source, source)
    }

    /// The sources that a page about all of them shows: the one that is asked for, else all enabled ones.
    func sources() throws -> [FoundSource] {
        try request.queryValue("source").map { !$0.isEmpty } == true ? [source()] : reader.enabledSources()
    }

    /// The number of the source's own radio.
    func ownNumber(of source: FoundSource) -> NodeNumber? {
        radio(of: source)?.myInfo?.number ?? source.source.nodeNumber
    }

    /// How the source's radio is doing; nil without a running daemon.
    func radio(of source: FoundSource) -> RadioStatus? { gateway?.status(of: source.id) }
}

extension Request {
    /// A request about a conversation over a broker is about no radio.
    func checkNamesNoSource() throws(APIError) {
        guard queryValue("source") ?? "" == "" else {
            throw .badRequest("A conversation over a broker belongs to no radio; leave --source out")
        }
    }
}

extension LocalQuestion {
    /// The node of a source that a person names.
    ///
    /// - Parameter allowsStranger: also an id or a number of which nothing is known; then the node has no row.
    func node(
        named name: String, in source: FoundSource, allowsStranger: Bool = false
    ) throws -> (number: NodeNumber, node: Node?) {
        try reader.node(named: name, in: source, allowsStranger: allowsStranger)
    }

    func channelNames(of source: FoundSource) throws -> ChannelNames {
        try ChannelNames(source, reader, lora: radio(of: source)?.lora)
    }
}

extension ControlAPI {
    static let localPageEndpoints = LocalPage.all.map(\.endpoint)

    fileprivate func page(_ page: LocalPage, _ call: Call) throws(APIError) -> Response {
        try read("the page") { reader in
            try page.render(question(call, reader))
        }
    }

    /// A call as a page sees it.
    func question(_ call: Call, _ reader: Reader) -> LocalQuestion {
        LocalQuestion(
            request: call.request, reader: reader, parameters: call.parameters, path: store.path, api: self)
    }

    private static let pages = Router(localPageEndpoints)

    /// Answers a page from the database alone, while no daemon runs.
    ///
    /// - Parameters:
    ///   - target: path and query, below `/local`.
    ///   - folders: what their files say.
    public static func page(
        _ target: String, from store: ReadOnlyStore, folders: LocalFolders = LocalFolders()
    ) throws -> Response {
        let request = Request(target: target)
        guard let match = pages.match(request.pathSegments ?? []), let endpoint = match.target[.get],
            let page = LocalPage.all.first(where: { $0.path == endpoint.path })
        else { return APIError.notFound("Cannot GET \(request.path)").response }
        return try store.read { reader in
            do throws(APIError) {
                return try page.render(
                    LocalQuestion(
                        request: request, reader: reader, parameters: match.parameters, path: store.path, api: nil,
                        filesAlone: folders))
            } catch {
                return error.response
            }
        }
    }
}

extension JSONWriter {
    /// A time as ISO 8601 in UTC, of milliseconds since 1970.
    mutating func time(_ name: StaticString, milliseconds: Int64?) {
        member(name, milliseconds.map { ISO8601.text($0) })
    }

    /// A time as ISO 8601 in UTC, of seconds since 1970.
    mutating func time(_ name: StaticString, seconds: Int64?) {
        time(name, milliseconds: seconds.map { $0 * 1000 })
    }

    /// Which source a page is about.
    mutating func source(_ source: FoundSource) {
        key("source")
        object { json in
            json.member("id", source.source.uuid)
            json.member("name", source.source.name)
            json.member("device", source.source.device)
        }
    }

    /// Who a node is.
    mutating func who(_ number: NodeNumber, _ node: Node?) {
        member("nodeId", number.id)
        member("nodeNum", number.rawValue)
        member("longName", node?.shownLongName ?? number.placeholderLongName)
        member("shortName", node?.shownShortName ?? number.placeholderShortName)
    }
}
