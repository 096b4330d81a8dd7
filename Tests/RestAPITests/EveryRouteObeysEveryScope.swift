import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

// Two tables are held against each other: the endpoints as the server has them, and here, written down from
// Contract 2.3, what each of them needs.

@Suite struct EveryRouteObeysEveryScope {
    /// Method and path of an endpoint, as a client asks for it, and the scope without which it is refused.
    struct Row: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let needs: String?
        var testDescription: String { "\(method) \(path)" }

        init(_ line: String, needs: String?) {
            let parts = line.split(separator: " ")
            method = String(parts[0])
            path = String(parts[1])
            self.needs = needs
        }
    }

    static let needs: [(scope: String?, endpoints: [String])] = [
        (
            nil,
            [
                "GET /api/v1", "GET /api/v1/sources", "GET /api/v1/me", "GET /api/v1/solar", "GET /api/v1/solar/range",
                "GET /api/v1/metrics", "POST /api/messages/send", "GET /api/sources", "GET /api/sources/{id}",
                "GET /api/v1/sources/{sourceId}/events", "GET /api/automations", "GET /api/analysis/solar-nodes",
                "GET /api/analysis/solar-forecast",
                // 404 instead, whatever there is.
                "GET /api/v1/channel-database/{id}",
            ]
        ),
        (
            "info:read",
            [
                "GET /api/v1/sources/{sourceId}/status", "GET /api/sources/{id}/status", "GET /api/neighbor-info",
                "GET /api/v1/sources/{sourceId}/problems", "GET /api/v1/sources/{sourceId}/links",
                "GET /api/v1/sources/{sourceId}/self",
                "GET /api/v1/sources/{sourceId}/ping",
                "GET /api/neighbor-info/{nodeNum}",
                "GET /api/v1/devices", "GET /api/v1/devices/{deviceId}/sessions", "GET /api/v1/sessions",
                "GET /api/v1/sessions/{sessionId}/events",
            ]
        ),
        (
            "nodes:read",
            [
                "GET /api/v1/sources/{sourceId}/nodes", "GET /api/v1/sources/{sourceId}/nodes/{nodeId}",
                "GET /api/v1/sources/{sourceId}/nodes/{nodeId}/position-history",
                "GET /api/v1/sources/{sourceId}/telemetry", "GET /api/v1/sources/{sourceId}/telemetry/count",
                "GET /api/v1/sources/{sourceId}/telemetry/{nodeId}", "GET /api/telemetry/{nodeId}",
                "GET /api/telemetry/{nodeId}/linkquality", "GET /api/telemetry/available/nodes",
                "GET /api/v1/sources/{sourceId}/nodes/enrichment/analysis",
                "POST /api/v1/sources/{sourceId}/nodes/enrichment/apply",
                "GET /api/v1/sources/{sourceId}/nodes/{nodeNum}/copy-candidates",
                "POST /api/v1/sources/{sourceId}/nodes/{nodeNum}/copy-nodeinfo",
                "GET /api/v1/sources/{sourceId}/network", "GET /api/v1/sources/{sourceId}/network/topology",
                "GET /api/v1/sources/{sourceId}/network/direct-neighbors", "GET /api/sources/{id}/neighbor-info",
                "GET /api/sources/{id}/nodes", "GET /api/nodes",
                "GET /api/v1/sources/{sourceId}/nodes/{nodeId}/key", "GET /api/v1/sources/{sourceId}/waypoints",
                "GET /api/v1/sources/{sourceId}/nodes/{nodeId}/contact.svg",
                "GET /api/v1/sources/{sourceId}/nodes/{nodeId}/details",
                "GET /api/v1/sources/{sourceId}/waypoints/{id}",
            ]
        ),
        (
            "traceroute:read",
            [
                "GET /api/v1/sources/{sourceId}/traceroutes",
                "GET /api/v1/sources/{sourceId}/traceroutes/{fromNodeId}/{toNodeId}",
                "GET /api/sources/{id}/traceroutes", "GET /api/traceroutes/recent",
                "GET /api/traceroutes/history/{fromNum}/{toNum}",
            ]
        ),
        (
            "packetmonitor:read",
            [
                "GET /api/v1/sources/{sourceId}/packets", "GET /api/v1/sources/{sourceId}/packets/{id}",
                "GET /api/v1/sources/{sourceId}/packets/{id}/explain",
            ]
        ),
        (
            "messages:read",
            [
                "GET /api/v1/sources/{sourceId}/channels", "GET /api/v1/sources/{sourceId}/channels/{channelId}",
                "GET /api/v1/sources/{sourceId}/messages", "POST /api/v1/sources/{sourceId}/messages",
                "GET /api/v1/sources/{sourceId}/messages/search",
                "GET /api/v1/sources/{sourceId}/messages/{messageId}",
                "POST /api/v1/sources/{sourceId}/messages/{messageId}/resend",
                "POST /api/v1/sources/{sourceId}/messages/{messageId}/cancel", "POST /api/messages/mark-read",
                "GET /api/messages/unread-counts",
                "POST /api/v1/sources/{sourceId}/actions/alert",
                "GET /api/v1/sources/{sourceId}/conversations",
                "GET /api/v1/sources/{sourceId}/conversations/{conversationId}",
                "POST /api/v1/sources/{sourceId}/conversations/{conversationId}/read",
                "POST /api/v1/sources/{sourceId}/conversations/{conversationId}/unread",
                "POST /api/v1/sources/{sourceId}/conversations/{conversationId}/mute",
                "GET /api/v1/sources/{sourceId}/messages/{messageId}/details",
                "GET /api/sources/{id}/messages", "GET /api/sources/{id}/channels", "GET /api/unified/messages",
            ]
        ),
        (
            "channel_database:read",
            [
                "GET /api/v1/channel-database",
                "GET /api/v1/channel-database/retroactive-decrypt/progress",
                "GET /api/v1/channel-database/{id}/permissions",
            ]
        ),
        (
            "channel_database:write",
            [
                "POST /api/v1/channel-database", "PUT /api/v1/channel-database/reorder",
                "PUT /api/v1/channel-database/{id}", "DELETE /api/v1/channel-database/{id}",
                "POST /api/v1/channel-database/{id}/retroactive-decrypt",
                "PUT /api/v1/channel-database/{id}/permissions/{userId}",
                "DELETE /api/v1/channel-database/{id}/permissions/{userId}",
            ]
        ),
        (
            "messages:write",
            [
                "POST /api/v1/sources/{sourceId}/actions/request-position",
                "POST /api/v1/sources/{sourceId}/actions/request-nodeinfo", "POST /api/position/request",
                "POST /api/nodeinfo/request", "DELETE /api/messages/{messageId}",
                "DELETE /api/v1/sources/{sourceId}/messages",
                "POST /api/v1/sources/{sourceId}/actions/request-telemetry",
                "POST /api/v1/sources/{sourceId}/actions/send-position",
                "POST /api/v1/sources/{sourceId}/waypoints", "PUT /api/v1/sources/{sourceId}/waypoints/{id}",
                "DELETE /api/v1/sources/{sourceId}/waypoints/{id}",
            ]
        ),
        (
            "traceroute:write",
            [
                "POST /api/v1/sources/{sourceId}/actions/traceroute",
                "POST /api/v1/sources/{sourceId}/actions/request-neighbors", "POST /api/traceroute",
                "POST /api/neighborinfo/request",
            ]
        ),
        (
            "configuration:read",
            [
                "GET /api/v1/sources/{sourceId}/shared-ports", "GET /api/v1/sources/{sourceId}/radio/settings",
                "GET /api/v1/rules", "GET /api/v1/rules/{ruleName}/log",
                "GET /api/v1/rules/{ruleName}/test", "GET /api/v1/sources/{sourceId}/nodes/{nodeId}/rules",
                "GET /api/v1/sources/{sourceId}/messages/{messageId}/rules", "GET /api/v1/targets",
            ]
        ),
        (
            "notifications:read",
            [
                "GET /api/v1/notifications", "POST /api/v1/notifications/ack", "GET /api/v1/push/key",
                "POST /api/v1/push/register", "GET /api/v1/push/registrations",
                "DELETE /api/v1/push/registrations/{registrationId}",
                "POST /api/v1/push/registrations/{registrationId}/test",
            ]
        ),
        (
            "mqtt:read",
            [
                "GET /api/v1/mqtt", "GET /api/v1/mqtt/conversations",
                "GET /api/v1/mqtt/conversations/{conversationName}",
            ]
        ),
        (
            "mqtt:write",
            [
                "POST /api/v1/mqtt/{brokerName}/test", "POST /api/v1/mqtt/{brokerName}/refresh",
                "POST /api/v1/mqtt/conversations", "PATCH /api/v1/mqtt/conversations/{conversationName}",
                "DELETE /api/v1/mqtt/conversations/{conversationName}",
                "POST /api/v1/mqtt/conversations/{conversationName}/key",
                "DELETE /api/v1/mqtt/conversations/{conversationName}/key",
            ]
        ),
        (
            "configuration:write",
            [
                "POST /api/device/reboot", "GET /api/v1/sources/{sourceId}/channels.svg",
                "POST /api/v1/targets/{targetName}/test", "PATCH /api/v1/sources/{sourceId}/radio/settings",
                "PUT /api/v1/sources/{sourceId}/channels/{channelId}",
                "DELETE /api/v1/sources/{sourceId}/channels/{channelId}",
                "POST /api/v1/sources/{sourceId}/channels/import", "POST /api/v1/sources/{sourceId}/radio/restart",
                "PUT /api/v1/sources/{sourceId}/radio/position", "DELETE /api/v1/sources/{sourceId}/radio/position",
            ]
        ),
        (
            "nodes:write",
            [
                "POST /api/nodes/{nodeId}/favorite", "POST /api/nodes/{nodeId}/ignored",
                "DELETE /api/messages/nodes/{nodeNum}", "PATCH /api/v1/sources/{sourceId}/nodes/{nodeId}",
            ]
        ),
        ("admin", ["POST /api/v1/sources/{sourceId}/nodes/{nodeId}/key", "POST /api/v1/tokens"]),
    ]

    static let rows = needs.flatMap { scope, endpoints in endpoints.map { Row($0, needs: scope) } }

    @Test func noEndpointIsMissingInTheTable() {
        let served = Endpoints.all.filter {
            switch $0.access {
            case .token, .everything, .session, .cookie: true
            case .open, .local: false
            }
        }
        .map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(served) == Set(Self.rows.map(\.testDescription)))
    }

    /// Without a token, with each single scope, with everything, and with everything but what is needed.
    @Test(arguments: rows)
    func alone(_ row: Row) throws {
        let test = try TestGateway()
        let isV1 = row.path.hasPrefix("/api/v1")
        for target in Self.targets(row.path, test.uuid) {
            let stranger = try test.ask(row.method, target)
            #expect(stranger.status == 401, "\(target)")
            #expect(stranger.header("WWW-Authenticate") == "Bearer")
            #expect(try stranger.json["code"] as? String == (isV1 ? nil : "UNAUTHORIZED"))
        }
        for scope in Permission.all.map(\.description) + ["admin"] {
            let token = try test.token([scope])
            let mayPass =
                row.needs == nil || scope == row.needs || scope == "admin"
                // Writing the channel database includes reading it.
                || row.needs == "channel_database:read" && scope == "channel_database:write"
            for target in Self.targets(row.path, test.uuid) {
                let answer = try test.ask(row.method, target, as: token, "{}")
                let isRefused = try answer.status == 403 && Self.required(answer) == row.needs
                #expect(isRefused == !mayPass, "\(row.method) \(target) with \(scope): \(answer.status) \(answer.text)")
                #expect(
                    answer.status != 401 && answer.status < 500 || answer.status == 503, "\(target): \(answer.text)")
            }
        }
    }

    /// The paths under which an endpoint answers, with something in the place of each parameter.
    private static func targets(_ path: String, _ uuid: String) -> [String] {
        let tail = path.hasPrefix(Endpoint.sourcePrefix) ? path.dropFirst(Endpoint.sourcePrefix.count) : nil
        let paths = tail.map { ["/api/v1\($0)", "/api/v1/sources/default\($0)", "/api/v1/sources/\(uuid)\($0)"] }
        return (paths ?? [path]).map { path in
            path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : String($0) }.reduce("") { $0 + "/" + $1 }
        }
    }

    private static func required(_ answer: Answer) throws -> String? {
        guard let required = try answer.json["required"] as? [String: String], let resource = required["resource"]
        else {
            return nil
        }
        return required["action"].map { "\(resource):\($0)" } ?? resource
    }
}
