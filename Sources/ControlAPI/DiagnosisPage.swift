import Gateway
import JSON
import MeshModel
import MeshProtocol
import Platform
import Routes
import Store

// `mesh-gateway doctor`: the facts that its checks go by.

extension ControlAPI {
    static let diagnosisPages: [LocalPage] = [
        LocalPage("/local/diagnosis", "diagnosis/1") { question, json in try Diagnosis(question).write(&json) }
    ]
}

extension Diagnosis {
    fileprivate init(_ question: LocalQuestion) throws {
        let reader = question.reader
        let tokens = try reader.tokens().filter { $0.revokedAt == nil }
        database.usedBytes = try reader.usage().used
        database.limitBytes = question.gateway?.store.retention.size
        database.journalMode = try reader.journalMode()
        let health = question.gateway?.store.health
        database.failingSince = health?.failingSince
        database.lastError = health?.lastError
        database.lastErrorAt = health?.lastErrorAt
        database.droppedChanges = health.map { Int64($0.droppedChanges) }
        let now = WallClock.milliseconds()
        let active = tokens.filter { $0.expiresAt.map { $0 > now } ?? true }
        let next = active.filter { $0.expiresAt != nil }.min { $0.expiresAt ?? 0 < $1.expiresAt ?? 0 }
        self.tokens = Tokens(
            active: active.count, expired: tokens.count - active.count, nextName: next?.name,
            nextExpiry: next?.expiresAt)
        radios = try reader.enabledSources().map { try Radio($0, question) }
        shares = question.api?.shares().map { Share(address: $0.address, problem: $0.problem) }
    }
}

extension Diagnosis.Radio {
    fileprivate init(_ source: FoundSource, _ question: LocalQuestion) throws {
        let radio = question.radio(of: source)
        let own = radio?.myInfo?.number ?? source.source.nodeNumber
        id = source.source.uuid
        device = radio?.device ?? source.source.device
        nodeID = own?.id
        state = radio?.link.name
        since = radio?.since
        problems = ((radio?.link.problem.map { [$0] } ?? []) + (radio?.problems ?? [])).map {
            Diagnosis.Problem(name: $0.name, advice: $0.advice)
        }
        traffic = question.gateway?.linkStatisticsSinceLive(of: source.id).map {
            Diagnosis.Traffic(
                bytes: $0.bytesRead, frames: $0.framesRead, textBytes: $0.textBytes, garbageBytes: $0.garbageBytes,
                connections: $0.connections)
        }
        let lora = radio?.lora ?? source.source.lora
        firmware = radio?.firmwareVersion ?? source.source.firmwareVersion
        region = lora?.region
        regionName = lora.flatMap { EnumNames.region($0.region) }
        isTransmitterOff = radio?.isResponsive == true ? radio?.txDisabled : lora.map { !$0.txEnabled }
        let snapshot = question.gateway?.snapshot(of: source.id)
        logsInFrames = snapshot?.security?.debugLogAPIEnabled
        let node = try own.flatMap { try question.reader.node($0, in: source.id) }
        isStoreForwardServer = snapshot?.isStoreForwardServer ?? node?.isStoreForwardServer
        try fillHeard(source, own, question.reader)
        try fillKeys(source, own, question.reader)
        try fillNodes(source, own, question.reader)
        try fillOutbox(source, question.reader)
    }

    private mutating func fillNodes(_ source: FoundSource, _ own: NodeNumber?, _ reader: Reader) throws {
        func some(_ names: [String]) -> Diagnosis.Nodes {
            Diagnosis.Nodes(count: names.count, ids: Array(names.prefix(20)))
        }
        missingFavorites = some(try reader.missingFavorites(in: source.id).map(\.id))
        renumberedNodes = some(try reader.renumberedNodes(in: source.id).map { "\($0.old.id) \($0.new.id)" })
        let heard = try reader.quietNodes(since: WallClock.milliseconds() - QuietNode.patience, in: source.id)
            .filter { $0.number != own }
        quietNodes = some(heard.filter(\.hasNoTelemetry).map(\.number.id))
        heardNodes = heard.count
    }

    /// What the newest packets and the radio's own reports show.
    private mutating func fillHeard(_ source: FoundSource, _ own: NodeNumber?, _ reader: Reader) throws {
        let packets = try reader.packets(PacketQuery(in: source.id, limit: 200))
            .filter { $0.direction == .rx && !$0.packet.isReplay && $0.packet.from != own }
        lastPacket = packets.first?.at
        // A packet that waited in the radio is older than its reception here: the smallest lag is the clock's.
        let times = packets.prefix(20).map { (at: $0.at / 1000, radio: Int64($0.packet.rxTime ?? 0)) }
        let ahead = times.filter { $0.radio != 0 }.map { $0.radio - $0.at }
        clockAhead = ahead.max()
        isClockUnset = times.isEmpty ? nil : ahead.isEmpty
        let reports = try own.map { try reader.telemetry(of: $0, in: source.id, limit: 20) } ?? []
        let latest = reports.first { $0.value["channelUtilization"] != nil }
        channelUtilization = latest?.value["channelUtilization"]
        airUtilization = latest?.value["airUtilTx"]
        utilizationAt = latest?.at
        nodes = try reader.counts(in: source.id).nodes
    }

    private mutating func fillKeys(_ source: FoundSource, _ own: NodeNumber?, _ reader: Reader) throws {
        let keyed = try reader.keyedNodes(in: source.id)
        func nodes(_ isMeant: (KeyedNode) -> Bool) -> Diagnosis.Nodes {
            let nodes = keyed.filter { $0.number != own && isMeant($0) }
            // So many are named at most.
            return Diagnosis.Nodes(count: nodes.count, ids: nodes.prefix(20).map(\.number.id))
        }
        let here = keyed.first { $0.number == own }
        weakKeys = nodes { $0.key?.isGuessable == true }
        isOwnKeyWeak = here?.key?.isGuessable ?? false
        sharedKeys = nodes { $0.isDuplicate }
        isOwnKeyShared = here?.isDuplicate ?? false
        doubtedKeys = nodes { $0.isInDoubt }
    }

    private mutating func fillOutbox(_ source: FoundSource, _ reader: Reader) throws {
        let items = try reader.outbox(in: source.id)
        let free = items.filter { $0.hold == nil }
        outbox = Diagnosis.Outbox(
            count: items.count, held: items.count - free.count, oldest: free.map(\.createdAt).min())
    }
}
