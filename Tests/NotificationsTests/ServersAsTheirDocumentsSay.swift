import Foundation
import JSON
import Platform
import Testing

@testable import Notifications
@testable import ServedProgram

// Servers that play ntfy (docs.ntfy.sh, "Publish as JSON", "Updating notifications", "Access tokens") and Apprise API (its README,
// "API Details"): they take what those say, and refuse the rest in their words. Written here by what the documents say, nothing
// was copied.

private func answer(_ status: Int, _ body: String, _ connection: Int32) {
    say(
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
        connection)
}

/// What a topic shows: a message for each sequence id.
private final class Ntfy: Sendable {
    let shown = Monitor<[String: String]>([:])

    func serve(token: String?) throws -> LoopbackServer {
        try LoopbackServer { [shown] request, connection in
            func refuse(_ status: Int, _ code: Int, _ text: String) {
                answer(status, "{\"code\":\(code),\"http\":\(status),\"error\":\"\(text)\"}", connection)
            }
            guard request.line == "POST / HTTP/1.1" else { return refuse(404, 40401, "page not found") }
            if let token, request.headers["authorization"] != "Bearer \(token)" {
                return refuse(request.headers["authorization"] == nil ? 403 : 401, 40101, "unauthorized")
            }
            guard let json = JSONValue(request.body), case .object(let members) = json else {
                return refuse(400, 40011, "invalid request: request body must be message JSON")
            }
            let known: Set = [
                "topic", "message", "title", "tags", "priority", "actions", "click", "attach", "markdown", "icon",
                "filename", "delay", "email", "call", "sequence_id",
            ]
            guard Set(members.keys).isSubset(of: known) else { return refuse(400, 40011, "unknown member") }
            let word = /[-_A-Za-z0-9]{1,64}/
            guard let topic = json["topic"]?.string, topic.wholeMatch(of: word) != nil else {
                return refuse(400, 40009, "invalid request: topic invalid")
            }
            guard let priority = json["priority"]?.integer, (1...5).contains(priority) else {
                return refuse(400, 40007, "invalid request: priority invalid")
            }
            guard let sequence = json["sequence_id"]?.string, sequence.wholeMatch(of: word) != nil else {
                return refuse(400, 40049, "invalid request: sequence ID invalid")
            }
            guard let message = json["message"]?.string, message.utf8.count <= 4_096 else {
                return refuse(413, 41301, "message too large")
            }
            guard json["tags"]?.array?.allSatisfy({ $0.string != nil }) == true else {
                return refuse(400, 40011, "invalid request: tags")
            }
            if let click = json["click"]?.string, URL(string: click)?.host() == nil {
                return refuse(400, 40013, "invalid click")
            }
            shown.withLock { $0[sequence] = "\(json["title"]?.string ?? ""): \(message)" }
            answer(200, "{\"id\":\"x\",\"event\":\"message\",\"topic\":\"\(topic)\"}", connection)
        }
    }
}

/// Services that the server keeps under the key "family", by their tags; one of them fails. A tag that none has is answered as a
/// service that fails; a key that is not there, with 204.
private func apprise() throws -> LoopbackServer {
    try LoopbackServer { request, connection in
        func refuse(_ status: Int, _ text: String) { answer(status, "{\"error\":\"\(text)\"}", connection) }
        guard request.headers["content-type"] == "application/json", let json = JSONValue(request.body) else {
            return refuse(400, "Invalid payload")
        }
        guard json["body"]?.string?.isEmpty == false,
            ["info", "success", "warning", "failure"].contains(json["type"]?.string),
            ["text", "markdown", "html"].contains(json["format"]?.string)
        else { return refuse(400, "Payload lacks minimum requirements") }
        let services: [String]
        switch request.line.split(separator: " ")[1] {
        case "/notify", "/notify/": services = json["urls"]?.array?.compactMap(\.string) ?? []
        case "/notify/family":
            let kept = ["phone": "ok://phone", "mail": "ok://mail", "old": "broken://old"]
            services =
                json["tag"]?.string.map { tag in kept[tag].map { [$0] } ?? ["broken://"] } ?? kept.values.sorted()
        default: services = []
        }
        guard !services.isEmpty else {
            say("HTTP/1.1 204 No Content\r\n\r\n", connection)
            return
        }
        if services.contains(where: { $0.hasPrefix("broken") }) {
            return refuse(424, "One or more notification could not be sent.")
        }
        answer(200, "{\"error\":null,\"details\":[]}", connection)
    }
}

