import Foundation
import HTTPServer
import MeshModel
import Routes
import Testing

@testable import OpenAPI
@testable import RestAPI

/// Each operation is asked for what it documents, of a gateway with a radio and some rows, and the answers are held
/// against their schemas.
@Suite struct EveryAnswerFitsTheDocument {
    /// A request for each success that an operation documents. `{…}` in it stands for something of this gateway.
    private struct Sample {
        let target: String
        let body: String
        let status: Int

        init(_ target: String, _ body: String = "", _ status: Int = 200) {
            self.target = target
            self.body = body
            self.status = status
        }
    }

    private static let samples: [String: [Sample]] = [
        "GET /api/health": [Sample("/api/health")],
        "GET /api/status": [Sample("/api/status")],
        "GET /api/v1": [Sample("/api/v1"), Sample("/api/v1/")],
        "GET /api/v1/docs": [Sample("/api/v1/docs")],
        "GET /api/v1/docs/openapi.json": [Sample("/api/v1/docs/openapi.json")],
        "GET /api/v1/docs/openapi.yaml": [Sample("/api/v1/docs/openapi.yaml")],
        "GET /api/v1/sources": [Sample("/api/v1/sources")],
        "GET /api/v1/me": [Sample("/api/v1/me")],
        "POST /api/v1/tokens": [Sample("/api/v1/tokens", #"{"name":"my phone"}"#, 201)],
        "GET P/status": [Sample("P/status")],
        "GET P/events": [Sample("P/events"), Sample("P/events?kinds=message&node=!abcdef12")],
        "GET P/ping": [Sample("P/ping")],
        "GET P/channels": [Sample("P/channels")],
        "GET P/channels/{channelId}": [Sample("P/channels/0")],
        "GET P/radio/settings": [Sample("P/radio/settings"), Sample("P/radio/settings?section=lora")],
        "PATCH P/radio/settings": [
            Sample(
                "P/radio/settings",
                #"{"changes":[{"path":"lora.hop_limit","value":4},{"path":"network.wifi_psk","value":null}]}"#),
            Sample("P/radio/settings", #"{"channels":[{"index":3,"name":"Club","psk":"new"}],"preview":true}"#),
        ],
        "PUT P/channels/{channelId}": [Sample("P/channels/1", #"{"name":"Club"}"#)],
        "DELETE P/channels/{channelId}": [Sample("P/channels/7", "{}")],
        "POST P/channels/import": [
            Sample(
                "P/channels/import",
                #"{"url":"https://meshtastic.org/e/#CgcSAQE6AggNEgwIATgBQANIAVAbaAE","replace":true,"preview":true}"#)
        ],
        "PUT P/radio/position": [Sample("P/radio/position", #"{"latitude":46.2,"longitude":6.15,"altitude":400}"#)],
        "DELETE P/radio/position": [Sample("P/radio/position", "{}")],
        "POST P/radio/restart": [Sample("P/radio/restart", #"{"seconds":60}"#)],
        "GET P/nodes": [Sample("P/nodes"), Sample("P/nodes?active=true")],
        "GET P/nodes/{nodeId}": [Sample("P/nodes/!abcdef12"), Sample("P/nodes/{own}")],
        "GET P/messages": [
            Sample("P/messages"), Sample("P/messages?channel=-1"), Sample("P/messages?limit=1"),
            Sample("P/messages?around={peer}"), Sample("P/messages?conversation=channel:7"),
            Sample("/api/v1/messages?conversation=mqtt:club"),
        ],
        "POST P/messages": [
            Sample("/api/v1/messages", #"{"text":"to the club","conversation":"mqtt:club"}"#, 201),
            Sample("P/messages", #"{"text":"to all","channel":0}"#, 201),
            Sample("P/messages", #"{"text":"to one","toNodeId":"!abcdef12"}"#, 201),
            Sample("P/messages", #"{"text":"\#(String(repeating: "long ", count: 60))","channel":1}"#, 202),
            Sample("P/messages", #"{"text":"later","toNodeId":"!abcdef12","queue":"heard","expiresIn":60}"#, 201),
        ],
        "GET P/telemetry": [
            Sample("P/telemetry"), Sample("P/telemetry?nodeId=!abcdef12&type=voltage"),
            Sample("P/telemetry?limit=1&offset=99"),
        ],
        "GET P/telemetry/count": [Sample("P/telemetry/count")],
        "GET P/telemetry/{nodeId}": [Sample("P/telemetry/!abcdef12"), Sample("P/telemetry/!00000001")],
        "GET P/nodes/{nodeId}/position-history": [Sample("P/nodes/!abcdef12/position-history")],
        "GET /api/telemetry/{nodeId}": [Sample("/api/telemetry/!abcdef12?sourceId=default")],
        "GET /api/telemetry/{nodeId}/linkquality": [Sample("/api/telemetry/!abcdef12/linkquality?sourceId=default")],
        "GET /api/telemetry/available/nodes": [Sample("/api/telemetry/available/nodes")],
        "GET /api/v1/solar": [Sample("/api/v1/solar")],
        "GET /api/v1/solar/range": [Sample("/api/v1/solar/range?start=1&end=2")],
        "GET /api/v1/metrics": [Sample("/api/v1/metrics")],
        "GET P/traceroutes": [Sample("P/traceroutes")],
        "GET P/traceroutes/{fromNodeId}/{toNodeId}": [Sample("P/traceroutes/{own}/!abcdef12")],
        "GET /api/traceroutes/recent": [Sample("/api/traceroutes/recent")],
        "GET /api/traceroutes/history/{fromNum}/{toNum}": [Sample("/api/traceroutes/history/{ownNumber}/2882400018")],
        "GET /api/sources/{id}/traceroutes": [Sample("/api/sources/default/traceroutes")],
        "GET P/network": [Sample("P/network")],
        "GET P/network/topology": [Sample("P/network/topology")],
        "GET P/network/direct-neighbors": [Sample("P/network/direct-neighbors")],
        "GET /api/sources/{id}/neighbor-info": [Sample("/api/sources/default/neighbor-info")],
        "GET /api/neighbor-info": [Sample("/api/neighbor-info")],
        "GET /api/neighbor-info/{nodeNum}": [Sample("/api/neighbor-info/2882400018?sourceId=default")],
        "GET P/packets": [Sample("P/packets"), Sample("P/packets?encrypted=true&limit=1")],
        "GET P/packets/{id}": [Sample("P/packets/1")],
        "GET /api/connection": [Sample("/api/connection")],
        "GET /api/server-info": [Sample("/api/server-info")],
        "GET /api/version/check": [Sample("/api/version/check")],
        "GET /api/automations": [Sample("/api/automations")],
        "GET /api/analysis/solar-nodes": [Sample("/api/analysis/solar-nodes?lookback_days=30")],
        "GET /api/analysis/solar-forecast": [Sample("/api/analysis/solar-forecast")],
        "GET /api/sources": [Sample("/api/sources")],
        "GET /api/sources/{id}": [Sample("/api/sources/default"), Sample("/api/sources/{hill}")],
        "GET /api/sources/{id}/nodes": [Sample("/api/sources/default/nodes"), Sample("/api/sources/{hill}/nodes")],
        "GET /api/nodes": [Sample("/api/nodes"), Sample("/api/nodes?sourceId={hill}")],
        "GET /api/sources/{id}/status": [Sample("/api/sources/default/status")],
        "GET /api/sources/{id}/messages": [Sample("/api/sources/default/messages")],
        "GET /api/sources/{id}/channels": [Sample("/api/sources/default/channels")],
        "GET P/nodes/enrichment/analysis": [Sample("P/nodes/enrichment/analysis")],
        "POST P/nodes/enrichment/apply": [
            Sample(
                "P/nodes/enrichment/apply",
                #"{"items":[{"nodeNum":2882400018,"targetSourceId":"{hill}","donorSourceId":"default"}]}"#)
        ],
        "GET P/nodes/{nodeNum}/copy-candidates": [Sample("P/nodes/2882400018/copy-candidates")],
        "POST P/nodes/{nodeNum}/copy-nodeinfo": [
            Sample("P/nodes/2882400018/copy-nodeinfo", #"{"fromSourceId":"default","toSourceId":"{hill}"}"#)
        ],
        "POST P/actions/traceroute": [Sample("P/actions/traceroute", #"{"destination":"!abcdef12"}"#)],
        "POST P/actions/request-position": [Sample("P/actions/request-position", #"{"nodeNum":2882400018}"#)],
        "POST P/actions/request-nodeinfo": [
            Sample("P/actions/request-nodeinfo", #"{"nodeId":"!abcdef12","channel":1}"#)
        ],
        "POST P/actions/request-neighbors": [Sample("P/actions/request-neighbors", #"{"destination":"{own}"}"#)],
        "POST /api/traceroute": [Sample("/api/traceroute", #"{"destination":"!abcdef12"}"#)],
        "POST /api/position/request": [Sample("/api/position/request", #"{"destination":"0xabcdef12"}"#)],
        "POST /api/nodeinfo/request": [Sample("/api/nodeinfo/request", #"{"destination":2882400018}"#)],
        "POST /api/neighborinfo/request": [Sample("/api/neighborinfo/request", #"{"destination":"!abcdef12"}"#)],
        "POST /api/device/reboot": [Sample("/api/device/reboot", #"{"seconds":60}"#)],
        "POST /api/messages/send": [
            Sample("/api/messages/send", #"{"text":"to all"}"#),
            Sample("/api/messages/send", #"{"text":"👍","destination":"!abcdef12","replyId":7,"emoji":1}"#),
        ],
        "POST /api/messages/mark-read": [Sample("/api/messages/mark-read", #"{"messageIds":["7"]}"#)],
        "GET /api/messages/unread-counts": [Sample("/api/messages/unread-counts")],
        "DELETE P/messages": [Sample("P/messages?node=!00000300")],
        "DELETE /api/messages/{messageId}": [Sample("/api/messages/7")],
        "DELETE /api/messages/nodes/{nodeNum}": [Sample("/api/messages/nodes/2882400018?sourceId=default")],
        "POST /api/nodes/{nodeId}/favorite": [
            Sample("/api/nodes/!abcdef12/favorite", #"{"sourceId":"default","isFavorite":true}"#)
        ],
        "POST /api/nodes/{nodeId}/ignored": [
            Sample("/api/nodes/!abcdef12/ignored", #"{"sourceId":"default","isIgnored":false,"syncToDevice":false}"#)
        ],
        "GET /api/csrf-token": [Sample("/api/csrf-token")],
        "POST /api/auth/login": [Sample("/api/auth/login", #"{"username":"me","password":"{token}"}"#)],
        "GET P/shared-ports": [Sample("P/shared-ports")],
        "GET /api/v1/channel-database": [Sample("/api/v1/channel-database")],
        "POST /api/v1/channel-database": [
            Sample("/api/v1/channel-database", #"{"name":"Hikers","psk":"1PG7OiApB1nwvP+rz05pAQ=="}"#, 201)
        ],
        "PUT /api/v1/channel-database/reorder": [
            Sample("/api/v1/channel-database/reorder", #"{"channels":[{"id":1,"sortOrder":3}]}"#)
        ],
        "GET /api/v1/channel-database/retroactive-decrypt/progress": [
            Sample("/api/v1/channel-database/retroactive-decrypt/progress")
        ],
        "GET /api/v1/channel-database/{id}": [Sample("/api/v1/channel-database/1")],
        "PUT /api/v1/channel-database/{id}": [Sample("/api/v1/channel-database/1", #"{"description":"on foot"}"#)],
        "DELETE /api/v1/channel-database/{id}": [Sample("/api/v1/channel-database/1")],
        "POST /api/v1/channel-database/{id}/retroactive-decrypt": [
            Sample("/api/v1/channel-database/1/retroactive-decrypt")
        ],
        "GET /api/v1/channel-database/{id}/permissions": [Sample("/api/v1/channel-database/1/permissions")],
        "GET /api/unified/messages": [Sample("/api/unified/messages")],
        "GET P/problems": [Sample("P/problems")], "GET P/links": [Sample("P/links?worst=true")],
        "GET P/self": [Sample("P/self")], "GET P/packets/{id}/explain": [Sample("P/packets/1/explain")],
        "PATCH P/nodes/{nodeId}": [Sample("P/nodes/!abcdef12", #"{"nickname":"Bob","notes":null}"#)],
        "GET P/nodes/{nodeId}/key": [Sample("P/nodes/!abcdef12/key"), Sample("P/nodes/!00000300/key")],
        "GET P/nodes/{nodeId}/details": [Sample("P/nodes/!abcdef12/details"), Sample("P/nodes/{own}/details")],
        "POST P/nodes/{nodeId}/key": [
            Sample(
                "P/nodes/!00000300/key", #"{"decision":"accept","key":"AgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICE="}"#)
        ],
        "GET P/nodes/{nodeId}/contact.svg": [Sample("P/nodes/{own}/contact.svg")],
        "GET P/channels.svg": [Sample("P/channels.svg")],
        "POST P/waypoints": [
            Sample("P/waypoints", #"{"name":"Camp","latitude":46.2,"longitude":6.1,"icon":"🏕"}"#, 201)
        ],
        "PUT P/waypoints/{id}": [Sample("P/waypoints/{waypoint}", #"{"expireAt":2000000000,"locked":true}"#)],
        "GET P/waypoints": [Sample("P/waypoints")], "GET P/waypoints/{id}": [Sample("P/waypoints/{waypoint}")],
        "DELETE P/waypoints/{id}": [Sample("P/waypoints/{waypoint}")],
        "POST P/actions/request-telemetry": [
            Sample("P/actions/request-telemetry", #"{"destination":"!abcdef12","kind":"power"}"#)
        ],
        "POST P/actions/send-position": [Sample("P/actions/send-position", "{}")],
        "POST P/actions/alert": [Sample("P/actions/alert", #"{"text":"Fire","channel":0}"#, 201)],
        "GET P/messages/search": [
            Sample("P/messages/search?q=hello"), Sample("/api/v1/messages/search?q=hello&conversation=mqtt:club"),
        ],
        "POST P/messages/{messageId}/cancel": [Sample("P/messages/{sent}/cancel")],
        "POST P/messages/{messageId}/resend": [Sample("P/messages/{sent}/resend", #"{"queue":true,"expiresIn":60}"#)],
        "GET P/messages/{messageId}": [
            Sample("P/messages/7"), Sample("P/messages/{sent}"), Sample("/api/v1/messages/{club}"),
        ],
        "GET P/messages/{messageId}/details": [
            Sample("P/messages/7/details"), Sample("P/messages/{sent}/details"),
            Sample("/api/v1/messages/{club}/details"),
        ],
        "GET P/conversations": [
            Sample("P/conversations"), Sample("P/conversations?limit=1"), Sample("/api/v1/conversations"),
        ],
        "GET P/conversations/{conversationId}": [
            Sample("P/conversations/channel:0"), Sample("P/conversations/direct:!abcdef12"),
            Sample("/api/v1/conversations/mqtt:club"),
        ],
        "POST P/conversations/{conversationId}/read": [
            Sample("P/conversations/channel:0/read", #"{"messageId":"{peer}"}"#)
        ],
        "GET /api/v1/notifications": [
            Sample("/api/v1/notifications"), Sample("/api/v1/notifications?after=2026-08-22T09:21:35.120Z&limit=1"),
        ],
        "POST /api/v1/notifications/ack": [
            Sample("/api/v1/notifications/ack", #"{"ids":["11111111-2222-4333-8444-555555555555"]}"#)
        ],
        "GET /api/v1/devices": [Sample("/api/v1/devices?source=default")],
        "GET /api/v1/rules": [Sample("/api/v1/rules")],
        "GET /api/v1/rules/{ruleName}/log": [Sample("/api/v1/rules/silent/log?limit=5")],
        "GET /api/v1/rules/{ruleName}/test": [Sample("/api/v1/rules/silent/test?limit=5")],
        "GET P/nodes/{nodeId}/rules": [Sample("P/nodes/!abcdef12/rules")],
        "GET P/messages/{messageId}/rules": [Sample("P/messages/7/rules"), Sample("P/messages/{sent}/rules")],
        "GET /api/v1/mqtt": [Sample("/api/v1/mqtt")],
        "POST /api/v1/mqtt/{brokerName}/test": [Sample("/api/v1/mqtt/house/test", "{}")],
        "POST /api/v1/mqtt/{brokerName}/refresh": [Sample("/api/v1/mqtt/house/refresh", "{}")],
        "GET /api/v1/mqtt/conversations": [Sample("/api/v1/mqtt/conversations")],
        "POST /api/v1/mqtt/conversations": [
            Sample("/api/v1/mqtt/conversations", #"{"name":"news","broker":"house","filters":["news/#"]}"#, 201)
        ],
        "GET /api/v1/mqtt/conversations/{conversationName}": [Sample("/api/v1/mqtt/conversations/club")],
        "PATCH /api/v1/mqtt/conversations/{conversationName}": [
            Sample("/api/v1/mqtt/conversations/club", #"{"title":"The club","topic":"club/talk"}"#),
            Sample("/api/v1/mqtt/conversations/club", #"{"json":true,"bridge":{"channel":0}}"#),
        ],
        "DELETE /api/v1/mqtt/conversations/{conversationName}": [Sample("/api/v1/mqtt/conversations/news")],
        "POST /api/v1/mqtt/conversations/{conversationName}/key": [
            Sample("/api/v1/mqtt/conversations/club/key", "{}", 201)
        ],
        "DELETE /api/v1/mqtt/conversations/{conversationName}/key": [Sample("/api/v1/mqtt/conversations/club/key")],
        "GET /api/v1/targets": [Sample("/api/v1/targets")],
        "POST /api/v1/targets/{targetName}/test": [Sample("/api/v1/targets/phone/test", "{}")],
        "GET /api/v1/push/key": [Sample("/api/v1/push/key")],
        "POST /api/v1/push/register": [
            Sample("/api/v1/push/register", MadeUpPushes.body(more: #","rules":["direct-message"]"#)),
            Sample("/api/v1/push/register", MadeUpPushes.apple(String(repeating: "ab", count: 32))),
        ],
        "GET /api/v1/push/registrations": [Sample("/api/v1/push/registrations")],
        "POST /api/v1/push/registrations/{registrationId}/test": [Sample("/api/v1/push/registrations/1/test", "{}")],
        "DELETE /api/v1/push/registrations/{registrationId}": [Sample("/api/v1/push/registrations/2")],
        "GET /api/v1/devices/{deviceId}/sessions": [Sample("/api/v1/devices/default/sessions")],
        "GET /api/v1/sessions": [Sample("/api/v1/sessions"), Sample("/api/v1/sessions?exclude_ended=true&limit=1")],
        "GET /api/v1/sessions/{sessionId}/events": [Sample("/api/v1/sessions/{session}/events")],
        "POST P/conversations/{conversationId}/unread": [Sample("P/conversations/channel:0/unread", "{}")],
        "POST P/conversations/{conversationId}/mute": [
            Sample("P/conversations/channel:0/mute", #"{"muted":true,"mutedUntil":4102444800000}"#),
            Sample("P/conversations/direct:!abcdef12/mute", #"{"muted":true}"#),
        ],
    ]

    /// What this server never has, and what is only asked with.
    private static let neverSeen = ["EnrichmentItem", "SharedPort", "SolarEstimate"]

    @Test func eachOfThem() throws {
        let filled = try FilledGateway()
        let test = filled.test
        let check = try SchemaCheck.served()
        let own = filled.live.radio.number
        let link = try test.store.read { try $0.happenings(before: .max, limit: 9) }.last { $0.kind == .link }
        let session = "\(test.uuid).\(try #require(link).id)"
        var (sent, waypoint) = ("", "")
        let source = try test.make("club", filters: ["club/talk"])
        try test.hear("hello", in: source)
        let club = try test.get("/api/v1/messages?conversation=mqtt:club").rows[0]["id"] as? String ?? ""
        try test.update(NodeNumber(0x300)) { node in
            node.publicKey = PublicKey([UInt8](1...32))
            (node.announcedKey, node.keyMismatch) = (PublicKey([UInt8](2...33)), true)
        }
        // What makes rows comes first; but what could be learned is shown only before it is.
        let operations = Operations.all.sorted { Self.place(of: $0) < Self.place(of: $1) }
        for operation in operations {
            let key = operation.key.replacing(Endpoint.sourcePrefix + "/", with: "P/")
            var statuses: Set<Int> = []
            var hasTag = false
            let peer = "\(test.uuid)_\(FilledGateway.peer.rawValue)_7"
            for sample in Self.samples[key] ?? [] {
                let target = sample.target.replacing("P/", with: "/api/v1/sources/\(test.uuid)/")
                    .replacing("{peer}", with: peer)
                    .replacing("{own}", with: own.id).replacing("{ownNumber}", with: String(own.rawValue))
                    .replacing("{sent}", with: sent).replacing("{waypoint}", with: waypoint)
                    .replacing("{club}", with: club)
                    .replacing("{hill}", with: FilledGateway.hill).replacing("{session}", with: session)
                let method = String(operation.key.prefix { $0 != " " })
                let token = try test.token(["admin"])
                let answer = try test.ask(
                    method, target, as: token,
                    sample.body.replacing("{hill}", with: FilledGateway.hill).replacing("{own}", with: own.id)
                        .replacing("{peer}", with: peer).replacing("{token}", with: token.text))
                #expect(answer.status == sample.status, "\(method) \(target): \(answer.text)")
                statuses.insert(answer.status)
                hasTag = hasTag || answer.header("ETag") != nil
                if target.hasSuffix("/waypoints"), method == "POST" {
                    waypoint = try #require(try answer.data["waypointId"] as? UInt32).description
                }
                sent = (try? JSONTree(answer.body))?["data"]?["messageId"]?.text ?? sent
                Self.compare(answer, to: operation, check)
            }
            #expect(hasTag == operation.answers.contains(where: \.isTagged), "\(key): an ETag")
            let documented = Set(operation.answers.map(\.status))
            #expect(statuses == documented, "\(key): the samples show \(statuses) of \(documented)")
        }
        let unseen = Set(Schemas.all.map(\.name)).subtracting(check.seen).sorted()
        #expect(unseen == Self.neverSeen, "no sample shows these")
    }

    private static func place(of operation: OpenAPIOperation) -> Int {
        if operation.key.hasSuffix("enrichment/analysis") { return 0 }
        // Once it is decided, `problems` has nothing to show.
        if operation.key.hasPrefix("POST"), operation.key.hasSuffix("/{nodeId}/key") { return 3 }
        return operation.key.hasPrefix("DELETE") ? 3 : operation.key.hasPrefix("GET") ? 2 : 1
    }

    private static func compare(_ answer: Answer, to operation: OpenAPIOperation, _ check: SchemaCheck) {
        let parts = operation.key.split(separator: " ")
        let described = check.document["paths"]?[String(parts[1])]?[parts[0].lowercased()]?["responses"]
        guard let response = described?[String(answer.status)] else {
            Issue.record("\(operation.key) does not document \(answer.status)")
            return
        }
        #expect(answer.header("ETag") == nil || response["headers"]?["ETag"] != nil, "\(operation.key)")
        for (type, content) in response["content"]?.members ?? [:] {
            #expect(answer.header("Content-Type")?.hasPrefix(type) == true, "\(operation.key)")
            guard type == "application/json", let schema = content["schema"] else { continue }
            guard let tree = try? JSONTree(answer.body) else {
                Issue.record("\(operation.key): no JSON: \(answer.text.prefix(200))")
                continue
            }
            let mistakes = check.mistakes(tree, schema, at: operation.key)
            #expect(mistakes.isEmpty, "\(mistakes.prefix(5).joined(separator: "\n"))")
        }
    }

    @Test(arguments: [
        ("GET", "P/nodes/!00000001", "", 404), ("GET", "P/channels/9", "", 400), ("GET", "P/messages/search", "", 400),
        ("POST", "P/messages", "{", 400), ("POST", "P/messages", "{}", 400), ("GET", "P/messages/none", "", 404),
    ])
    func refusalsToo(_ method: String, _ path: String, _ body: String, _ status: Int) throws {
        let test = try TestGateway()
        let check = try SchemaCheck.served()
        let target = path.replacing("P/", with: "/api/v1/")
        for token in [nil, test.token] {
            let headers =
                (token.map { [(name: "Authorization", value: "Bearer " + $0.text)] } ?? [])
                + [(name: "Content-Type", value: "application/json")]
            let answer = try test.ask(method, target, headers: headers, body: Array(body.utf8))
            let expected = token == nil && body != "{" ? 401 : status
            #expect(answer.status == expected)
            let segments = target.split(separator: "?")[0].split(separator: "/").map(String.init)
            let method = try #require(Endpoint.Method(rawValue: method))
            let endpoint = try #require(Endpoints.router.match(segments)?.target[method])
            let described = check.document["paths"]?[endpoint.path]?[method.rawValue.lowercased()]?["responses"]
            let response = try #require(described?[String(answer.status)])
            let named = try #require(response["$ref"]?.text.flatMap { check.resolve($0) })
            let schema = try #require(named["content"]?["application/json"]?["schema"])
            #expect(check.mistakes(try JSONTree(answer.body), schema) == [])
        }
    }
}
