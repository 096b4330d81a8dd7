import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// A Raspberry Pi without a clock of its own: it starts in 1970, learns the time while it runs, is set to the wrong zone
/// by hand, and starts in 1970 again.
@Suite struct AClockThatLeapsConfusesNobody {
    private let folders: Folders
    private let clock: LeapingClock
    private let here: RadioHere
    private let device: String

    /// A minute after the start of a host without a clock.
    private static let boot = Date(timeIntervalSince1970: 60)

    init() throws {
        folders = try Folders()
        clock = try LeapingClock(in: folders, at: Self.boot)
        here = try RadioHere { $0.hasClock = false }
        device = "tcp:127.0.0.1:\(try here.radio.listen())"
    }

    private func start() throws -> ServedGateway {
        try ServedGateway(device: device, in: folders, environment: clock.environment)
    }

    /// What a command prints; it has to succeed.
    private func run(_ words: String...) throws -> String {
        let program = try Program(words, in: folders, environment: clock.environment)
        #expect(try program.exitCode() == 0, "\(words): \(program.errors.text)")
        return program.output.text
    }

    private func texts(_ gateway: ServedGateway) throws -> [String] {
        try gateway.messages().compactMap { $0["text"].string }
    }

    /// Milliseconds since 1970 of the newest message and the clock are not further apart than the test has lasted.
    private func expectRight(_ time: JSON, sourceLocation: SourceLocation = #_sourceLocation) {
        let shown = Double(time.integer ?? 0) / 1000
        #expect(abs(shown - clock.now.timeIntervalSince1970) < 600, "\(shown)", sourceLocation: sourceLocation)
    }

    @Test func thePlaceInTheListIsThatOfTheReceipt() throws {
        var gateway = try start()
        gateway.client.token = try run("token", "create", "phone").trimmingCharacters(in: .newlines)
        try gateway.waitUntilLive()
        try here.say("in 1970", to: gateway)
        let sent = try gateway.post(["text": "sent in 1970", "channel": 0])
        _ = try gateway.message(sent["messageId"], becoming: "delivered")

        clock.set(to: Date())
        try here.say("the time is known", to: gateway)
        let before = try gateway.messages()
        #expect(before.map { $0["text"] } == ["the time is known", "sent in 1970", "in 1970"])
        for message in before {
            expectRight(message["timestamp"])
            expectRight(message["createdAt"])
        }
        #expect(try gateway.message(sent["messageId"])["deliveryState"] == "delivered")

        clock.leap(seconds: -3 * 3600)
        try here.say("three hours earlier", to: gateway)
        let newest = try #require(gateway.messages().first)
        #expect(newest["text"] == "three hours earlier")
        expectRight(newest["timestamp"])
        // Who polls for what came since the last one gets it.
        let since = try #require(before.first?["createdAt"].integer)
        let news = try gateway.client.get("/api/v1/messages?since=\(since)").data.rows
        #expect(news.contains { $0["text"] == "three hours earlier" })
        let late = try gateway.post(["text": "an answer", "channel": 0])
        _ = try gateway.message(late["messageId"], becoming: "delivered")
        let printed = try run("messages")
        let places = ["in 1970", "the time is known", "three hours earlier", "an answer"].map {
            printed.range(of: $0, options: .backwards)?.lowerBound
        }
        #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        try gateway.program.stop()
    }

    @Test func agesAndPeriodsAreNeverNegative() throws {
        var gateway = try start()
        gateway.client.token = try run("token", "create", "phone").trimmingCharacters(in: .newlines)
        try gateway.waitUntilLive()
        for leap: Int64 in [1_790_000_000, -3 * 3600, 50 * 86_400, -50 * 86_400] {
            clock.leap(seconds: leap)
            here.radio.sendText(from: here.radio.nodes[0].number, "leap \(leap)")
            try gateway.eventually("heard after \(leap)") { try texts(gateway).first == "leap \(leap)" }
            for words in [["status"], ["nodes"], ["token", "list"], ["telemetry"], ["links"], ["channels"]] {
                let program = try Program(words, in: folders, environment: clock.environment)
                _ = try program.exitCode()
                let text = program.output.text
                #expect(
                    text.range(of: #"-[0-9]+ (s|min|h|d)\b"#, options: .regularExpression) == nil, "\(words): \(text)")
                #expect(!text.contains("1970-01"), "\(words): \(text)")
            }
            let uptime = try gateway.client.get("/api/health").json["uptime"].integer
            #expect((0..<600_000).contains(uptime ?? -1))
            // The limits go by another clock: nobody is locked out.
            #expect(try gateway.client.get("/api/v1/nodes").status == 200)
        }
        try gateway.program.stop()
    }

    @Test func whatWaitsForTheRadioWaitsOn() throws {
        var gateway = try start()
        gateway.client.token = try run("token", "create", "phone").trimmingCharacters(in: .newlines)
        try gateway.waitUntilLive()
        here.radio.unplug()
        try gateway.eventually("the radio is away") { try !gateway.isConnected() }
        _ = try run("send", "--queue", "--channel", "0", "kept for later")
        clock.set(to: Date())
        try here.radio.replug()
        try gateway.eventually("it has gone out") { here.texts.contains("kept for later") }
        try gateway.eventually("it is delivered") {
            try gateway.messages().first { $0["text"] == "kept for later" }?["deliveryState"] == "delivered"
        }
        try gateway.program.stop()
    }

    @Test func aTokenThatHasExpiredStaysSo() throws {
        clock.set(to: Date())
        var gateway = try start()
        gateway.client.token = try run("token", "create", "phone", "--expires", "12h").trimmingCharacters(in: .newlines)
        try gateway.waitUntilLive()
        #expect(try gateway.client.get("/api/v1/nodes").status == 200)
        clock.leap(seconds: 13 * 3600)
        #expect(try gateway.client.get("/api/v1/nodes").status == 401)
        let token = gateway.client.token
        gateway.client.token = try run("token", "create", "later").trimmingCharacters(in: .newlines)
        try here.say("the clock is right", to: gateway)
        try gateway.program.stop()

        clock.set(to: Self.boot)
        var second = try start()
        second.client.token = token
        #expect(try second.client.get("/api/v1/nodes").status == 401)
        // Everybody else is let in, and new messages are the newest.
        second.client.token = try run("token", "create", "other").trimmingCharacters(in: .newlines)
        try second.waitUntilLive()
        try here.say("in 1970", to: second)
        #expect(try texts(second).prefix(2) == ["in 1970", "the clock is right"])
        clock.set(to: Date(timeIntervalSinceNow: 14 * 3600))
        try here.say("later", to: second)
        #expect(try texts(second).prefix(3) == ["later", "in 1970", "the clock is right"])
        expectRight(try #require(second.messages().dropFirst().first)["timestamp"])
        try second.program.stop()
    }
}
