import Gateway
import HTTPServer
import JSON
import MeshModel
import Platform
import Routes
import Store

extension RestAPI {
    static let statusEndpoints: [Endpoint] = [
        .open("/api/health", RestAPI.health), .open("/api/status", RestAPI.serverStatus),
        .v1(.get, "", nil, RestAPI.index), .v1(.get, "sources", nil, RestAPI.sources),
        .perSource(.get, "status", .info, .read, RestAPI.status),
    ]

    /// Clients look for "meshtastic" in it; this is the one kind that all of them know.
    static let sourceType = "meshtastic_tcp"

    private var uptime: Int64 { BootTimeClock.milliseconds() - startedAt }

    /// `/api/health`, open to everybody. Uptime in milliseconds.
    func health(_ call: Call) throws(APIError) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("status", "ok")
            json.member("version", version)
            json.member("uptime", uptime)
            json.member("databaseType", "sqlite")
            json.member("firmwareOtaEnabled", false)
        }
        return .json(.bytes(json.bytes))
    }

    /// `/api/status`, open to everybody. Uptime in seconds, as a fraction.
    func serverStatus(_ call: Call) throws(APIError) -> Response {
        let (preferred, counts, node) = try read("status") { reader in
            let preferred = try reader.sources().preferred
            return (preferred, try reader.counts(in: nil), try preferred.map { try ownNode(of: $0, reader) } ?? nil)
        }
        let radio = preferred.map { gateway.status(of: $0.id) }
        var json = JSONWriter()
        json.object { json in
            json.member("status", "ok")
            json.member("timestamp", ISO8601.text(clock()))
            json.member("version", version)
            json.member("nodeEnv", "production")
            json.key("connection")
            json.object { json in
                json.member("connected", radio?.isConnected ?? false)
                json.key("localNode")
                json.localNode(node)
            }
            json.key("statistics")
            json.object { json in
                json.member("nodes", counts.nodes)
                json.member("messages", counts.messages)
                json.member("channels", counts.channels)
            }
            json.member("uptime", Double(uptime) / 1000)
            // Upstream's clients show `version` as MeshMonitor's; this says whose it is.
            json.member("server", "mesh-gateway")
        }
        return .json(.bytes(json.bytes))
    }

    /// `P/status`, with the state of link and disk behind the contract's keys.
    func status(_ call: Call) throws(APIError) -> Response {
        let node = try read("status") { try ownNode(of: call.source, $0) }
        return .item(to: call.request) { json in
            json.object { $0.status(gateway.status(of: call.source.id), of: node, store.health) }
        }
    }

    /// The radio's own node: as it says itself, else as the source remembers it. Known also while it is unplugged,
    /// because clients recognise their own messages by it.
    func ownNode(of source: FoundSource, _ reader: Reader) throws -> Node? {
        guard let number = gateway.status(of: source.id).myInfo?.number ?? source.source.nodeNumber else { return nil }
        return try reader.node(number, in: source.id) ?? Node(number: number, createdAt: source.source.createdAt)
    }

    /// `/api/v1/`: where things are.
    func index(_ call: Call) throws(APIError) -> Response {
        let base = base(of: call.request)
        return .json(to: call.request) { json in
            json.object { json in
                json.member("version", "v1")
                json.member("description", "MeshMonitor REST API v1 (multi-source shape)")
                json.member("documentation", "\(base)/api/v1/docs")
                json.key("endpoints")
                json.object { $0.endpoints(below: base) }
                json.member(
                    "note",
                    "The paths below a source are canonical; the source \"default\" and the paths without a source mean "
                        + "the first one. Parts that this server does not have answer 404.")
            }
        }
    }

    /// `/api/v1/sources`: the enabled ones, oldest first, for those who may read nodes, messages or a channel there.
    func sources(_ call: Call) throws(APIError) -> Response {
        let isShown = call.caller.maySeeSources
        let sources = try knownSources.all(of: store).map(\.source).filter { isShown && $0.isEnabled }
        let primary = sources.first?.uuid
        return .list(sources, to: call.request) { json, source in
            json.object { json in
                json.member("id", source.uuid)
                json.member("name", source.name)
                json.member("type", Self.sourceType)
                json.member("enabled", source.isEnabled)
                json.member("isPrimary", source.uuid == primary)
            }
        }
    }
}

extension Caller {
    /// It may read nodes, messages or a channel there (Contract 3.2).
    var maySeeSources: Bool { ([.nodes, .messages] + Resource.channels).contains { may(.read, $0) } }
}

extension JSONWriter {
    fileprivate mutating func localNode(_ node: Node?) {
        guard let node else { return null() }
        object { json in
            json.member("nodeNum", node.number.rawValue)
            json.member("nodeId", node.number.id)
            json.member("longName", node.shownLongName)
            json.member("shortName", node.shownShortName)
        }
    }

    /// The members of `P/status`.
    mutating func status(_ radio: RadioStatus, of node: Node?, _ health: Health) {
        member("localNodeNum", node?.number.rawValue)
        member("localNodeId", node?.number.id)
        member("longName", node?.shownLongName)
        member("shortName", node?.shownShortName)
        member("connected", radio.isConnected)
        member("nodeResponsive", radio.isResponsive)
        link(radio)
        storage(health)
    }

    /// Where the link stands, since when (milliseconds since 1970), and what to do about it.
    mutating func link(_ radio: RadioStatus) {
        // One is shown: what keeps the link from working; else that nothing is sent, or else the first thing that is wrong.
        let problem =
            radio.link.problem ?? radio.problems.first { $0.kind == .regionUnset } ?? radio.problems.first
        key("link")
        object { json in
            json.member("state", radio.link.name)
            json.member("since", radio.since)
            json.member("problem", problem?.name)
            json.member("advice", problem?.advice)
            json.member("restarting", radio.isRestarting)
        }
    }

    /// The steps of setting the radio up that are open.
    mutating func setup(_ radio: RadioStatus) {
        key("setup")
        array { json in for step in radio.setup { json.value(step.rawValue) } }
    }

    /// Whether what is heard and sent reaches the disk, since when it does not (milliseconds since 1970), and what to do.
    fileprivate mutating func storage(_ health: Health) {
        let fault = health.publicFault
        key("storage")
        object { json in
            json.member("state", fault == nil ? "ok" : "failing")
            json.member("since", fault == nil ? nil : health.failingSince)
            json.member("problem", fault?.name)
            json.member("advice", fault?.advice)
        }
    }

    fileprivate mutating func endpoints(below base: String) {
        member("sources", "\(base)/api/v1/sources")
        member("perSource", "\(base)/api/v1/sources/{sourceId}")
        member("nodes", "\(base)/api/v1/sources/{sourceId}/nodes")
        member("channels", "\(base)/api/v1/sources/{sourceId}/channels")
        member("telemetry", "\(base)/api/v1/sources/{sourceId}/telemetry")
        member("traceroutes", "\(base)/api/v1/sources/{sourceId}/traceroutes")
        member("messages", "\(base)/api/v1/sources/{sourceId}/messages")
        member("network", "\(base)/api/v1/sources/{sourceId}/network")
        member("packets", "\(base)/api/v1/sources/{sourceId}/packets")
        member("positionHistory", "\(base)/api/v1/sources/{sourceId}/nodes/{nodeId}/position-history")
        member("status", "\(base)/api/v1/sources/{sourceId}/status")
        member("channelDatabase", "\(base)/api/v1/channel-database")
        member("solar", "\(base)/api/v1/solar")
        member("metrics", "\(base)/api/v1/metrics")
        member("actions", "\(base)/api/v1/sources/{sourceId}/actions")
    }
}
