import ControlAPI
import Foundation
import Glibc
import HTTPServer
import MeshModel
import MeshProtocol
import Platform
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct PacketsAreTakenApart {
    private static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)

    private func ask(_ test: TestGateway, _ target: String) throws -> Answer {
        try test.ask("GET", target, peer: Self.me)
    }

    private func packets(_ test: TestGateway, _ query: String = "") throws -> [NSDictionary] {
        try #require(try ask(test, "/local/packets\(query)").json["packets"] as? [NSDictionary])
    }

    @Test func everyFilterMustHold() throws {
        let test = try FilledGateway().test
        func count(_ query: String) throws -> Int { try packets(test, query).count }
        #expect(try count("") >= 3, "what the radio and the gateway told each other is there as well")
        #expect(try count("?port=text_message") == 2 && count("?port=1") == 2 && count("?port=TEXT_MESSAGE_APP") == 2)
        #expect(try count("?port=encrypted") == 1)
        #expect(try count("?from=Ridge") == 3 && count("?from=!00000042") == 0)
        #expect(try count("?to=all&port=1&limit=1") == 1)
        #expect(try count("?channel=0&from=Ridge") == 3 && count("?channel=7") == 0)
        #expect(try count("?since=1h&from=Ridge") == 3)
        for wrong in ["?port=nonsense", "?limit=0", "?limit=x", "?since=soon"] {
            #expect(try ask(test, "/local/packets\(wrong)").status == 400)
        }
        #expect(try ask(test, "/local/packets?from=nobody").status == 404)
    }

    @Test func aPacketIsNamedByItsRowOrItsID() throws {
        let test = try FilledGateway().test
        let row = try #require(try packets(test, "?port=1").last?["row"] as? Int)
        for name in ["\(row)", "0x7"] {
            let page = try ask(test, "/local/packets/\(name)").json
            #expect((page["packet"] as? NSDictionary)?["packetId"] as? Int == 7)
            #expect(page["origin"] as? String == "log")
            let fields = try #require(page["fields"] as? [NSDictionary])
            #expect(fields.contains { $0["name"] as? String == "payload" && $0["value"] as? String == "\"hello\"" })
            let lengths = fields.compactMap { $0["length"] as? Int }
            #expect(lengths.reduce(0, +) == page["length"] as? Int)
        }
        #expect(try ask(test, "/local/packets/4711").status == 404)
        #expect(try ask(test, "/local/packets/first").status == 400)
    }

    /// AN1200.13 by hand: SF 11, 250 kHz, 4/5: a symbol of 8.192 ms. 16 bytes of header and 9 of Data { 08 01, 12 05
    /// hello }: 8 * 25 - 44 + 44 = 200 bits, ceil(200 / 44) = 5, so 8 + 25 = 33 symbols behind 20.25.
    @Test func theTimeOnTheAirIsTheModems() throws {
        let test = try FilledGateway().test
        let row = try #require(try packets(test, "?port=1").last?["row"] as? Int)
        func airtime(_ query: String) throws -> NSDictionary {
            try #require(try ask(test, "/local/packets/\(row)\(query)").json["airtime"] as? NSDictionary)
        }
        let long = try airtime("?preset=long_fast")
        #expect(long["bytes"] as? Int == 25)
        #expect(long["milliseconds"] as? Double == 436.2)
        #expect(long["isAssumed"] as? Bool == false)
        #expect(try airtime("?preset=SHORT_TURBO")["spreadingFactor"] as? Int == 7)
        #expect(try ask(test, "/local/packets/\(row)?preset=FAST").status == 400)
    }

    @Test func givenBytesNeedNobody() throws {
        // FromRadio { packet { from 0xA1B2C3D4, hop_limit 3 } }, once as a stream frame.
        let message: [UInt8] = [0x12, 0x07, 0x0D, 0xD4, 0xC3, 0xB2, 0xA1, 0x48, 0x03]
        for bytes in [message, [0x94, 0xC3, 0x00, 0x09] + message] {
            let page = try Answer(ControlAPI.explanation(of: bytes, preset: nil)).json
            #expect(page["message"] as? String == "FromRadio" && page["length"] as? Int == 9)
            #expect(page["via"] is NSNull && page["packet"] is NSNull)
            #expect((page["hops"] as? NSDictionary)?["limit"] as? Int == 3)
            #expect((page["airtime"] as? NSDictionary)?["isAssumed"] as? Bool == true)
        }
        #expect(ControlAPI.explanation(of: [UInt8](repeating: 0, count: 513), preset: nil).status == 400)
    }

    /// Only who is heard directly can have handed it on last, and nobody relays for himself.
    @Test func relaysAreGuessedByTheirLastByte() throws {
        let filled = try FilledGateway()
        let (test, id) = (filled.test, filled.test.id)
        try test.update(NodeNumber(0x0000_0A12)) { ($0.longName, $0.hopsAway) = ("Near", 0) }
        try test.update(NodeNumber(0x0000_0B12)) { ($0.longName, $0.hopsAway) = ("Far", 3) }
        let packet = MeshPacket(
            from: FilledGateway.peer, to: .broadcast, id: 99, payload: .encrypted([1]), rxRSSI: -90, hopLimit: 1,
            hopStart: 3,
            relayNode: 0x12)
        try test.store.commit { try $0.logPacket(packet, direction: .rx, in: id, at: WallClock.milliseconds()) }
        let hops = try #require(try ask(test, "/local/packets/99").json["hops"] as? NSDictionary)
        #expect(hops["away"] as? Int == 2 && hops["relayByte"] as? Int == 0x12)
        let names = (hops["relayCandidates"] as? [NSDictionary])?.map { $0["longName"] as? String }
        #expect(names == ["Near"])
    }
}
