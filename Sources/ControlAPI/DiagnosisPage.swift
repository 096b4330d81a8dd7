import Diagnostics
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
        LocalPage("/local/diagnosis", "diagnosis/1") { question, json in try Facts(question).write(&json) }
    ]
}

extension Facts {
    fileprivate init(_ question: LocalQuestion) throws {
        self.init(version: question.api?.version ?? "?", now: WallClock.milliseconds())
        let (reader, store) = (question.reader, question.gateway?.store)
        let health = store?.health
        database.used = try reader.usage().used
        database.limit = store?.retention.size
        database.journalMode = try reader.journalMode()
        database.failingSince = health?.failingSince
        database.lastError = health?.lastError
        database.lastErrorAt = health?.lastErrorAt
        database.droppedChanges = health.map { Int64($0.droppedChanges) }
        let tokens = try reader.tokens().filter { $0.revokedAt == nil }
        let active = tokens.filter { $0.expiresAt.map { $0 > now } ?? true }
        let next = active.filter { $0.expiresAt != nil }.min { $0.expiresAt ?? 0 < $1.expiresAt ?? 0 }
        let expired = tokens.count - active.count
        database.tokens = .init(
            active: active.count, expired: expired, nextName: next?.name, nextExpiry: next?.expiresAt)
        mesh = .known(try reader.enabledSources().map { try RadioFacts($0, question) })
        share.standings = question.api?.shares().map { .init(place: $0.address, problem: $0.problem) }
    }
}

extension RadioFacts {
    fileprivate init(_ source: FoundSource, _ question: LocalQuestion) throws {
        self.init()
        let (reader, gateway) = (question.reader, question.gateway)
        let (radio, own) = (question.radio(of: source), question.ownNumber(of: source))
        id = source.source.uuid
        device = radio?.device ?? source.source.device
        nodeID = own?.id
        link = radio?.link.name
        since = radio?.since
        // The transmitter has a check of its own.
        problems = (radio?.faults ?? []).filter { $0.kind != .transmitterOff }
        traffic = gateway?.linkStatisticsSinceLive(of: source.id).map {
            Traffic(
                bytes: $0.bytesRead, text: $0.textBytes, garbage: $0.garbageBytes, frames: $0.framesRead,
                connections: $0.connections)
        }
        let lora = radio?.lora ?? source.source.lora
        firmware = radio?.firmwareVersion ?? source.source.firmwareVersion
        region = lora?.region
        regionName = lora.flatMap { EnumNames.region($0.region) }
        isTransmitterOff = radio?.isResponsive == true ? radio?.txDisabled : lora.map { !$0.txEnabled }
        let snapshot = gateway?.snapshot(of: source.id)
        logsInFrames = snapshot?.security?.debugLogAPIEnabled
        let node = try own.flatMap { try reader.node($0, in: source.id) }
        isStoreForwardServer = snapshot?.isStoreForwardServer ?? node?.isStoreForwardServer
        try fillHeard(source.id, own, reader)
        try fillNodes(source.id, own, reader)
        let items = try reader.outbox(in: source.id)
        let free = items.filter { $0.hold == nil }
        (outbox, held, oldestInOutbox) = (items.count, items.count - free.count, free.map(\.createdAt).min())
    }

    /// What the newest packets and the radio's own reports show.
    private mutating func fillHeard(_ source: SourceID, _ own: NodeNumber?, _ reader: Reader) throws {
        let packets = try reader.packets(PacketQuery(in: source, limit: 200))
            .filter { $0.direction == .rx && !$0.packet.isReplay && $0.packet.from != own }
        lastPacket = packets.first?.at
        // A packet that waited in the radio is older than its reception here: the smallest lag is the clock's.
        let times = packets.prefix(20).map { (at: $0.at / 1000, radio: Int64($0.packet.rxTime ?? 0)) }
        let ahead = times.filter { $0.radio != 0 }.map { $0.radio - $0.at }
        clockAhead = ahead.max()
        isClockUnset = times.isEmpty ? nil : ahead.isEmpty
        let reports = try own.map { try reader.telemetry(of: $0, in: source, limit: 20) } ?? []
        let latest = reports.first { $0.value["channelUtilization"] != nil }
        channelUtilization = latest?.value["channelUtilization"]
        airUtilization = latest?.value["airUtilTx"]
        utilizationAt = latest?.at
    }

    private mutating func fillNodes(_ source: SourceID, _ own: NodeNumber?, _ reader: Reader) throws {
        nodes = try reader.counts(in: source).nodes
        let keyed = try reader.keyedNodes(in: source)
        let (here, others) = (keyed.first { $0.number == own }, keyed.filter { $0.number != own })
        isOwnKeyWeak = here?.key?.isGuessable ?? false
        weakKeys = Nodes(others.filter { $0.key?.isGuessable == true }.map(\.number.id))
        isOwnKeyShared = here?.isDuplicate ?? false
        sharedKeys = Nodes(others.filter(\.isDuplicate).map(\.number.id))
        doubtedKeys = Nodes(others.filter(\.isInDoubt).map(\.number.id))
        missingFavorites = Nodes(try reader.missingFavorites(in: source).map(\.id))
        renumberedNodes = Nodes(try reader.renumberedNodes(in: source).map { "\($0.old.id) \($0.new.id)" })
        let start = WallClock.milliseconds() - QuietNode.patience
        let heard = try reader.quietNodes(since: start, in: source).filter { $0.number != own }
        quietNodes = Nodes(heard.filter(\.hasNoTelemetry).map(\.number.id))
        heardNodes = heard.count
    }
}
