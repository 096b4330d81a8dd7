import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

@Test func everythingOutlivesARestart() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    var first = try ServedGateway(device: device, in: folders)
    try first.authorize()
    try first.waitUntilLive()
    try here.say("heard before", to: first)
    let sent = try first.post(["text": "sent before", "channel": 0])
    _ = try first.message(sent["messageId"], becoming: "delivered")
    let sources = try first.client.get("/api/v1/sources").data
    let messages = try first.messages()
    let list = try first.client.get("/api/v1/nodes")
    let tag = try #require(list.headers["etag"])
    #expect(try first.client.get("/api/v1/nodes", ["If-None-Match: \(tag)"]).status == 304)
    let newest = try #require(messages.first?["timestamp"].integer)
    try first.program.stop()

    var second = try ServedGateway(device: device, in: folders)
    second.client.token = first.client.token
    // There before the radio is.
    #expect(try second.client.get("/api/v1/sources").data == sources)
    #expect(try second.messages() == messages)
    try second.waitUntilLive()
    #expect(try second.client.get("/api/v1/sources").data == sources)
    #expect(try second.messages() == messages)
    // A tag of an earlier life stands for nothing: the counters behind it have started over.
    #expect(try second.client.get("/api/v1/nodes", ["If-None-Match: \(tag)"]).status == 200)

    try here.say("heard after", to: second)
    // Clients ask in seconds, from the second after their newest message; two seconds of slack belong to it.
    let news = try second.client.get("/api/v1/messages?since=\(newest / 1000 + 1)").data.rows
    #expect(news.contains { $0["text"] == "heard after" })
    let later = try second.client.get("/api/v1/messages?since=\(newest / 1000 + 3600)").data.rows
    #expect(later.isEmpty)
    try second.program.stop()
}

@Test func anAcceptedTextOutlivesAKill() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    var first = try ServedGateway(device: device, in: folders)
    try first.authorize()
    try first.waitUntilLive()
    // Three within the pacing of texts: the later ones have not left yet.
    let sent = try ["one", "two", "three"].map { try first.post(["text": .string($0), "channel": 0]) }
    first.program.signal(SIGKILL)
    #expect(try first.program.exitCode() == -SIGKILL)

    var second = try ServedGateway(device: device, in: folders)
    second.client.token = first.client.token
    #expect(
        Set(try second.messages().compactMap { $0["id"].string }) == Set(sent.compactMap { $0["messageId"].string }))
    for text in sent { _ = try second.message(text["messageId"], becoming: "delivered") }
    // Each reached the mesh once: the radio knows a packet again by its id.
    let ids = sent.compactMap { $0["requestId"].integer }
    let received = here.radio.received.filter { $0.decoded?.port == .textMessage }.map { Int($0.id) }
    #expect(Set(received) == Set(ids))
    #expect(Set(here.texts) == ["one", "two", "three"])
    try second.program.stop()
}
