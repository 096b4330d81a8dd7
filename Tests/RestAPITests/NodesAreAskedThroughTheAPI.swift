import Foundation
import Gateway
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import RestAPI

/// Each request reaches the mesh, and what the mesh answers is seen where clients look for it.
@Suite struct NodesAreAskedThroughTheAPI {
    typealias Live = SentTextsAreRowsAtOnce.Live

    /// Asks until there is an answer as wanted.
    private func node(
        _ number: NodeNumber, _ live: Live, _ isWanted: @escaping (NSDictionary) -> Bool
    ) throws -> Bool {
        try eventually { isWanted(try live.test.get("/api/v1/nodes/\(number.id)").data) }
    }

    @Test(arguments: ["/api/v1/actions/", "/api/v1/sources/default/actions/"])
    func aTraceroute(_ prefix: String) throws {
        let live = try Live()
        let hut = live.radio.nodes[11]
        let answer = try live.test.post(prefix + "traceroute", #"{"destination":"\#(hut.number.id)"}"#)
        #expect(answer.status == 200)
        #expect(
            answer.text == #"{"success":true,"data":{"destination":"\#(hut.number.id)","channel":0,"#
                + #""message":"Traceroute request sent"}}"#)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .traceroute })
        #expect(sent.to == hut.number)
        #expect(sent.decoded?.wantResponse == true)
        let (store, id) = (live.test.store, live.test.id)
        #expect(
            try eventually {
                let rows = try store.read { try $0.traceroutes(in: id) }
                return rows.count == 1 && rows[0].route?.snrTowards.count == 3 && rows[0].packetID == sent.id
            })
        let asked = try live.test.get("/api/v1/nodes/\(hut.number.id)").data["lastTracerouteRequest"] as? Int64
        #expect(try #require(asked) > TestGateway.now)
    }

    @Test func aPosition() throws {
        let live = try Live()
        let hiker = live.radio.nodes[0].number
        let before = try live.test.get("/api/v1/nodes/\(hiker.id)").data["positionTimestamp"] as? Int64
        let answer = try live.test.post(
            "/api/v1/sources/\(live.test.uuid)/actions/request-position", #"{"nodeNum":\#(hiker.rawValue)}"#)
        #expect(
            answer.text == #"{"success":true,"data":{"destination":"\#(hiker.id)","channel":0,"#
                + #""message":"Position request sent"}}"#)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .position })
        #expect(sent.to == hiker)
        #expect(
            try node(hiker, live) { row in
                (row["positionTimestamp"] as? Int64).map { $0 > before ?? 0 } ?? false
            })
        let note = try live.test.get("/api/v1/messages/\(sent.id)").data
        #expect(note["text"] as? String == "Position exchange requested")
        #expect(note["channel"] as? Int == -1)
        #expect(note["requestId"] as? UInt32 == sent.id)
        #expect(note["deliveryState"] is NSNull)
        #expect(note["portnum"] as? Int == 1)
    }

