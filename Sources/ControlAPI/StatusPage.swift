import Gateway
import Glibc
import JSON
import MeshModel
import MeshProtocol
import Platform
import Routes
import Store

// `mesh-gateway status`: how the radios, the mesh and the gateway are doing, and what is wrong with them.

extension ControlAPI {
    static let statusPages: [LocalPage] = [
        LocalPage("/local/status", "status/1") { question, json in
            let now = WallClock.milliseconds()
            let found = try question.sources()
            let first = try question.reader.sources().preferred?.id
            let shares = question.api?.shares() ?? []
            let sources = try found.map { source in
                try SourceStatus(
                    source, question, since: now - 86_400_000,
                    shares: shares.filter { $0.isOf(source.id, first: first) })
            }
            json.key("problems")
            json.array { json in
                for problem in Problem.all(question, sources) { json.object { $0.problem(problem) } }
            }
            json.key("sources")
            json.array { json in for source in sources { json.object { $0.source(source) } } }
            json.tokens(try question.reader.tokens(), question.api?.tokens.lastUses ?? [:], at: now)
            json.database(try question.reader.usage(), question)
            json.key("gateway")
            guard let api = question.api else { return json.null() }
            json.object { $0.gateway(api, at: now) }
        }
    ]
}

/// A source as its radio and the database tell it.
private struct SourceStatus {
    let found: FoundSource
    /// Nil without a running daemon.
    let radio: RadioStatus?
    let own: NodeNumber?
    let node: Node?
    let counts: (nodes: Int, messages: Int, channels: Int)
    /// Slots that have a channel.
    let enabledChannels: Int
    let heard: Int
    let doubtedKeys: Int
    let outbox: [OutboxItem]
    let shares: [SharedPortReport]

    init(_ found: FoundSource, _ question: LocalQuestion, since: Int64, shares: [SharedPortReport]) throws {
        self.shares = shares
        self.found = found
        let reader = question.reader
        radio = question.radio(of: found)
        own = question.ownNumber(of: found)
        node = try own.flatMap { try reader.node($0, in: found.id) }
        counts = try reader.counts(in: found.id)
        enabledChannels = try reader.channels(in: found.id).count { $0.role != .disabled }
        heard = try reader.nodeCount(in: found.id, heardSince: since / 1000)
        doubtedKeys = try reader.doubtedKeyCount(in: found.id)
        outbox = try reader.outbox(in: found.id)
    }
}

extension Problem {
    /// The worst first.
    fileprivate static func all(_ question: LocalQuestion, _ sources: [SourceStatus]) -> [Problem] {
        let ofSources = sources.flatMap { $0.found.source.problems($0.radio, doubtedKeys: $0.doubtedKeys) }
        if let api = question.api { return api.gateway.problems.all(showsFiles: true, and: ofSources) }
        let notRunning = Problem(
            .notRunning, "No daemon is running. Start it: mesh-gateway serve", command: "mesh-gateway serve")
        return worstFirst([notRunning] + ofSources)
    }
}

extension JSONWriter {
    fileprivate mutating func problem(_ problem: Problem) {
        member("severity", problem.severity.rawValue)
        member("name", problem.name)
        member("advice", problem.advice)
        member("command", problem.command)
        member("sourceId", problem.source)
    }

