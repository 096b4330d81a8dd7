import Foundation
import MeshModel
import MeshProtocol
import Nettle
import Testing

@testable import RestAPI

/// `GET /self`: name, id, key and contact for everybody; the channels' link, which holds their keys, for few.
@Suite struct TheRadioIsGivenToOthers {
    @Test func asAContact() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        // Live is the link as soon as it is configured; that its node is stored follows.
        #expect(try eventually { try live.test.get("/api/v1/self").data["publicKey"] is String })
        let answer = try live.test.get("/api/v1/self")
        let data = try answer.data
        #expect(data["nodeId"] as? String == live.radio.number.id)
        #expect(data["longName"] as? String == "Simulated radio 📻")
        let key = live.radio.publicKey
        #expect(data["publicKey"] as? String == Base64.encoded(key.bytes))
        let words = try #require(data["keyWords"] as? [String])
        #expect(words.joined() == Base64.encoded(key.bytes))
        #expect(words.allSatisfy { $0.count == 4 })
        let url = try #require(data["contactUrl"] as? String)
        #expect(url.hasPrefix("https://meshtastic.org/v/#"))
        let bytes = try #require(Base64.decodedLeniently(String(url.dropFirst("https://meshtastic.org/v/#".count))))
        // As the radio itself reads it: field 66 of an AdminMessage holds a SharedContact.
        let admin = [0x92, 0x04] + Self.varint(bytes.count) + bytes
        guard case .admin(.addContact(let contact)) = PacketContent(MeshData(port: .admin, payload: admin)) else {
            Issue.record("no contact: \(url)")
            return
        }
        #expect(contact.number == live.radio.number)
        #expect(contact.user?.longName == "Simulated radio 📻")
        #expect(contact.user?.publicKey == key)
        #expect(!contact.shouldIgnore && !contact.isManuallyVerified)
        #expect(!answer.text.contains("channelUrl"))
    }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 127 | 128), UInt8(number >> 7)]
    }

    @Test func theKeysOfTheChannelsAreForWhoWritesTheConfiguration() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        for scopes in [["info:read"], ["read", "send"], ["read", "configuration:read"], ["read", "channels:write"]] {
            let answer = try live.test.ask("GET", "/api/v1/self", as: try live.test.token(scopes))
            #expect(answer.status == 200)
            #expect(!answer.text.contains("/e/#") && !answer.text.contains("channelUrl"), "\(scopes)")
        }
        for scopes in [["admin"], ["info:read", "configuration:write"]] {
            let url = try live.test.ask("GET", "/api/v1/self", as: try live.test.token(scopes)).data["channelUrl"]
            let link = try ChannelLink(parsing: try #require(url as? String))
            #expect(link.channels.map(\.name).contains("Hikers"))
        }
        #expect(try live.test.ask("GET", "/api/v1/self", as: try live.test.token(["nodes:read"])).status == 403)
    }

    @Test func whileItIsAway() throws {
        let test = try TestGateway()
        let data = try test.ask("GET", "/api/v1/self", as: try test.token(["admin"])).data
        #expect(data["nodeId"] is NSNull && data["contactUrl"] is NSNull && data["channelUrl"] is NSNull)
    }
}
