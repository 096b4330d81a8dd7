import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `mesh-gateway traceroute` and `request`: a node is asked through the gateway, and the answer is looked for in what was
// received since.

extension ControlAPI {
    static let nodeRequestEndpoints: [Endpoint] = [
        .local(.post, "/local/requests/{kind}", ControlAPI.askNode),
        .local(.post, "/local/position", ControlAPI.sendPositionLocally),
    ]

    static let nodeRequestPages: [LocalPage] = [
        LocalPage("/local/traceroutes/{node}", "traceroute/1", AnswerPages.traceroute),
        LocalPage("/local/requests/{kind}/{packet}", "request/1", AnswerPages.request),
    ]

    /// `POST /local/requests/{kind}?source= {node, channel?}`: when it answers, the request is on disk.
    private func askNode(_ call: Call) throws(APIError) -> Response {
        guard let request = NodeRequest(rawValue: call.parameters[0]) else { throw .unknownRequest(call.parameters[0]) }
        guard let name = call.body?["node"]?.string else { throw .badRequest("\"node\" must name a node") }
        let channel = try channel(call.body?["channel"])
        let (source, number) = try read("nodes") { reader in
            let question = question(call, reader)
            let source = try question.source()
            return (source, try question.node(named: name, in: source, allowsStranger: true).number)
        }
        guard !number.isBroadcast else { throw .badRequest("Name one node; everybody cannot be asked") }
        let accepted: AcceptedRequest
        do {
            accepted = try gateway.request(request, of: number, channel: channel, in: source.id)
        } catch {
            throw APIError(error, number)
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.member("nodeId", number.id)
            json.member("packetId", accepted.packetID)
            json.member("channel", accepted.channel)
        }
        return .json(.bytes(json.bytes), status: 202)
    }

    /// `POST /local/position?source= {node?, channel?}`: to everybody without a node; when it answers, it is on disk.
    private func sendPositionLocally(_ call: Call) throws(APIError) -> Response {
        let channel = try channel(call.body?["channel"])
        let (source, number) = try read("nodes") { reader in
            let question = question(call, reader)
            let source = try question.source()
            let name = call.body?["node"]?.string
            return (
                source, try name.map { try question.node(named: $0, in: source, allowsStranger: true).number }
            )
        }
        let accepted: AcceptedRequest
        do {
            accepted = try gateway.sendPosition(to: number ?? .broadcast, channel: channel, in: source.id)
        } catch {
            throw APIError(error, number ?? .broadcast)
        }
        return answer("position-sent/1", call, source) { json in
            json.member("nodeId", number?.id)
            json.member("packetId", accepted.packetID)
            json.member("channel", accepted.channel)
        }
    }

    private func channel(_ value: JSONValue?) throws(APIError) -> Int? {
        guard let value else { return nil }
        guard let number = value.integer, (0...7).contains(number) else {
            throw .badRequest("A channel is a number from 0 to 7; mesh-gateway channels lists them")
        }
        return Int(number)
    }
}

extension APIError {
    static func unknownRequest(_ kind: String) -> APIError {
        .badRequest("A node is not asked for \"\(kind)\"; it can be asked for position, nodeinfo, telemetry, neighbors")
    }

    init(_ refusal: RequestRefusal, _ node: NodeNumber) {
        switch refusal {
        case .notConnected:
            self = .brief(503, "No radio is connected, so no node can be asked; mesh-gateway status says why")
        case .transmitDisabled:
            self = .conflict(
                "The radio's transmitter is switched off; mesh-gateway radio config set lora.tx_enabled=true switches it on"
            )
        case .notHeardDirectly:
            self = .conflict(
                "\(node.id) would not answer: only nodes that are heard directly report their neighbours; "
                    + "mesh-gateway nodes --filter direct lists them")
        case .tooSoon(let seconds):
            self = .brief(503, "\(node.id) answers once in three minutes; ask again in \(seconds) s")
        case .tooMany(let seconds):
            self = .brief(503, "Ten such requests wait for the radio already; ask again in \(seconds) s")
        case .noPosition:
            self = .conflict(
                "There is no position to send: the radio has told none, or the channel shares none; "
                    + "mesh-gateway channels shows which do")
        case .storage(let reason): self = .failed("The request could not be stored: \(reason)")
        }
    }
}
