import MeshModel
import MeshProtocol
import QRCodes
import Testing

@testable import RestAPI

/// QR codes of a contact and of the channels: of the very links that the API shows, for those who see these.
@Suite struct CodesAreDrawnOfThingsOnly {
    @Test func aNodeAsAContact() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { node in
            (node.longName, node.channel, node.publicKey) = ("Ridge", 1, PublicKey([UInt8](1...32)))
        }
        let answer = try test.get("/api/v1/nodes/!abcdef12/contact.svg")
        let link = try #require(try test.get("/api/v1/nodes/!abcdef12/key").data["contactUrl"] as? String)
        #expect(answer.text == QRCode(link)?.svg)
        #expect(answer.header("Content-Type") == "image/svg+xml")
        #expect(answer.header("Content-Security-Policy") == "default-src 'none'")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        let tag = try #require(answer.header("ETag"))
        let known = [(name: "If-None-Match", value: tag)]
        #expect(try test.get("/api/v1/nodes/!abcdef12/contact.svg", headers: known).status == 304)
        // What else is asked for changes nothing: no text is taken.
        let more = try test.get("/api/v1/nodes/!abcdef12/contact.svg?text=https://evil.example&url=x")
        #expect(more.body == answer.body)
        for (scopes, status) in [
            (["nodes:read", "channel_1:viewOnMap"], 200), (["nodes:read"], 403), (["channels:viewOnMap"], 403),
        ] {
            let token = try test.token(scopes)
            #expect(try test.ask("GET", "/api/v1/nodes/!abcdef12/contact.svg", as: token).status == status, "\(scopes)")
        }
    }

    @Test func oneWithoutAKeyIsNoContact() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        #expect(try test.get("/api/v1/nodes/!abcdef12/contact.svg").status == 404)
        #expect(try test.get("/api/v1/nodes/!00000001/contact.svg").status == 404)
    }

    @Test func theChannelsForWhoSeesTheirKeys() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let test = live.test
        for scopes in [["admin"], ["info:read", "configuration:write"]] {
            let token = try test.token(scopes)
            let answer = try test.ask("GET", "/api/v1/channels.svg", as: token)
            let link = try #require(try test.ask("GET", "/api/v1/self", as: token).data["channelUrl"] as? String)
            #expect(answer.text == QRCode(link)?.svg, "\(scopes)")
        }
        for scopes in [
            ["info:read"], ["configuration:write"], ["read", "send"], ["read", "configuration:read"],
            ["read", "channels:write"],
        ] {
            let answer = try test.ask("GET", "/api/v1/channels.svg", as: try test.token(scopes))
            #expect(answer.status == 403 && !answer.text.contains("<svg"), "\(scopes)")
        }
    }

    @Test func oneChannelIsSharedWithoutTheOthers() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let token = try live.test.token(["admin"])
        let all = try #require(try live.test.ask("GET", "/api/v1/self", as: token).data["channelUrl"] as? String)
        let one = ChannelLink(entries: [try ChannelLink(parsing: all).entries[1]], adds: true)
        let answer = try live.test.ask("GET", "/api/v1/channels.svg?channel=1", as: token)
        #expect(answer.text == QRCode(one.text)?.svg)
        #expect(try live.test.ask("GET", "/api/v1/channels.svg?channel=7", as: token).status == 404)
        #expect(try live.test.ask("GET", "/api/v1/channels.svg?channel=8", as: token).status == 400)
    }

    @Test func notWhileTheRadioIsAway() throws {
        let test = try TestGateway()
        let answer = try test.ask("GET", "/api/v1/channels.svg", as: try test.token(["admin"]))
        #expect(answer.status == 503)
    }
}