private func told(_ title: String, episode: String? = nil, body: String = "body \u{1F50B}") -> Outgoing {
    var told = Outgoing.test(of: "phone", at: 1_760_000_000_000, link: "https://mesh.example.org/#/n/!1")
    (told.title, told.body, told.episode) = (title, body, episode)
    return told
}

private func verdict(_ target: Target, _ told: Outgoing) -> SendQueue.Verdict {
    SendQueue.Verdict(Curl.unhurried.send(target.request(for: told, at: 0)), of: target, at: 0)
}

private func target(_ kind: Target.Kind, _ url: String) throws -> Target {
    var target = Target("phone", kind, try WebAddress(url))
    target.isLocalAllowed = true
    return target
}

private func isRefused(_ verdict: SendQueue.Verdict, _ words: String) -> Bool {
    if case .refused(let why) = verdict { why.contains(words) } else { false }
}

@Test func ntfyTakesWhatItIsSent() throws {
    let ntfy = Ntfy()
    let server = try ntfy.serve(token: nil)
    let phone = try target(.ntfy(token: nil), server.url + "/my_Topic-1")
    let episode = "0f0e0d0c-0000-4000-8000-0000000000ee"
    #expect(verdict(phone, told("Hut: battery 19 %", episode: episode)) == .arrived)
    #expect(verdict(phone, told("Hut: battery 30 %", episode: episode)) == .arrived)
    #expect(verdict(phone, told("long", body: String(repeating: "\u{1F600}", count: 3_000))) == .arrived)
    #expect(verdict(phone, told("no text", body: "")) == .arrived)
    let shown = ntfy.shown.withLock { $0 }
    #expect(shown.count == 3 && shown[episode]?.hasPrefix("Hut: battery 30 %") == true, "an episode is shown once")
}

@Test func ntfyWantsItsToken() throws {
    let server = try Ntfy().serve(token: "tk_right")
    let url = server.url + "/topic"
    #expect(verdict(try target(.ntfy(token: "tk_right"), url), told("x")) == .arrived)
    #expect(isRefused(verdict(try target(.ntfy(token: "tk_wrong"), url), told("x")), "a token or a password"))
    #expect(isRefused(verdict(try target(.ntfy(token: nil), url), told("x")), "not allowed"))
}

@Test func appriseTakesWhatItIsSent() throws {
    let server = try apprise()
    let keyed = server.url + "/notify/family"
    #expect(verdict(try target(.apprise(urls: [], tag: "phone"), keyed), told("x")) == .arrived)
    #expect(
        verdict(try target(.apprise(urls: ["ok://a", "ok://b"], tag: nil), server.url + "/notify"), told("x"))
            == .arrived)
    #expect(
        verdict(try target(.apprise(urls: ["ok://a"], tag: nil), server.url + "/notify/"), told("x", body: ""))
            == .arrived)
    // Others have it already; nobody has it.
    for tag in [nil, "nobody"] {
        let verdict = verdict(try target(.apprise(urls: [], tag: tag), keyed), told("x"))
        guard case .partly(let why) = verdict else {
            Issue.record("\(verdict)")
            continue
        }
        #expect(why.contains("a service behind it has failed, or there is none with this tag"))
    }
    // 204: nothing was sent.
    #expect(
        isRefused(
            verdict(try target(.apprise(urls: [], tag: nil), server.url + "/notify/other"), told("x")),
            "no service for it"))
}