    @Test func names() throws {
        let live = try Live()
        let hiker = live.radio.nodes[0].number
        let answer = try live.test.post(
            "/api/v1/actions/request-nodeinfo", #"{"nodeId":"0x\#(hiker.id.dropFirst())","channel":1}"#)
        #expect(try answer.data["message"] as? String == "NodeInfo request sent (key exchange initiated)")
        #expect(try answer.data["channel"] as? Int == 1)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .nodeInfo })
        #expect(sent.channel == 1)
        guard case .nodeInfo(let user) = PacketContent(try #require(sent.decoded)) else {
            Issue.record("no names")
            return
        }
        #expect(user.longName == "Simulated radio 📻")
        #expect(user.publicKey == live.radio.publicKey)
        let texts = try live.test.get("/api/v1/messages?channel=-1").texts
        #expect(texts == ["User info exchange requested"])
    }

    /// A direct message's -1, a text, what is none: as if nothing were said.
    @Test(arguments: ["8", "-1", #""x""#, #""3""#, "true", "1.5", "[]", "null", "1e21"])
    func onWhatIsNoChannel(_ channel: String) throws {
        let live = try Live()
        let hiker = live.radio.nodes[0].number
        for action in ["traceroute", "request-position", "request-nodeinfo", "request-neighbors"] {
            let answer = try live.test.post(
                "/api/v1/actions/" + action, #"{"destination":"\#(hiker.id)","channel":\#(channel)}"#)
            #expect(answer.status == 200, "\(action): \(answer.text)")
            #expect(try answer.data["channel"] as? Int == 0)
        }
        let page = try live.test.post("/api/traceroute", #"{"destination":"\#(hiker.id)","channel":\#(channel)}"#)
        #expect(page.text.hasSuffix(#"on channel 0"}"#), "\(page.text)")
        let packets = (0..<4).compactMap { _ in live.radio.waitForPacket(timeout: 90) { $0.to == hiker } }
        #expect(packets.allSatisfy { $0.channel == 0 })
    }

    @Test func neighbours() throws {
        let live = try Live()
        let (near, far) = (live.radio.nodes[0].number, live.radio.nodes[1].number)
        let path = "/api/v1/actions/request-neighbors"
        let refused = try live.test.post(path, #"{"destination":"\#(far.id)"}"#)
        #expect(refused.status == 403)
        #expect(
            refused.text == #"{"success":false,"error":"Neighbor info requests are only allowed for the local node or "#
                + #"directly-heard (0-hop) nodes"}"#)
        #expect(try live.test.post(path, #"{"destination":"\#(near.id)"}"#).status == 200)
        let again = try live.test.post(path, #"{"destination":\#(near.rawValue)}"#)
        #expect(again.status == 429)
        let seconds = try #require(try again.json["retryAfter"] as? Int)
        #expect((170...180).contains(seconds))
        #expect(again.header("Retry-After") == String(seconds))
        #expect(
            try again.json["error"] as? String
                == "Rate limited: firmware limits neighbor info responses to once per 3 minutes")
        _ = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .neighborInfo })
        let (store, id) = (live.test.store, live.test.id)
        #expect(try eventually { try store.read { try $0.neighbors(in: id) }.contains { $0.node == near } })
        #expect(live.radio.received.count { $0.decoded?.port == .neighborInfo } == 1)
    }

    /// Nothing but the link's own packets reaches the radio, which is there and would take them.
    @Test func whatIsRefusedIsNotSent() throws {
        let live = try Live()
        let (test, far) = (live.test, live.radio.nodes[1].number)
        let (reader, writer) = (try test.token(["read"]), try test.token(["traceroute:write"]))
        let body = #"{"destination":"\#(far.id)"}"#
        for path in [
            "/api/v1/actions/traceroute", "/api/v1/actions/request-position", "/api/v1/actions/request-nodeinfo",
            "/api/v1/actions/request-neighbors", "/api/traceroute", "/api/position/request", "/api/nodeinfo/request",
            "/api/neighborinfo/request", "/api/nodes/\(far.id)/favorite", "/api/nodes/\(far.id)/ignored",
        ] {
            #expect(try test.ask("POST", path, as: reader, body).status == 403, "\(path)")
            #expect(try test.ask("POST", path, headers: [], body: Array(body.utf8)).status == 401, "\(path)")
        }
        #expect(try test.ask("POST", "/api/v1/actions/request-neighbors", as: writer, body).status == 403)
        let notEligible = try test.ask("POST", "/api/neighborinfo/request", as: writer, body)
        #expect(notEligible.status == 403)
        #expect(
            notEligible.text == #"{"success":false,"error":"Neighbor info requests are only allowed for the "#
                + #"local node or directly-heard (0-hop) nodes","eligible":false}"#)
        #expect(try test.post("/api/v1/actions/traceroute", #"{"destination":"!zz"}"#).status == 400)
        let id = test.id
        #expect(try test.store.read { try $0.outbox(in: id) }.isEmpty)
        #expect(try test.store.read { try $0.traceroutes(in: id) }.isEmpty)
        // What comes later shows that nothing was on its way.
        #expect(try test.post("/api/v1/messages", #"{"text":"last","channel":0}"#).status == 201)
        _ = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .textMessage })
        #expect(live.radio.received.allSatisfy { [.textMessage, .admin].contains($0.decoded?.port) })
        #expect(!live.radio.received.contains { $0.decoded.map { PacketContent($0) } == .admin(.setFavorite(far)) })
    }

    @Test(arguments: [
        ("traceroute", "Traceroute request"), ("position/request", "Position request"),
        ("nodeinfo/request", "NodeInfo request"), ("neighborinfo/request", "Neighbor info request"),
    ])
    func asMeshMonitorsPagesDo(_ path: String, _ title: String) throws {
        let live = try Live()
        let hiker = live.radio.nodes[0].number
        let answer = try live.test.post("/api/" + path, #"{"destination":"\#(hiker.id)"}"#)
        #expect(answer.status == 200)
        #expect(
            answer.text == #"{"success":true,"message":"\#(title) sent to \#(hiker.id.dropFirst()) on channel 0"}"#)
        #expect(live.radio.waitForPacket(timeout: 90) { $0.to == hiker } != nil)
    }
}
