import Folders
import Foundation
import MeshModel
import Nettle
import Testing

@testable import Notifications
@testable import ServedProgram

/// Every reason of Apple's documents, as a function and over the wire.
@Suite struct WhatAppleAnswersMeans {
    private static let device = String(repeating: "ab", count: 32)

    private static func meaning(
        _ status: Int, _ reason: String?, timestamp: Int64? = nil, registeredAt: Int64 = 1_000,
        otherRefused: Bool = false, isTokenNew: Bool = false
    ) -> AppleAnswer.Meaning {
        AppleAnswer(status: status, reason: reason, timestamp: timestamp)
            .meaning(registeredAt: registeredAt, otherRefused: otherRefused, isTokenNew: isTokenNew)
    }

    /// Of what only somebody can put right, the name is said that is to be looked at.
    static let mistakes: [(status: Int, reason: String, words: String)] = [
        (400, "BadTopic", "apns-topic"), (400, "MissingTopic", "apns-topic"), (400, "TopicDisallowed", "apns-topic"),
        (400, "DeviceTokenNotForTopic", "apns-topic"), (400, "BadCollapseId", "this version"),
        (400, "BadExpirationDate", "this version"), (400, "BadMessageId", "this version"),
        (400, "BadPriority", "this version"), (400, "InvalidPushType", "this version"),
        (400, "PayloadEmpty", "this version"), (400, "MissingDeviceToken", "this version"),
        (400, "DuplicateHeaders", "this version"), (400, "IdleTimeout", "this version"),
        (404, "BadPath", "this version"), (405, "MethodNotAllowed", "this version"),
        (403, "InvalidProviderToken", "apns-key-id"), (403, "MissingProviderToken", "apns-key-id"),
        (403, "BadCertificate", "does not let this key"), (403, "BadCertificateEnvironment", "does not let this key"),
        (403, "Forbidden", "does not let this key"), (403, "BadEnvironmentKeyInToken", "other host only"),
    ]
    static let passing: [(status: Int, reason: String)] = [
        (429, "TooManyRequests"), (429, "TooManyProviderTokenUpdates"), (500, "InternalServerError"),
        (503, "ServiceUnavailable"), (503, "Shutdown"),
    ]

