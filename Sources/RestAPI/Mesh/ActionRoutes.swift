import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Asking nodes for something: `P/actions/…` (Contract 3.12), and the same below `/api`, for MeshMonitor's own pages
// and Emacs. Both go the same way; only their words differ.

extension RestAPI {
    static let actionEndpoints: [Endpoint] = [
        .perSource(.post, "actions/traceroute", .traceroute, .write, action(.traceroute)),
        .perSource(.post, "actions/request-position", .messages, .write, action(.position)),
        .perSource(.post, "actions/request-nodeinfo", .messages, .write, action(.nodeInfo)),
        .perSource(.post, "actions/request-neighbors", .traceroute, .write, action(.neighbors)),
        .cookie(.post, "/api/traceroute", Permission(.traceroute, .write), meshRequest(.traceroute)),
        .cookie(.post, "/api/position/request", Permission(.messages, .write), meshRequest(.position)),
        .session(.post, "/api/nodeinfo/request", Permission(.messages, .write), meshRequest(.nodeInfo)),
        .session(.post, "/api/neighborinfo/request", Permission(.traceroute, .write), meshRequest(.neighbors)),
    ]

    private static func action(_ request: NodeRequest) -> Endpoint.Handler {
        { api in
            { (call: Call) throws(APIError) -> Response in try api.act(request, call) }
        }
    }

    private static func meshRequest(_ request: NodeRequest) -> Endpoint.Handler {
        { api in
            { (call: Call) throws(APIError) -> Response in try api.requestFromMesh(request, call) }
        }
    }

    /// - Parameter notConnected: nil: as the contract has it, a failure.
    func act(
        _ request: NodeRequest, _ call: Call, notConnected: APIError? = nil
    ) throws(APIError) -> Response {
        guard let node = call.body?.destination else {
            throw .brief(400, "Destination node is required (destination, nodeId, or nodeNum)")
        }
        let accepted: AcceptedRequest
        do {
            accepted = try gateway.request(request, of: node, channel: call.body?.requestChannel, in: call.source.id)
        } catch {
            throw request.error(for: error, notConnected: notConnected ?? .brief(500, request.failure))
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("destination", node.id)
                json.member("channel", accepted.channel)
                json.member("message", request.success)
            }
        }
        return .json(.bytes(json.bytes))
    }

    /// Here, unlike in v1, a radio that is away has a status of its own.
    private func requestFromMesh(_ request: NodeRequest, _ call: Call) throws(APIError) -> Response {
        guard let node = call.body?.destination else {
            throw .coded(400, "Destination node number is required", code: "MISSING_DESTINATION")
        }
        let source = try source(call.request.sourceAsked(call.body))
        let accepted: AcceptedRequest
        do {
            accepted = try gateway.request(request, of: node, channel: call.body?.requestChannel, in: source.id)
        } catch {
            let away = APIError.coded(503, "Not connected to Meshtastic node", code: "NOT_CONNECTED")
            if case .notHeardDirectly = error { throw .notEligible(NodeRequest.notHeardDirectly) }
            throw request.error(for: error, notConnected: away)
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.member("message", "\(request.title) sent to \(node.id.dropFirst()) on channel \(accepted.channel)")
        }
        return .json(.bytes(json.bytes))
    }
}

extension NodeRequest {
    var title: String {
        switch self {
        case .traceroute: "Traceroute request"
        case .position: "Position request"
        case .nodeInfo: "NodeInfo request"
        case .neighbors: "Neighbor info request"
        case .telemetry, .environment, .airQuality, .power, .localStats: "Telemetry request"
        }
    }

    fileprivate var success: String { self == .nodeInfo ? "\(title) sent (key exchange initiated)" : "\(title) sent" }

    var failure: String {
        switch self {
        case .traceroute: "Failed to send traceroute"
        case .position: "Failed to request position"
        case .nodeInfo: "Failed to request node info"
        case .neighbors: "Failed to request neighbor info"
        case .telemetry, .environment, .airQuality, .power, .localStats: "Failed to request telemetry"
        }
    }

    fileprivate static let notHeardDirectly =
        "Neighbor info requests are only allowed for the local node or directly-heard (0-hop) nodes"

    func error(for refusal: RequestRefusal, notConnected: APIError) -> APIError {
        switch refusal {
        case .notConnected: notConnected
        case .transmitDisabled: .transmitDisabled
        case .notHeardDirectly: .brief(403, Self.notHeardDirectly)
        case .tooSoon(let seconds):
            .brief(
                429, "Rate limited: firmware limits neighbor info responses to once per 3 minutes",
                retryAfter: seconds)
        case .tooMany(let seconds):
            .brief(429, "Rate limited: too many requests of this kind wait for the radio", retryAfter: seconds)
        case .noPosition:
            .codedFailure(409, "The radio has no position that this channel shares", code: "NO_POSITION")
        case .storage: .brief(500, failure)
        }
    }
}

extension JSONValue {
    /// `destination`, or `nodeId`, or `nodeNum`: the first that is there counts.
    var destination: NodeNumber? {
        (self["destination"] ?? self["nodeId"] ?? self["nodeNum"]).flatMap { NodeNumber($0) }
    }

    /// Nil: the usual one, also in the place of what is no channel: clients hand on a direct message's -1.
    var requestChannel: Int? {
        self["channel"]?.integer.flatMap { (0...7).contains($0) ? Int($0) : nil }
    }
}

extension NodeNumber {
    /// A number, `"!hex"`, `"0xhex"` or decimal text, from 1 (Contract 3.12).
    init?(_ value: JSONValue) {
        let number: UInt32?
        switch value {
        case .number: number = value.integer.flatMap { UInt32(exactly: $0) }
        case .string(let text):
            if text.hasPrefix("!") {
                number = NodeNumber(id: text)?.rawValue
            } else if text.hasPrefix("0x") || text.hasPrefix("0X") {
                number = NodeNumber(id: "!" + text.dropFirst(2))?.rawValue
            } else {
                number = text.utf8.allSatisfy({ (48...57).contains($0) }) ? UInt32(text) : nil
            }
        default: number = nil
        }
        guard let number, number > 0 else { return nil }
        self.init(number)
    }
}
