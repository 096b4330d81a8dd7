import Gateway
import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Nettle
import Routes
import Store

// What the command line shows of a source and its radio, ours: what is wrong, who hears whom, and what to give to others.

extension RestAPI {
    static let insightEndpoints: [Endpoint] = [
        .perSource(.get, "problems", .info, .read, RestAPI.problems),
        .perSource(.get, "links", .info, .read, RestAPI.links),
        .perSource(.get, "self", .info, .read, RestAPI.ownIdentity),
        .perSource(.get, "packets/{id}/explain", .packetMonitor, .read, RestAPI.explainPacket),
    ]

    /// `P/problems`: those of the source's radio and those of the gateway, the worst first.
    func problems(_ call: Call) throws(APIError) -> Response {
        let all = try read("problems") { try problems(of: call.source, $0) }
        return .list(all, to: call.request) { $0.problem($1) }
    }

    private func problems(of found: FoundSource, _ reader: Reader) throws -> [Problem] {
        let doubted = try reader.doubtedKeyCount(in: found.id)
        return gateway.problems.all(
            showsFiles: false,
            and: found.source.problems(gateway.status(of: found.id), doubtedKeys: doubted))
    }

    private static let week: Int64 = 604_800_000

    /// `P/links?since=&worst=true`: who hears whom and how well, each direction for itself. Links with a node at one end
    /// that the token may not see are left out; nodes have their names for tokens that may read nodes.
    func links(_ call: Call) throws(APIError) -> Response {
        let (found, channels) = (call.source, call.caller.channels(for: .viewOnMap))
        let since = call.request.since ?? clock() - Self.week
        let isWorstFirst = call.request.queryValue("worst") == "true"
        let own = ownNumber(of: found)
        let scale = SignalScale(gateway.status(of: found.id).lora ?? found.source.lora)
        let (links, nodes) = try read("links") { reader in
            var links = try LinkQualities(toldTo: reader, in: found, since: since, own: own)
                .sorted(worstFirst: isWorstFirst)
            if let channels {
                let visible = Set(try reader.nodeNumbers(in: found.id, channels: channels))
                links = links.filter { visible.contains($0.link.from) && visible.contains($0.link.to) }
            }
            var nodes: [NodeNumber: Node] = [:]
            guard call.caller.may(.read, .nodes) else { return (links, nodes) }
            for number in Set(links.flatMap { [$0.link.from, $0.link.to] }) {
                nodes[number] = try reader.node(number, in: found.id)
            }
            return (links, nodes)
        }
        return .list(links, to: call.request) { json, row in
            json.link(row.link, row.quality, scale, nodes)
        }
    }

    /// `P/self`: who the source's radio is, for showing and for giving to others. The channels' link holds their keys;
    /// when the radio does not say within five seconds what they are, it is null.
    func ownIdentity(_ call: Call) throws(APIError) -> Response {
        let found = call.source
        let node = try read("the radio") { try ownNode(of: found, $0) }
        let radio = gateway.status(of: found.id)
        let counts = try read("the radio") { try meshCounts(call, $0) }
        let known = try read("the radio") { try problems(of: found, $0) }
        let mayShare = call.caller.may(.write, .configuration)
        let page = { @Sendable (link: String?) -> Response in
            .item(to: call.request) { json in
                json.object { json in
                    json.member("nodeId", node?.number.id)
                    json.member("nodeNum", node?.number.rawValue)
                    json.member("longName", node?.shownLongName)
                    json.member("shortName", node?.shownShortName)
                    json.member("publicKey", node?.publicKey.map { Base64.encoded($0.bytes) })
                    json.words("keyWords", of: node?.publicKey)
                    json.member(
                        "contactUrl", node.flatMap { SharedContact.toShare($0) }.map { ContactLink.text(of: $0) })
                    if mayShare { json.member("channelUrl", link) }
                    json.member("connected", radio.isConnected)
                    json.link(radio)
                    json.setup(radio)
                    json.float("channelUtilization", node?.channelUtilization)
                    json.float("airUtilTx", node?.airUtilTx)
                    json.member("heardNodes", counts.heard)
                    json.member("directNodes", counts.direct)
                    json.member("queued", counts.queued)
                    json.key("problems")
                    json.array { json in for problem in known { json.problem(problem) } }
                    json.member("sourceId", found.source.uuid)
                }
            }
        }
        guard mayShare else { return page(nil) }
        return channelLink(call, within: .seconds(5), late: { page(nil) }) { outcome in
            if case .read(let link) = outcome { page(link.text) } else { page(nil) }
        }
    }