    fileprivate mutating func source(_ status: SourceStatus) {
        let (source, radio, node) = (status.found.source, status.radio, status.node)
        member("id", source.uuid)
        member("name", source.name)
        member("device", radio?.device ?? source.device)
        member("connected", radio?.isConnected)
        member("responsive", radio?.isResponsive)
        member("link", radio?.link.name)
        time("linkSince", milliseconds: radio?.since)
        key("setup")
        array { json in for step in radio?.setup ?? [] { json.value(step.rawValue) } }
        member("nodeId", status.own?.id)
        member("longName", node?.shownLongName)
        member("shortName", node?.shownShortName)
        member("hardware", node?.hardwareModel.map { EnumNames.hardwareModel($0) ?? "\($0)" })
        member("role", node?.role.map { EnumNames.deviceRole($0) ?? "\($0)" })
        member("firmwareVersion", radio?.firmwareVersion ?? source.firmwareVersion)
        let lora = radio?.lora ?? source.lora
        member("region", lora.map { EnumNames.region($0.region) ?? "\($0.region)" })
        member("modemPreset", lora?.defaultChannelName)
        member("hopLimit", lora?.hopLimit)
        member("transmits", lora?.txEnabled)
        float("channelUtilization", node?.channelUtilization)
        float("airUtilTx", node?.airUtilTx)
        member("batteryLevel", node?.batteryLevel)
        float("voltage", node?.voltage)
        member("nodes", status.counts.nodes)
        member("nodesHeard", status.heard)
        member("channels", status.enabledChannels)
        member("messages", status.counts.messages)
        outbox(status.outbox)
        key("shares")
        array { json in for share in status.shares { json.object { $0.share(share) } } }
    }

    private mutating func share(_ share: SharedPortReport) {
        member("address", share.address)
        member("right", share.right.rawValue)
        clients(of: share) { $0.time($1, milliseconds: $2) }
        member("sent", Int64(clamping: share.sent))
        key("refused")
        object { json in
            json.member("connections", Int64(clamping: share.refusedConnections))
            json.member("packets", Int64(clamping: share.refusedPackets))
        }
    }

    /// What waits for the radio, and what it has and no word has come back about.
    private mutating func outbox(_ items: [OutboxItem]) {
        let waiting = items.filter { $0.state == .waiting }
        key("outbox")
        object { json in
            json.member("waiting", waiting.count)
            json.time("oldestWaiting", milliseconds: waiting.map(\.createdAt).min())
            json.member("underway", items.count - waiting.count)
        }
    }

    fileprivate mutating func tokens(_ tokens: [Token], _ lastUses: [Int64: Int64], at now: Int64) {
        let active = tokens.filter { $0.state(at: now) == "active" }
        let used = active.filter { lastUses[$0.id] ?? $0.lastUsedAt ?? 0 >= now - 86_400_000 }
        key("tokens")
        object { json in
            json.member("active", active.count)
            json.member("usedLastDay", used.count)
        }
    }

    /// The oldest rows that are kept tell how far back each kind goes.
    fileprivate mutating func database(_ usage: Usage, _ question: LocalQuestion) {
        let store = question.api?.store
        let health = store?.health
        key("database")
        object { json in
            json.member("path", question.path)
            json.member("bytes", health?.size ?? fileSize(question.path) + fileSize(question.path + "-wal"))
            json.member("usedBytes", usage.used)
            json.member("limitBytes", store?.retention.size)
            json.member("deletedRows", health?.prunedRows)
            json.time("oldestMessage", milliseconds: usage.oldestMessage)
            json.time("oldestPosition", milliseconds: usage.oldestPosition)
            json.time("oldestTelemetry", milliseconds: usage.oldestTelemetry)
            json.time("oldestPacket", milliseconds: usage.oldestPacket)
            json.time("failingSince", milliseconds: health?.failingSince)
            json.member("lastError", health?.lastError)
            json.time("lastErrorAt", milliseconds: health?.lastErrorAt)
            json.member("droppedChanges", health?.droppedChanges)
            json.member("waitingChanges", health?.queueLength)
        }
    }

    fileprivate mutating func gateway(_ api: ControlAPI, at now: Int64) {
        let uptime = BootTimeClock.milliseconds() - api.startedAt
        let written = bytesWritten().map { $0 - api.writtenBefore }
        member("version", api.version)
        member("pid", getpid())
        time("startedAt", milliseconds: now - uptime)
        member("uptimeSeconds", uptime / 1000)
        key("listeners")
        array { json in for address in api.listeners() { json.value(address) } }
        member("connections", api.connections())
        member("writtenBytes", written)
        // A short time is no measure of a day.
        member(
            "writtenBytesPerDay",
            uptime < 600_000 ? nil : written.map { Int64(Double($0) * 86_400_000 / Double(uptime)) })
    }
}

private func fileSize(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
}
