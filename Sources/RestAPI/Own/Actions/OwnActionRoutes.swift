import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Actions that MeshMonitor does not have, beside those that it has and like them.

extension RestAPI {
    static let ownActionEndpoints: [Endpoint] = [
        .perSource(.post, "actions/request-telemetry", .messages, .write, RestAPI.requestTelemetry),
        .perSource(.post, "actions/send-position", .messages, .write, RestAPI.sendPosition),
        // As `POST messages`, whose rules it shares.
        .perSource(.post, "actions/alert", .messages, .read, RestAPI.alert),
    ]

    /// By the words of the request.
    package static let telemetryKinds: [(word: String, request: NodeRequest)] = [
        ("device", .telemetry), ("environment", .environment), ("airQuality", .airQuality), ("power", .power),
        ("localStats", .localStats),
    ]

    /// Unlike MeshMonitor's actions, ours do not take it for a failure of the server.
    private static let away = APIError.brief(503, "Not connected to Meshtastic node")

    /// `POST P/actions/request-telemetry {destination, kind?, channel?}`.
    func requestTelemetry(_ call: Call) throws(APIError) -> Response {
        let word: String?
        switch call.body?["kind"] {
        case nil: word = "device"
        case .string(let text): word = text
        default: word = nil
        }
        guard let kind = Self.telemetryKinds.first(where: { $0.word == word }) else {
            throw .brief(400, "kind is one of \(Self.telemetryKinds.map(\.word).joined(separator: ", "))")
        }
        return try act(kind.request, call, notConnected: Self.away)
    }

    /// `POST P/actions/send-position {destination?, channel?}`: without a destination to everybody on the channel.
    func sendPosition(_ call: Call) throws(APIError) -> Response {
        let body = call.body
        let isNamed = ["destination", "nodeId", "nodeNum"].contains { body?[$0] != nil }
        guard let node = isNamed ? body?.destination : .broadcast else {
            throw .brief(400, "The destination is no node (destination, nodeId, or nodeNum)")
        }
        let accepted: AcceptedRequest
        do throws(RequestRefusal) {
            accepted = try gateway.sendPosition(to: node, channel: body?.requestChannel, in: call.source.id)
        } catch .storage {
            throw .brief(500, "Failed to send the position")
        } catch {
            throw NodeRequest.position.error(for: error, notConnected: Self.away)
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("destination", node.id)
                json.member("channel", accepted.channel)
                json.member("message", "Position sent")
            }
        }
        return .json(.bytes(json.bytes))
    }

    /// `POST P/actions/alert {text, channel | toNodeId}`: a text that rings at its receivers, as one message.
    func alert(_ call: Call) throws(APIError) -> Response { try send(call, as: .alert) }
}
