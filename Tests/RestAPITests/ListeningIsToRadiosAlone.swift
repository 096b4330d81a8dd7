import Foundation
import HTTPServer
import MeshModel
import Store
import Testing

@testable import RestAPI

/// `mesh-gateway listen` shows what happens at radios: texts of conversations over brokers are not among it.
@Test func listeningIsToRadiosAlone() throws {
    let test = try TestGateway()
    let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
    let target = "/local/events?kind=message,delivery"
    let request = Request(method: "GET", target: target, headers: [], body: [], peer: me)
    guard case .live(let body) = test.api.respond(request).awaited().body else {
        Issue.record("no stream")
        return
    }
    func kinds() throws -> [String] {
        var text = ""
        while case .bytes(let bytes) = try body.next(resume: {}) { text += String(decoding: bytes, as: UTF8.self) }
        return try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
            return "\(object?["kind"] ?? "") \((object?["message"] as? NSDictionary)?["text"] ?? "")"
        }
    }
    #expect(try kinds() == ["start "])
    try test.store.commit(as: .live) { writer in
        let conversation = BrokerConversation("club", broker: "house", filters: ["club/#"])
        let club = try writer.insert(conversation, uuid: "11111111-2222-4333-8444-555555555555", at: 1_000)
        try writer.insertReceived("Servus", BrokerText(topic: "club/talk", writer: "Ann"), in: club, at: 2_000)
        let own = BrokerText(topic: "club/talk", writer: "Hut", id: "u-1")
        _ = try writer.insertOwn("mine", own, by: nil, in: club, at: 3_000, expiresAt: 4_000)
    }
    try test.store.commit { try $0.expireTexts(at: 5_000) }
    #expect(try kinds() == [])
    try test.insert("of the radio", packetID: 1, at: 6_000)
    #expect(try kinds() == ["message of the radio"])
}
