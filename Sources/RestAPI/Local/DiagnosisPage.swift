import Gateway
import JSON
import MeshModel
import MeshProtocol
import Routes
import Store

// What `mesh-gateway doctor` wants to know of the radios, the mesh and the database: facts without a judgement, and without
// keys, names and texts, so that it may go into a bug report.

extension RestAPI {
    static let diagnosisPages: [LocalPage] = [
        LocalPage("/local/diagnosis", "diagnosis/1") { question, json in try DiagnosisPage.write(question, &json) }
    ]
}

private enum DiagnosisPage {
    /// Nodes that are named at most.
    private static let named = 20

    static func write(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let reader = question.reader
        let tokens = try reader.tokens().filter { $0.revokedAt == nil }
        let usage = try reader.usage()
        let journal = try reader.journalMode()
        json.key("database")
        json.object { json in
            json.member("usedBytes", usage.used)
            json.member("limitBytes", question.gateway?.store.retention.size)
            json.member("journalMode", journal)
            let health = question.gateway?.store.health
            json.time("failingSince", milliseconds: health?.failingSince)
            json.member("lastError", health?.lastError)
            json.time("lastErrorAt", milliseconds: health?.lastErrorAt)
            json.member("droppedChanges", health?.droppedChanges)
        }
        let now = APIClock.wall()
        let active = tokens.filter { $0.expiresAt.map { $0 > now } ?? true }
        let next = active.filter { $0.expiresAt != nil }.min { $0.expiresAt ?? 0 < $1.expiresAt ?? 0 }
        json.key("tokens")
        json.object { json in
            json.member("active", active.count)
            json.member("expired", tokens.count - active.count)
            json.member("nextName", next?.name)
            json.time("nextExpiry", milliseconds: next?.expiresAt)
        }
        let sources = try reader.enabledSources()
        json.key("radios")
        try json.array { json in
            for source in sources { try json.object { try radio(source, question, &$0) } }
        }
    }

    private static func radio(_ source: FoundSource, _ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let radio = question.radio(of: source)
        let own = radio?.myInfo?.number ?? source.source.nodeNumber
        json.member("id", source.source.uuid)
        json.member("device", radio?.device ?? source.source.device)
        json.member("nodeId", own?.id)
        json.member("state", radio?.link.name)
        json.time("since", milliseconds: radio?.since)
        json.key("problems")
        json.array { json in
            for problem in (radio?.link.problem.map { [$0] } ?? []) + (radio?.problems ?? []) {
                json.object { json in
                    json.member("name", problem.name)
                    json.member("advice", problem.advice)
                }
            }
        }
        json.key("traffic")
        if let statistics = question.gateway?.linkStatisticsSinceLive(of: source.id) {
            json.object { json in
                json.member("bytes", statistics.bytesRead)
                json.member("frames", statistics.framesRead)
                json.member("textBytes", statistics.textBytes)
                json.member("garbageBytes", statistics.garbageBytes)
                json.member("connections", statistics.connections)
            }
        } else {
            json.null()
        }
        let lora = radio?.lora ?? source.source.lora
        json.member("firmware", radio?.firmwareVersion ?? source.source.firmwareVersion)
        json.member("region", lora?.region)
        json.member("regionName", lora.flatMap { EnumNames.region($0.region) })
        json.member("transmitterOff", radio?.isResponsive == true ? radio?.txDisabled : lora.map { !$0.txEnabled })
        let snapshot = question.gateway?.snapshot(of: source.id)
        json.member("logsInFrames", snapshot?.security?.debugLogAPIEnabled)
        let node = try own.flatMap { try question.reader.node($0, in: source.id) }
        json.member("storeForwardServer", snapshot?.isStoreForwardServer ?? node?.isStoreForwardServer)
        try heard(source, own, question.reader, &json)
        try keys(source, own, question.reader, &json)
        try outbox(source, question.reader, &json)
    }

    /// What the newest packets and the radio's own reports show.
    private static func heard(
        _ source: FoundSource, _ own: NodeNumber?, _ reader: Reader, _ json: inout JSONWriter
    ) throws {
        let packets = try reader.packets(PacketQuery(in: source.id, limit: 200))
            .filter { $0.direction == .rx && !$0.packet.isReplay && $0.packet.from != own }
        json.time("lastPacket", milliseconds: packets.first?.at)
        // A packet that waited in the radio is older than its reception here: the smallest lag is the clock's.
        let times = packets.prefix(20).map { (at: $0.at / 1000, radio: Int64($0.packet.rxTime ?? 0)) }
        let ahead = times.filter { $0.radio != 0 }.map { $0.radio - $0.at }
        json.member("clockAhead", ahead.max())
        json.member("clockUnset", times.isEmpty ? nil : ahead.isEmpty)
        let reports = try own.map { try reader.telemetry(of: $0, in: source.id, limit: 20) } ?? []
        let latest = reports.first { $0.value["channelUtilization"] != nil }
        json.member("channelUtilization", latest?.value["channelUtilization"])
        json.member("airUtilization", latest?.value["airUtilTx"])
        json.time("utilizationAt", milliseconds: latest?.at)
        json.member("nodes", try reader.counts(in: source.id).nodes)
    }

    private static func keys(
        _ source: FoundSource, _ own: NodeNumber?, _ reader: Reader, _ json: inout JSONWriter
    ) throws {
        let keyed = try reader.keyedNodes(in: source.id)
        func write(_ name: StaticString, _ isMeant: (KeyedNode) -> Bool) {
            let nodes = keyed.filter { $0.number != own && isMeant($0) }
            json.key(name)
            json.object { json in
                json.member("count", nodes.count)
                json.key("ids")
                json.array { json in for node in nodes.prefix(named) { json.value(node.number.id) } }
            }
        }
        let here = keyed.first { $0.number == own }
        write("weakKeys") { $0.key?.isGuessable == true }
        json.member("ownKeyWeak", here?.key?.isGuessable ?? false)
        write("sharedKeys") { $0.isDuplicate }
        json.member("ownKeyShared", here?.isDuplicate ?? false)
        write("doubtedKeys") { $0.isInDoubt }
    }

    private static func outbox(_ source: FoundSource, _ reader: Reader, _ json: inout JSONWriter) throws {
        let items = try reader.outbox(in: source.id)
        let free = items.filter { $0.hold == nil }
        json.key("outbox")
        json.object { json in
            json.member("count", items.count)
            json.member("held", items.count - free.count)
            json.time("oldest", milliseconds: free.map(\.createdAt).min())
        }
    }
}
