import Foundation
import JSON
import MeshModel
import Store
import Testing

@testable import Notifications

private let told = Outgoing(
    id: "0f0e0d0c-0000-4000-8000-000000000001", at: 1_760_000_000_000, type: "battery",
    title: "Hut: battery 19 % \u{1F50B}",
    body: "It is below 20 %.", priority: .high, rule: "battery", episode: "0f0e0d0c-0000-4000-8000-0000000000ee",
    state: .begins, node: NodeNumber(0xA1B2_C3D4), messageID: nil, link: "https://mesh.example.org/#/x/n/!a1b2c3d4")

private func target(_ text: String) throws -> Target {
    let file = TargetFile(text, name: "phone", path: "/nonexistent/phone.conf")
    return try #require(file.target, "\(file.mistakes)")
}

private func body(_ request: HTTPRequest) throws -> JSONValue { try #require(JSONValue(request.body ?? [])) }

/// The example of Standard Webhooks 1.0.0.
@Test func aWebhookIsSignedAsTheStandardSays() {
    let secret = [UInt8](Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")!)
    let signature = webhookSignature(
        of: Array("{\"test\": 2432232314}".utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, secret: secret)
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
}

@Test func aWebhookHasWhatIsKnown() throws {
    let target = Target("hook", .webhook(secret: [1, 2, 3]), try WebAddress("https://example.org/hook"))
    let (first, second) = (
        target.request(for: told, at: 1_760_000_100_000), target.request(for: told, at: 1_760_000_200_000)
    )
    func header(_ name: String, _ request: HTTPRequest) -> String? { request.headers.first { $0.name == name }?.value }
    #expect(header("webhook-id", first) == told.id && header("webhook-id", second) == told.id)
    #expect(header("webhook-timestamp", first) == "1760000100")
    #expect(header("webhook-signature", first) != header("webhook-signature", second))
    #expect(first.body == second.body)
    let json = try body(first)
    #expect(json["type"]?.string == "notification.told" && json["timestamp"]?.string == "2025-10-09T08:53:20.000Z")
    let data = json["data"]
    #expect(
        data?["notification"]?["title"]?.string == told.title && data?["notification"]?["priority"]?.string == "high")
    #expect(data?["rule"]?.string == "battery" && data?["episode"]?.string == told.episode)
    #expect(data?["state"]?.string == "begins" && data?["nodeId"]?.string == "!a1b2c3d4")
    #expect(data?["link"]?.string == told.link)
    guard case .object(let members)? = data else {
        Issue.record("data is no object")
        return
    }
    #expect(members["messageId"] == .null, "what is not known is null, and not left out")
}

@Test func ntfyIsAskedAtItsRoot() throws {
    let request = try target("kind = ntfy\nurl = https://ntfy.example.org/my_Topic-1\nheader = X-One: 1").request(
        for: told, at: 0)
    #expect(request.address.text == "https://ntfy.example.org/")
    #expect(request.headers.contains { $0.name == "X-One" && $0.value == "1" })
    let json = try body(request)
    #expect(json["topic"]?.string == "my_Topic-1" && json["title"]?.string == told.title)
    #expect(json["message"]?.string == told.body && json["priority"]?.integer == 4)
    #expect(json["click"]?.string == told.link && json["sequence_id"]?.string == told.episode)
    #expect(json["tags"]?.array?.map(\.string) == ["battery", "battery"])
    var quiet = told
    (quiet.priority, quiet.episode, quiet.body) = (.low, nil, String(repeating: "ü", count: 4_000))
    let other = try body(try target("kind = ntfy\nurl = https://ntfy.example.org/t").request(for: quiet, at: 0))
    #expect(other["priority"]?.integer == 2 && other["sequence_id"]?.string == told.id)
    #expect(try #require(other["message"]?.string).utf8.count <= 4_096)
}

/// What has no message but its title is not said twice.
@Test func aTitleThatStandsAlone() throws {
    var alone = told
    (alone.body, alone.link) = ("", nil)
    let ntfy = try body(try target("kind = ntfy\nurl = https://ntfy.example.org/t").request(for: alone, at: 0))
    #expect(ntfy["title"] == nil && ntfy["message"]?.string == told.title)
    let apprise = try body(
        try target("kind = apprise\nurl = http://box:8000/notify/family").request(for: alone, at: 0))
    #expect(apprise["title"] == nil && apprise["body"]?.string == told.title)
}

@Test func appriseIsAskedInBothWays() throws {
    let kept = try target("kind = apprise\nurl = http://box:8000/notify/family\ntag = phone").request(for: told, at: 0)
    #expect(kept.address.text == "http://box:8000/notify/family")
    var json = try body(kept)
    #expect(json["tag"]?.string == "phone" && json["urls"] == nil && json["type"]?.string == "warning")
    #expect(json["body"]?.string?.hasPrefix("It is below 20 %.") == true)
    let free = Target(
        "free", .apprise(urls: ["mailto://a", "tgram://b"], tag: nil), try WebAddress("http://box:8000/notify"))
    json = try body(free.request(for: told, at: 0))
    #expect(json["urls"]?.array?.count == 2)
    guard case .refused = SendQueue.Verdict(.answered(status: 204, retryAfter: nil), of: free, at: 0) else {
        Issue.record("204 of Apprise says that nothing was sent")
        return
    }
}

@Test(arguments: [
    (200, "arrived"), (201, "arrived"), (204, "arrived"), (301, "refused"), (302, "refused"), (400, "refused"),
    (401, "refused"),
    (404, "refused"), (410, "refused"), (424, "refused"), (408, "failed"), (409, "failed"), (425, "failed"),
    (429, "failed"),
    (500, "failed"), (503, "failed"), (507, "failed"),
])
func anAnswerMeansWhatTheStandardSays(status: Int, meaning: String) throws {
    let target = try target("kind = ntfy\nurl = https://ntfy.example.org/t")
    #expect("\(SendQueue.Verdict(.answered(status: status, retryAfter: nil), of: target, at: 0))".hasPrefix(meaning))
}
