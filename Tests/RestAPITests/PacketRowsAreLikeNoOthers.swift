import Foundation
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import RestAPI

@Suite struct PacketRowsAreLikeNoOthers {
    static let own = TestGateway.own
    static let peer = TestGateway.peer

    /// Stores a packet from the peer, as the contract's sample has it.
    private func log(
        in test: TestGateway, _ direction: PacketDirection = .rx, entry: Int64? = nil,
        at time: Int64 = 1_787_300_042_511,
        _ change: (inout MeshPacket, inout MeshData) -> Void = { _, _ in }
    ) throws {
        var data = MeshData(port: .textMessage, payload: Array("Good morning mesh".utf8))
        var packet = MeshPacket(
            from: Self.peer, to: .broadcast, id: 411_602_817, payload: .none, rxTime: 1_787_300_042, rxSNR: 5.25,
            rxRSSI: -97, hopLimit: 2, hopStart: 3, priority: 64, relayNode: 18, transport: .lora)
        change(&packet, &data)
        if packet.payload == .none { packet.payload = .decoded(data) }
        let (stored, id) = (packet, test.id)
        try test.store.commit {
            try $0.logPacket(stored, direction: direction, decryptedWith: entry, in: id, at: time)
        }
    }

    @Test func aRowIsTheContractsSample() throws {
        let test = try TestGateway()
        try test.update(Self.peer) { $0.longName = "Ridge Repeater" }
        try log(in: test)
        let row =
            #"{"id":1,"packet_id":411602817,"timestamp":1787300042511,"from_node":2882400018,"#
            + #""from_node_id":"!abcdef12","to_node":4294967295,"to_node_id":"!ffffffff","channel":0,"portnum":1,"#
            + #""portnum_name":"TEXT_MESSAGE_APP","encrypted":0,"snr":5.25,"rssi":-97,"hop_limit":2,"hop_start":3,"#
            + #""relay_node":18,"payload_size":17,"want_ack":0,"priority":64,"payload_preview":"Good morning mesh","#
            + #""metadata":"{\"id\":411602817,\"rx_time\":1787300042,\"rx_snr\":5.25,\"rx_rssi\":-97,\"hop_limit\":2,"#
            + #"\"hop_start\":3,\"want_ack\":false,\"priority\":64,\"transport_mechanism\":1,"#
            + #"\"decoded_payload\":\"Good morning mesh\"}","direction":"rx","#
            + #""created_at":1787300042511,"decrypted_by":"node","decrypted_channel_id":null,"transport_mechanism":1,"#
            + #""sourceId":"\#(test.uuid)","spoof_suspected":null,"xeddsa_signed":false,"#
            + #""from_node_longName":"Ridge Repeater","to_node_longName":null}"#
        let list = try test.get("/api/v1/packets")
        #expect(
            list.text == #"{"success":true,"count":1,"total":1,"offset":0,"limit":100,"data":["# + row + "]}")
        #expect(try test.get("/api/v1/packets/1").text == #"{"success":true,"data":"# + row + "}")
    }