    /// Nodes that were heard within a day, those of them that were heard without a relay, and the texts that wait. Nil for a
    /// token that may not read them.
    private func meshCounts(_ call: Call, _ reader: Reader) throws -> (heard: Int?, direct: Int?, queued: Int?) {
        let (source, caller) = (call.source.id, call.caller)
        let (since, channels) = (clock() / 1000 - 86_400, caller.channels(for: .viewOnMap))
        let mayCount = caller.may(.read, .nodes)
        return (
            mayCount ? try reader.nodeCount(in: source, heardSince: since, channels: channels) : nil,
            mayCount ? try reader.nodeCount(in: source, heardSince: since, channels: channels, isDirect: true) : nil,
            caller.may(.read, .messages)
                ? try reader.outbox(in: source).count { item in
                    let channel = item.packet.to.isBroadcast ? Int(item.packet.channel) : -1
                    return item.messageID != nil && item.state == .waiting && caller.mayRead(channel: channel)
                } : nil
        )
    }

    /// `P/packets/{id}/explain?preset=`: the bytes of a packet of the log with their meaning, its way and its airtime.
    func explainPacket(_ call: Call) throws(APIError) -> Response {
        let found = call.source
        let (row, relays) = try read("packet") { reader in
            let row = try loggedPacket(call, reader)
            return (row, try reader.relays(of: row.packet, in: found.id))
        }
        if let channel = row.hiddenPlaceChannel(from: call.caller) {
            throw .insufficient(
                "No permission to see where nodes are on this channel", resource: "channel_\(channel)",
                action: .viewOnMap)
        }
        let airtime: Airtime
        do throws(Airtime.UnknownPreset) {
            airtime = try Airtime(
                gateway.status(of: found.id).lora ?? found.source.lora, preset: call.request.queryValue("preset"))
        } catch {
            throw .badRequest("There is no modem preset \"\(error.name)\"; there are \(error.known)")
        }
        let visible = relays.filter { call.caller.mayView($0.channel) }
        return .item(to: call.request) { json in
            json.object { json in
                json.member("id", row.id)
                json.annotated(Annotation(row.packet.encoded(), as: .meshPacket))
                json.way(of: row.packet, visible) { json, node in
                    json.object { $0.name(node.number, call.caller.mayShow(node) ? node : nil) }
                }
                json.airtime(of: row.packet, airtime)
                json.member("sourceId", found.source.uuid)
            }
        }
    }
}

extension LoggedPacket {
    /// The channel whose map the packet tells of, when this token may not see it; nil: nothing to hide.
    fileprivate func hiddenPlaceChannel(from caller: Caller) -> UInt32? {
        guard packet.decoded?.port.saysWhereNodesAre == true, !caller.maySeePlaces(in: self) else { return nil }
        return packet.channel
    }
}

extension JSONWriter {
    /// One row of `problems`.
    mutating func problem(_ problem: Problem) {
        object { json in
            json.member("severity", problem.severity.rawValue)
            json.member("name", problem.name)
            json.member("advice", problem.advice)
            json.member("command", problem.command)
            json.member("sourceId", problem.source)
        }
    }

    fileprivate mutating func link(
        _ link: LinkQualities.Link, _ quality: LinkQuality, _ scale: SignalScale, _ nodes: [NodeNumber: Node]
    ) {
        object { json in
            json.key("from")
            json.object { $0.name(link.from, nodes[link.from]) }
            json.key("to")
            json.object { $0.name(link.to, nodes[link.to]) }
            json.member("count", quality.count)
            json.member("packets", quality.count(by: .packet))
            json.member("neighborReports", quality.count(by: .neighborInfo))
            json.member("traceroutes", quality.count(by: .traceroute))
            json.key("snr")
            json.object { json in
                json.member("p10", quality.percentile(10))
                json.member("p50", quality.percentile(50))
                json.member("p90", quality.percentile(90))
            }
            json.member("grade", quality.percentile(50).map { scale.grade(of: $0).rawValue })
            json.member("lastHeard", quality.lastHeard)
        }
    }

    /// Who a node is, in as few words as a list needs.
    mutating func name(_ number: NodeNumber, _ node: Node?) {
        member("nodeId", number.id)
        member("nodeNum", number.rawValue)
        member("longName", node?.shownLongName ?? number.placeholderLongName)
        member("shortName", node?.shownShortName ?? number.placeholderShortName)
    }

    /// A key as people read it to each other: base64, as the apps show it, in groups of four.
    mutating func words(_ name: StaticString, of key: PublicKey?) {
        self.key(name)
        guard let key else { return null() }
        let letters = Array(Base64.encoded(key.bytes))
        array { json in
            for start in stride(from: 0, to: letters.count, by: 4) {
                json.value(String(letters[start..<min(start + 4, letters.count)]))
            }
        }
    }
}
