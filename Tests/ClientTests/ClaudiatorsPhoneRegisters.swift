import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// The iOS app of the claudiator family: it tries its key, lists machines and sessions, hands over its device token whenever Apple
/// gives it one, and polls. It decodes into fixed types, with names in snake case, and takes any status beside 200 to 299 for an
/// error.
@Suite struct ClaudiatorsPhoneRegisters {
    private struct Ping: Decodable {
        let status: String
        let serverVersion: String
        let dataVersion: UInt64
        let notificationVersion: UInt64
    }

    private struct Devices: Decodable {
        struct Device: Decodable {
            let deviceId: String
            let deviceName: String
            let platform: String
            let firstSeen: String
            let lastSeen: String
            let activeSessions: Int
        }
        let devices: [Device]
    }

    private struct Sessions: Decodable {
        struct Session: Decodable {
            let sessionId: String
            let deviceId: String
            let startedAt: String
            let lastEvent: String
            let status: String
            let cwd: String?
            let title: String?
            let deviceName: String?
            let platform: String?
        }
        let sessions: [Session]
        let hasMore: Bool
        let nextOffset: Int
    }

    private struct Notifications: Decodable {
        struct Row: Decodable {
            let id: UUID
            let eventId: Int64
            let sessionId: String
            let deviceId: String
            let title: String
            let body: String
            let notificationType: String
            let payloadJson: String?
            let createdAt: String
            let acknowledged: Bool
        }
        let notifications: [Row]
    }

    private struct Done: Decodable { let status: String }

    private struct Registered: Decodable {
        let status: String
        let id: Int
        let state: String
    }

    private struct Refused: Decodable {
        let error: String
        let message: String
    }

    private func decode<Value: Decodable>(_ answer: Answer) throws -> Value {
        try #require((200...299).contains(answer.status), "\(answer.text)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Value.self, from: answer.body)
    }

    private static let deviceToken = "0A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F9"

    private func register(_ client: Client) throws -> Answer {
        try client.post(
            "/api/v1/push/register",
            ["platform": "ios", "push_token": .string(Self.deviceToken), "sandbox": true])
    }

    @Test func inItsOrder() throws {
        let mesh = try Mesh(scopes: ["read"])
        let client = mesh.client
        // The key is tried: a wrong one is 401, which the app shows as such.
        #expect(try mesh.client(token: "claud_00000000000000000000000000000000").get("/api/v1/ping").status == 401)
        let first: Ping = try decode(client.get("/api/v1/ping"))
        #expect(first.status == "ok" && !first.serverVersion.isEmpty)
        let devices: Devices = try decode(client.get("/api/v1/devices"))
        let device = try #require(devices.devices.first)
        let sessions: Sessions = try decode(
            client.get("/api/v1/devices/\(device.deviceId)/sessions?limit=50&offset=0&exclude_ended=true"))
        #expect(sessions.sessions.map(\.deviceId) == [device.deviceId] && !sessions.hasMore)

        // Apple has given a device token: at every start of the app.
        let registered: Registered = try decode(register(client))
        #expect(registered.status == "ok" && registered.state == "no-apns")
        let again: Registered = try decode(register(client))
        #expect(again.id == registered.id)
        let known: Notifications = try decode(client.get("/api/v1/notifications?limit=50"))
        #expect(known.notifications.isEmpty)

        // No rule is written: one direct message is told all the same, and the app, which is not pushed anything, polls.
        let list = "/api/v1/push/registrations"
        try mesh.gateway.eventually("the rule's thread is there") {
            try client.get(list).data["rules"].rows.contains { $0["builtIn"] == .bool(true) }
        }
        mesh.radio.sendText(from: mesh.cast(0), "Only for you", to: mesh.radio.number)
        let rows: [Notifications.Row] = try mesh.gateway.eventually("it is told") {
            let ping: Ping = try decode(client.get("/api/v1/ping"))
            guard ping.notificationVersion != first.notificationVersion else { return nil }
            let new: Notifications = try decode(client.get("/api/v1/notifications?limit=50"))
            return new.notifications.isEmpty ? nil : new.notifications
        }
        let row = try #require(rows.first)
        #expect(rows.count == 1 && row.body.contains("Only for you") && row.deviceId == device.deviceId)
        #expect(row.notificationType == "direct-message" && !row.acknowledged)
        // As the app spells it.
        let done: Done = try decode(
            client.post("/api/v1/notifications/ack", ["notification_ids": .array([.string(row.id.uuidString)])]))
        #expect(done.status == "ok")
        let behind: Notifications = try decode(client.get("/api/v1/notifications?after=\(row.createdAt)&limit=50"))
        #expect(behind.notifications.isEmpty)
    }

    @Test func aRefusalHasItsTwoTexts() throws {
        let mesh = try Mesh(scopes: ["read"])
        for body: JSON in [
            ["platform": "android", "push_token": "abc"], ["platform": "ios", "token": "abc", "sandbox": true],
            ["platform": "ios", "push_token": "not hexadecimal"],
        ] {
            let answer = try mesh.client.post("/api/v1/push/register", body)
            #expect(answer.status == 400)
            let refused = try JSONDecoder().decode(Refused.self, from: answer.body)
            #expect(!refused.error.isEmpty && !refused.message.isEmpty)
        }
        let other = try mesh.client(token: nil).post("/api/v1/push/register", ["platform": "ios"])
        #expect(other.status == 401)
    }
}