    @Test func asTheTableSays() {
        #expect(Self.meaning(200, nil) == .arrived && Self.meaning(413, "PayloadTooLarge") == .tooLong)
        #expect(Self.meaning(400, "BadDeviceToken") == .otherHost)
        guard case .gone = Self.meaning(400, "BadDeviceToken", otherRefused: true) else {
            Issue.record("refused by both, it is of no use")
            return
        }
        for reason in ["Unregistered", "ExpiredToken"] {
            // Seen to go before, when, and after it has registered; and at an unknown time.
            for (timestamp, isGone) in [(999, false), (1_000, true), (1_001, true), (nil, true)] as [(Int64?, Bool)] {
                let meaning = Self.meaning(410, reason, timestamp: timestamp)
                let words = "its app was gone, and has registered again (\(reason))"
                #expect(
                    isGone ? "\(meaning)".hasPrefix("gone") : meaning == .again(words), "\(reason) \(timestamp ?? 0)")
            }
        }
        #expect(Self.meaning(403, "ExpiredProviderToken") == .newToken)
        guard case .mistake(let why) = Self.meaning(403, "ExpiredProviderToken", isTokenNew: true) else {
            Issue.record("a new token is made once")
            return
        }
        #expect(why.contains("clock"))
    }

    @Test(arguments: mistakes) func aMistakeSaysWhatToLookAt(status: Int, reason: String, words: String) {
        guard case .mistake(let why) = Self.meaning(status, reason) else {
            Issue.record("\(reason)")
            return
        }
        #expect(why.contains(words) && why.hasSuffix("(\(reason))"), "\(why)")
    }

    @Test(arguments: passing) func whatPassesIsTriedAgain(status: Int, reason: String) {
        guard case .again(let why) = Self.meaning(status, reason) else {
            Issue.record("\(reason)")
            return
        }
        #expect(why.hasSuffix("(\(reason))"))
    }

    /// What it is not known to say removes nothing, and is not repeated.
    @Test(arguments: [
        (400, "{\"reason\":\"NewReason\"}"), (410, ""), (410, "gone"), (410, "{\"reason\":[\"Unregistered\"]}"),
        (418, "{}"), (302, "<html>"), (403, "[]"), (201, ""), (400, String(repeating: "x", count: 4_000)),
        (410, "{\"reason\":\"Unregistered\",\"x\":\"" + String(repeating: "x", count: 1_000) + "\"}"),
    ])
    func strangeWordsAreNotObeyed(status: Int, body: String) {
        let meaning = AppleAnswer(status: status, body: Array(body.utf8))
            .meaning(registeredAt: 0, otherRefused: true, isTokenNew: false)
        #expect(meaning == .mistake("Apple's service does not take what it is sent"))
    }

    // MARK: over the wire

    private static let told = Outgoing(
        id: "0f0e0d0c-0000-4000-8000-000000000001", at: 1_760_000_000_000, type: "direct-message", title: "Anna",
        body: "Grüße \u{1F50B} \"vom\" Berg", messageID: "m",
        conversation: "\(String(repeating: "a", count: 36))/direct:!1",
        device: "source", session: "source.7")

    private static func verdict(_ outcome: HTTPOutcome, _ receiver: ApplePush) throws -> SendQueue.Verdict {
        let target = Target("push:1", Target.Kind(receiver), receiver.device.address(receiver.settings.hosts))
        return SendQueue.Verdict(outcome, of: target, at: 0)
    }

    /// Through curl, from a server that answers each of them.
    @Test func overHTTP2() throws {
        let tokens = (0...).lazy.map { String(format: "%064x", $0) }
        let cases: [(status: Int, body: String, verdict: String)] =
            Self.mistakes.map { ($0.status, #"{"reason":"\#($0.reason)"}"#, "refused") }
            + Self.passing.map { ($0.status, #"{"reason":"\#($0.reason)"}"#, "failed") } + [
                (200, "", "arrived"), (413, #"{"reason":"PayloadTooLarge"}"#, "tooLong"),
                (400, #"{"reason":"BadDeviceToken"}"#, "otherHost"),
                (410, #"{"reason":"Unregistered","timestamp":2000}"#, "gone"),
                (410, #"{"reason":"Unregistered","timestamp":500}"#, "failed"),
                (410, #"{"reason":"ExpiredToken","timestamp":2000}"#, "gone"),
                (410, String(repeating: "x", count: 50_000), "refused"), (502, "<html>", "failed"),
            ]
        var answers: [String: [(status: Int, body: String)]] = [:]
        for (token, one) in zip(tokens, cases) { answers["production/\(token)"] = [(one.status, one.body)] }
        let apple = try PlayedApple(answers: answers)
        for (token, one) in zip(tokens, cases) {
            let device = AppleDevice(token: token, isSandbox: false, isOtherHost: false, registeredAt: 1_000)
            let receiver = ApplePush(settings: apple.settings, device: device, tokens: AppleTokens())
            let request = try #require(
                apple.settings.request(
                    for: Self.told, device: device, tokens: receiver.tokens,
                    at: Int64(Date().timeIntervalSince1970 * 1000)))
            let verdict = try Self.verdict(Curl.unhurried.send(request), receiver)
            #expect("\(verdict)".hasPrefix(one.verdict), "\(one): \(verdict)")
            // Never what anybody may have written.
            #expect(!"\(verdict)".contains("xxx") && !"\(verdict)".contains("html"))
        }
        let received = apple.received
        #expect(received.count == cases.count, "\(apple.complaints)")
        #expect(received.allSatisfy { $0.host == "production" })
    }

    /// A server that speaks no HTTP/2 is not Apple's, but gets the same request.
    @Test func whatIsAskedFor() throws {
        var request = HTTPRequest(address: try WebAddress("https://192.0.2.7/3/device/ab"))
        #expect(
            Curl.configuration(request, [NetworkAddress(ipv4: [192, 0, 2, 7])], seconds: 1).contains("\nhttp1.1\n"))
        request.isHTTP2 = true
        let text = Curl.configuration(request, [NetworkAddress(ipv4: [192, 0, 2, 7])], seconds: 1)
        #expect(text.contains("\nhttp2\n") && !text.contains("http1.1"))
    }
}