    @Test func whatCannotBeReadIsSaidToBeEncrypted() throws {
        let test = try TestGateway()
        try log(in: test) { packet, _ in
            packet.payload = .encrypted([0x0F, 0xA0, 0x22])
            packet.xeddsaSigned = true
        }
        let row = try #require(try test.get("/api/v1/packets").rows.first)
        #expect(row["encrypted"] as? Int == 1)
        #expect(row["portnum"] as? Int == 0)
        #expect(row["portnum_name"] as? String == "UNKNOWN_APP")
        #expect(row["payload_preview"] as? String == "🔒 <ENCRYPTED>")
        #expect(row["payload_size"] as? Int == 3)
        #expect(row["decrypted_by"] is NSNull)
        #expect(
            (row["metadata"] as? String)?.hasSuffix(
                #","transport_mechanism":1,"xeddsa_signed":true,"encrypted_payload":"0fa022"}"#) == true)
    }

    @Test func whatTheServerDecryptedIsForReadersOfItsChannels() throws {
        let test = try TestGateway()
        try log(in: test, entry: 3)
        let reader = try test.token(["read", "channel_database:read"])
        let row = try #require(try test.ask("GET", "/api/v1/packets", as: reader).rows.first)
        #expect(row["decrypted_by"] as? String == "server")
        #expect(row["decrypted_channel_id"] as? Int == 3)
        #expect(row["encrypted"] as? Int == 0)
        #expect(try test.ask("GET", "/api/v1/packets", as: try test.token(["read"])).rows.isEmpty)
    }

    /// Somebody else sends under our number; the text is meant to break out of its quotes.
    @Test func hostilePacketsAreShownAsTheyAre() throws {
        let test = try TestGateway()
        let (source, own) = (test.id, Self.own)
        try test.store.commit { try $0.update(source) { $0.nodeNumber = own } }
        try log(in: test) { packet, data in
            packet.from = Self.own
            packet.wantAck = true
            packet.xeddsaSigned = true
            data.payload = Array("\"}],<script>\n".utf8)
        }
        try log(in: test) { _, data in data.port = PortNumber(rawValue: 4_000_000_000) }
        let rows = try test.get("/api/v1/packets").rows
        #expect(rows[1]["spoof_suspected"] as? Int == 1)
        #expect(rows[1]["want_ack"] as? Int == 1)
        #expect(rows[1]["xeddsa_signed"] as? Bool == true)
        #expect(rows[1]["payload_preview"] as? String == "\"}],<script>\n")
        #expect(rows[0]["portnum"] as? Int == 4_000_000_000)
        #expect(rows[0]["portnum_name"] as? String == "UNKNOWN_4000000000")
    }

    /// What we have said ourselves, handed back by a broker or on the air, is an echo.
    @Test func onlyAnIDThatWeNeverIssuedIsSuspected() throws {
        let test = try TestGateway()
        let (source, own) = (test.id, Self.own)
        try test.store.commit { writer in
            try writer.update(source) { $0.nodeNumber = own }
            let message = Message(
                id: "", from: own, to: .broadcast, text: "hi", channel: 0, packetID: 7, isOwn: true, timestamp: 1,
                createdAt: 1, updatedAt: 1)
            try writer.insertMessage(message, in: source)
        }
        for (id, viaMQTT, rssi) in [(7, true, nil), (7, false, -80), (8, true, nil), (9, false, -80)]
            as [(PacketID, Bool, Int32?)]
        {
            try log(in: test) { packet, _ in
                (packet.from, packet.id, packet.viaMQTT, packet.rxRSSI) = (own, id, viaMQTT, rssi)
            }
        }
        let rows = try test.get("/api/v1/packets").rows
        #expect(rows.map { $0["spoof_suspected"] as? Int } == [1, 1, nil, nil])
    }

    @Test func ownPacketsHaveTheirOwnWay() throws {
        let test = try TestGateway()
        for to in [NodeNumber.broadcast, Self.peer] {
            try log(in: test, .tx) { packet, data in
                (packet.from, packet.to, packet.rxRSSI, packet.rxSNR) = (Self.own, to, nil, 0)
                data.payload = Array("out".utf8)
            }
        }
        let rows = try test.get("/api/v1/packets").rows
        for row in rows {
            #expect(row["direction"] as? String == "tx")
            #expect(row["payload_preview"] as? String == "\"out\"")
            #expect(row["snr"] is NSNull)
            #expect(row["decrypted_by"] is NSNull)
            #expect(row["spoof_suspected"] is NSNull)
        }
        #expect(rows.map { $0["to_node_id"] as? String } == ["!abcdef12", "broadcast"])
        #expect(rows.map { $0["packet_id"] as? Int } == [411_602_817, nil])
    }

    @Test func everyFilterHoldsAndTheTotalIsOfAllPages() throws {
        let test = try TestGateway()
        try log(in: test, at: 1_787_300_001_000) { packet, _ in packet.id = 1 }
        try log(in: test, at: 1_787_300_002_000) { packet, data in
            (packet.id, packet.channel, data.port) = (2, 2, .telemetry)
        }
        try log(in: test, at: 1_787_300_003_000) { packet, _ in
            (packet.id, packet.from, packet.to) = (3, NodeNumber(0xFFFF_FFF0), Self.peer)
        }
        try log(in: test, at: 1_787_300_004_000) { packet, _ in (packet.id, packet.payload) = (4, .encrypted([1])) }
        func ids(_ query: String) throws -> [Int] {
            let answer = try test.get("/api/v1/packets?" + query)
            let ids = try answer.rows.map { try #require($0["packet_id"] as? Int) }
            let page = try test.get("/api/v1/packets?limit=1&offset=1&" + query)
            #expect(try page.rows.map { $0["packet_id"] as? Int } == Array(ids.dropFirst().prefix(1)))
            #expect(try page.json["total"] as? Int == ids.count)
            #expect(try page.json["count"] as? Int == min(max(ids.count - 1, 0), 1))
            #expect(try page.json["offset"] as? Int == 1)
            return ids
        }
        #expect(try ids("") == [4, 3, 2, 1])
        #expect(try ids("portnum=67") == [2])
        #expect(try ids("portnum=0") == [4])
        #expect(try ids("from_node=4294967280") == [3])
        #expect(try ids("to_node=2882400018") == [3])
        #expect(try ids("channel=2") == [2])
        #expect(try ids("encrypted=true") == [4])
        #expect(try ids("encrypted=false") == [3, 2, 1])
        #expect(try ids("encrypted=1") == [4, 3, 2, 1], "neither true nor false")
        #expect(try ids("since=1787300003") == [4, 3], "seconds")
        #expect(try ids("since=1787300003000") == [4, 3], "milliseconds")
        #expect(try ids("since=1787300003001") == [4])
        #expect(try ids("channel=2&portnum=1") == [])
        #expect(try ids("from_node=x") == [])
        #expect(try ids("from_node=4294967296") == [])
        #expect(try ids("from_node=-1") == [])
    }

    @Test func thePageIsChecked() throws {
        let test = try TestGateway()
        try log(in: test)
        for (query, message) in [
            ("offset=-1", "Offset must be non-negative"), ("limit=0", "Limit must be at least 1"),
            ("limit=-5&offset=0", "Limit must be at least 1"), ("limit=0&offset=-1", "Offset must be non-negative"),
        ] {
            let answer = try test.get("/api/v1/packets?" + query)
            #expect(answer.status == 400)
            #expect(answer.message == message)
        }
        for (query, limit) in [("limit=5000", 1000), ("limit=x", 100), ("", 100), ("limit=7", 7)] {
            #expect(try test.get("/api/v1/packets?" + query).json["limit"] as? Int == limit)
        }
        let far = try test.get("/api/v1/packets?offset=99999999999999999999")
        #expect(try far.json["total"] as? Int == 1)
        #expect(try test.get("/api/v1/packets/x").message == "Invalid packet ID")
        #expect(try test.get("/api/v1/packets/x").status == 400)
        #expect(try test.get("/api/v1/packets/2").message == "Packet not found")
        #expect(try test.get("/api/v1/packets/-1").status == 404)
    }

    @Test func whatATokenMayNotReadIsNeitherShownNorCounted() throws {
        let test = try TestGateway()
        try log(in: test) { packet, _ in packet.channel = 0 }
        try log(in: test) { packet, _ in packet.channel = 1 }
        try log(in: test) { packet, _ in (packet.to, packet.pkiEncrypted) = (Self.own, true) }
        try log(in: test) { packet, _ in packet.payload = .encrypted([1]) }
        func rows(_ scopes: [String]) throws -> [Int] {
            let token = try test.token(["packetmonitor:read"] + scopes)
            let answer = try test.ask("GET", "/api/v1/packets", as: token)
            let rows = try answer.rows.map { try #require($0["id"] as? Int) }
            #expect(try answer.json["total"] as? Int == rows.count)
            for row in 1...4 {
                let one = try test.ask("GET", "/api/v1/packets/\(row)", as: token)
                #expect(one.status == (rows.contains(row) ? 200 : 404))
            }
            return rows
        }
        #expect(try rows([]) == [4])
        #expect(try rows(["channel_1:read"]) == [4, 2])
        #expect(try rows(["messages:read"]) == [4, 3])
        #expect(try rows(["read"]) == [4, 3, 2, 1])
        #expect(try rows(["admin"]) == [4, 3, 2, 1])
    }
}
