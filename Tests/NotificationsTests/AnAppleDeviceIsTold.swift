import Folders
import Foundation
import JSON
import MeshModel
import Nettle
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

/// By a server that takes what Apple's documents say, and nothing else (`apple.py`).
@Suite struct AnAppleDeviceIsTold {
    private static let device = String(repeating: "ab", count: 32)
    private static let source = "0f0e0d0c-0000-4000-8000-0000000000aa"

    private static func sent(
        _ told: Outgoing, to apple: PlayedApple, isSandbox: Bool = false, tokens: AppleTokens = AppleTokens(),
        at now: Int64 = WallClock.milliseconds()
    ) throws -> HTTPOutcome {
        let device = AppleDevice(token: Self.device, isSandbox: isSandbox, isOtherHost: false, registeredAt: 0)
        return Curl.unhurried.send(
            try #require(apple.settings.request(for: told, device: device, tokens: tokens, at: now)))
    }

    private static func message(_ body: String) -> Outgoing {
        Outgoing(
            id: "0f0e0d0c-0000-4000-8000-000000000001", at: 1_760_000_000_000, type: "direct-message",
            title: "Direct message from Anna",
            body: body, messageID: "m1", conversation: "\(source)/direct:!a1b2c3d4", device: source,
            session: "\(source).7")
    }

    private static let state = Outgoing(
        id: "0f0e0d0c-0000-4000-8000-000000000002", at: 1_760_000_000_000, type: "battery", title: "Hut: battery 19 %",
        body: "It is below 20 %.", priority: .low, rule: "battery", episode: "0f0e0d0c-0000-4000-8000-0000000000ee",
        state: .begins, node: NodeNumber(0xA1B2_C3D4))

    @Test func withWhatItsAppNeeds() throws {
        let apple = try PlayedApple()
        let now = WallClock.milliseconds()
        #expect(try Self.sent(Self.state, to: apple, at: now) == .answered(status: 200, retryAfter: nil))
        #expect(
            try Self.sent(Self.message("secret text"), to: apple, isSandbox: true, at: now)
                == .answered(status: 200, retryAfter: nil))
        let received = apple.received
        try #require(received.count == 2, "\(apple.complaints)")
        #expect(received.map(\.host) == ["production", "sandbox"])
        let (state, message) = (received[0], received[1])
        #expect(
            state.headers[":path"] == "/3/device/\(Self.device)" && state.headers["apns-topic"] == PlayedApple.topic)
        #expect(state.headers["apns-priority"] == "5" && message.headers["apns-priority"] == "10")
        #expect(state.headers["apns-expiration"] == "\(now / 1000 + 3_600)")
        #expect(state.headers["apns-collapse-id"] == Self.state.episode)
        #expect(message.headers["apns-collapse-id"] == "\(Self.source)/direct:!a1b2c3d4")
        #expect(state.headers["content-type"] == "application/json")
        #expect(
            state.body
                == JSONValue(
                    Array(
                        """
                        {"aps":{"alert":{"title":"Hut: battery 19 %","body":"It is below 20 %."},"sound":"default",
                        "category":"battery","thread-id":"0f0e0d0c-0000-4000-8000-0000000000ee"},
                        "notification_id":"0f0e0d0c-0000-4000-8000-000000000002","session_id":"gateway","device_id":"gateway"}
                        """.utf8)))
        #expect(
            message.body
                == JSONValue(
                    Array(
                        """
                        {"aps":{"alert":{"title":"A message from Anna"},"sound":"default","category":"direct-message",
                        "thread-id":"\(Self.source)/direct:!a1b2c3d4"},"notification_id":"0f0e0d0c-0000-4000-8000-000000000001",
                        "session_id":"\(Self.source).7","device_id":"\(Self.source)"}
                        """.utf8)))
    }

    /// Apple can read what is in it: the texts of messages only where the settings say so, and never too much.
    @Test(arguments: [false, true]) func withTextsWhereTheyAreAllowed(isAllowed: Bool) throws {
        let apple = try PlayedApple(showsTexts: isAllowed)
        var summary = Self.state
        (summary.type, summary.body, summary.episode) = ("summary", "Anna\nmentions: 3", nil)
        var short = Self.message("secret text")
        short.isShort = true
        let texts = [
            "secret text", String(repeating: "\u{1F50B}\"\u{1}", count: 3_000), String(repeating: "x", count: 5_000),
        ]
        var point = Self.state
        (point.type, point.title, point.body) = ("waypoint", "Anna shares a waypoint: secret", "secret place")
        for told in texts.map(Self.message) + [summary, short, point] {
            #expect(try Self.sent(told, to: apple) == .answered(status: 200, retryAfter: nil), "\(apple.received)")
        }
        let bodies = apple.received.map { $0.body["aps"]?["alert"]?["body"]?.string }
        try #require(bodies.count == 6)
        #expect(bodies[0] == (isAllowed ? "secret text" : nil))
        #expect(bodies[1]?.hasSuffix("…") == (isAllowed ? true : nil))
        #expect(bodies[2].map { $0.utf8.count > 3_500 } == (isAllowed ? true : nil))
        #expect(bodies[3] == (isAllowed ? summary.body : nil))
        #expect(bodies[4] == nil)
        #expect(bodies[5] == (isAllowed ? "secret place" : nil))
        let title = apple.received[5].body["aps"]?["alert"]?["title"]?.string
        #expect(title == (isAllowed ? point.title : "A waypoint"))
    }

    /// Apple wants a token neither older than an hour nor renewed within twenty minutes.
    @Test func aTokenIsUsedForFiftyMinutes() throws {
        let settings = try PlayedApple().settings
        let (tokens, start) = (AppleTokens(), Int64(1_800_000_000_000))
        func header(_ minutes: Int64, _ settings: AppleSettings) -> String? {
            tokens.authorization(for: settings, at: start + minutes * 60_000)
        }
        let first = header(0, settings)
        #expect(first?.hasPrefix("bearer ") == true && header(49, settings) == first)
        let second = header(51, settings)
        #expect(second != first && header(100, settings) == second)
        // The clock has been set back.
        #expect(header(10, settings) != second)
        let third = header(10, settings)
        // Refused as too old: another one, once.
        #expect(tokens.refuse(for: settings) && header(10, settings) != third)
        #expect(!tokens.refuse(for: settings))
        // Which has gone by after its time.
        _ = header(70, settings)
        #expect(tokens.refuse(for: settings))
    }

    // MARK: registrations

    private static func register(_ mesh: ToldMesh, _ token: String, isSandbox: Bool = false) throws -> PushRegistration
    {
        let owner = try mesh.token()
        let row = try mesh.store.commit {
            try $0.register(
                .apple(deviceToken: token, isSandbox: isSandbox), for: owner, name: nil, rules: nil,
                at: WallClock.milliseconds())
        }
        mesh.running.registrationsChanged()
        return try #require(row)
    }

    /// The other host is tried once and remembered; a device that neither knows goes.
    @Test func theHostThatKnowsADeviceIsFound() throws {
        let (known, unknown) = (String(format: "%064x", 1), String(format: "%064x", 2))
        let bad = (400, #"{"reason":"BadDeviceToken"}"#)
        let apple = try PlayedApple(answers: [
            "production/\(known)": [bad], "production/\(unknown)": [bad], "sandbox/\(unknown)": [bad],
        ])
        let mesh = try ToldMesh()
        try mesh.start(push: PushSettings(apple: apple.settings))
        let (one, other) = (try Self.register(mesh, known), try Self.register(mesh, unknown))
        try mesh.tell(one.target, "first")
        try mesh.tell(other.target, "lost")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty && mesh.registrations.map(\.id) == [one.id] })
        #expect(try mesh.registrations.first?.isOtherHost == true)
        try mesh.tell(one.target, "second")
        #expect(try mesh.eventually { apple.received.filter { $0.token == known && $0.status == 200 }.count == 2 })
        let hosts = { token in apple.received.filter { $0.token == token }.map(\.host) }
        #expect(hosts(known) == ["production", "sandbox", "sandbox"])
        #expect(hosts(unknown) == ["production", "sandbox"])
    }

    /// Who tries it out first finds the other host, too.
    @Test func aTestFindsTheHostThatKnowsADevice() throws {
        let apple = try PlayedApple(answers: [
            "production/\(Self.device)": [(400, #"{"reason":"BadDeviceToken"}"#)]
        ])
        let mesh = try ToldMesh()
        try mesh.start(push: PushSettings(apple: apple.settings))
        let one = try Self.register(mesh, Self.device)
        func error() -> String? { mesh.running.registrationProgress(one.id)?.test?.error }
        #expect(mesh.running.testRegistration(one.id))
        #expect(try mesh.eventually { error()?.contains("not known there") == true })
        #expect(try mesh.eventually { try mesh.registrations.first?.isOtherHost == true })
        #expect(
            try mesh.eventually {
                mesh.running.signals.withLock { signals in
                    signals.devices.contains { ($0.kind.receiver as? ApplePush)?.device.isOtherHost == true }
                }
            })
        #expect(mesh.running.testRegistration(one.id))
        #expect(try mesh.eventually { error() == "" })
        #expect(apple.received.map(\.host) == ["production", "sandbox"])
    }

    /// Apple's settings are taken out, and the gateway is to read its own again: what waits goes, the device stays.
    @Test func withoutTheSettingsNothingIsSentAnyMore() throws {
        let apple = try PlayedApple(answers: ["production/\(Self.device)": [(503, "")]])
        let mesh = try ToldMesh()
        try mesh.start(push: PushSettings(apple: apple.settings))
        let one = try Self.register(mesh, Self.device)
        try mesh.tell(one.target, "first")
        #expect(try mesh.eventually { mesh.running.registrationProgress(one.id)?.row.error != nil })
        mesh.running.apply(PushSettings())
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(try mesh.registrations.map(\.id) == [one.id])
        #expect(mesh.running.signals.withLock { $0.devices.isEmpty })
    }

    /// One that is gone goes, with what waits for it; one that has registered again stays.
    @Test func anAppThatIsGoneIsNotToldAnyMore() throws {
        let (gone, back) = (String(format: "%064x", 1), String(format: "%064x", 2))
        let apple = try PlayedApple(answers: [
            "production/\(gone)": [(410, #"{"reason":"Unregistered","timestamp":9000000000000}"#)],
            "production/\(back)": [(410, #"{"reason":"Unregistered","timestamp":1000}"#), (200, "")],
        ])
        let mesh = try ToldMesh()
        try mesh.start(push: PushSettings(apple: apple.settings))
        let (one, other) = (try Self.register(mesh, gone), try Self.register(mesh, back))
        try mesh.tell(one.target, "first")
        try mesh.tell(one.target, "second")
        try mesh.tell(other.target, "third")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty && mesh.registrations.map(\.id) == [other.id] })
        #expect(apple.received.filter { $0.token == gone }.count <= 2)
        #expect(apple.received.filter { $0.token == back }.map(\.status) == [410, 200])
    }

    /// A mistake in the settings gives up the notification and keeps the device.
    @Test func withTheWrongTopicItIsSaid() throws {
        let apple = try PlayedApple(topic: "org.example.other")
        let mesh = try ToldMesh()
        try mesh.start(push: PushSettings(apple: apple.settings))
        let device = try Self.register(mesh, Self.device)
        try mesh.tell(device.target, "first")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(apple.received.map(\.status) == [400])
        #expect(try mesh.registrations.map(\.id) == [device.id])
        let log = mesh.log.withLock { $0.joined(separator: "\n") }
        #expect(log.contains("apns-topic is not the bundle id of this app") && log.contains("(BadTopic)"), "\(log)")
        #expect(!log.contains(Self.device))
    }

    /// Where Apple finds the token too old it gets another one at once, and nothing is lost.
    @Test func anExpiredTokenIsRenewed() throws {
        let apple = try PlayedApple(answers: [
            "production/\(Self.device)": [(403, #"{"reason":"ExpiredProviderToken"}"#), (200, "")]
        ])
        let mesh = try ToldMesh()
        try mesh.start(push: PushSettings(apple: apple.settings))
        let device = try Self.register(mesh, Self.device)
        try mesh.tell(device.target, "first")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        #expect(apple.received.map(\.status) == [403, 200])
        #expect(Set(apple.received.map { $0.headers["authorization"] }).count == 2)
    }

    /// The key file is no good: nothing is called, and it is said why.
    @Test func withoutAKeyNothingIsSent() throws {
        let mesh = try ToldMesh()
        let settings = AppleSettings(
            keyFile: "\(mesh.path)/none.p8", keyID: "ABCDE12345", team: "TEAM123456", topic: PlayedApple.topic,
            showsTexts: false)
        #expect(settings.obstacle?.contains("none.p8 is not there") == true)
        let device = AppleDevice(token: Self.device, isSandbox: false, isOtherHost: false, registeredAt: 0)
        #expect(settings.request(for: Self.state, device: device, tokens: AppleTokens(), at: 0) == nil)
        #expect(device.address(settings.hosts).shown == "https://api.push.apple.com/...")
    }
}
