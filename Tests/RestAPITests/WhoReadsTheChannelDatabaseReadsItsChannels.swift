import Foundation
import MeshModel
import Testing

@testable import RestAPI

@Suite struct WhoReadsTheChannelDatabaseReadsItsChannels {
    /// Two entries, one of them deleted, and a message of each beside one of the radio's.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        for _ in 1...2 {
            let answer = try test.ask(
                "POST", "/api/v1/channel-database", as: admin,
                #"{"name":"Hikers","psk":"EBESExQVFhcYGRobHB0eHw==","isEnabled":false}"#)
            try #require(answer.status == 201)
        }
        try #require(try test.ask("DELETE", "/api/v1/channel-database/2", as: admin).status == 200)
        for (id, channel) in [(1, 0), (2, 101), (3, 102)] {
            try test.insert("on \(channel)", packetID: PacketID(id), at: TestGateway.now + Int64(id)) { message in
                message.channel = channel
                message.decryptedWith = channel < 100 ? nil : Int64(channel - 100)
            }
        }
        try test.update(NodeNumber(0x100)) { $0.channel = 0 }
        try test.update(NodeNumber(0x200)) { node in
            (node.channel, node.latitude, node.longitude, node.positionChannel) = (0, 46.5, 6.5, 101)
        }
        try test.update(NodeNumber(0x300)) { $0.channel = 101 }
        return test
    }

    @Test(arguments: [
        (["read", "send"], false), (["read", "channel_database:read"], true), (["admin"], true),
        (["read", "channel_database:write"], true), (["messages:read", "nodes:read", "channel_0:read"], false),
        (["messages:read", "nodes:read", "channel_0:read", "channel_database:read"], true),
    ]) func messagesAndNodes(scopes: [String], isReader: Bool) throws {
        let test = try gateway()
        let token = try test.token(scopes)
        let all = isReader ? ["on 102", "on 101", "on 0"] : ["on 0"]
        #expect(try test.ask("GET", "/api/v1/messages", as: token).texts == all)
        #expect(try test.ask("GET", "/api/v1/messages?limit=1", as: token).texts == [all[0]])
        let found = try test.ask("GET", "/api/v1/messages/search?q=on%20", as: token)
        #expect(try Set(found.texts) == Set(all))
        #expect(try found.json["total"] as? Int == all.count)
        let one = try test.ask("GET", "/api/v1/messages?channel=101", as: token)
        #expect(one.status == (isReader ? 200 : 403))
        if isReader { #expect(try one.texts == ["on 101"]) }
        #expect(try test.ask("GET", "/api/v1/messages/2", as: token).status == (isReader ? 200 : 404))

        let nodes = try test.ask("GET", "/api/v1/nodes", as: token).rows
        let ids = isReader ? ["!00000100", "!00000200", "!00000300"] : ["!00000100", "!00000200"]
        #expect(Set(nodes.compactMap { $0["nodeId"] as? String }) == Set(ids))
        let located = try #require(nodes.first { $0["nodeNum"] as? Int == 0x200 })
        #expect((located["latitude"] != nil) == isReader)
        #expect(try test.ask("GET", "/api/v1/nodes/!00000300", as: token).status == (isReader ? 200 : 403))
    }

    /// What the node of a radio's channel has said on a channel of the gateway, too.
    @Test(arguments: [
        (["read"], false), (["read", "channel_database:read"], true), (["admin"], true),
        (["nodes:read", "channel_0:viewOnMap"], false),
        (["nodes:read", "channel_0:viewOnMap", "channel_database:read"], true),
    ]) func series(scopes: [String], isReader: Bool) throws {
        let test = try gateway()
        try test.update(TestGateway.peer) { $0.channel = 0 }
        for (id, channel) in [(10, 0), (11, 101)] as [(PacketID, UInt32)] {
            let time = TestGateway.now + Int64(id)
            let telemetry = Telemetry(kind: .device, values: [Telemetry.Value("voltage", 3.7)])
            try test.insert(telemetry, packetID: id, channel: channel, at: time)
            try test.insert(place(0, altitude: nil), packetID: id + 10, channel: channel, at: time)
        }
        let token = try test.token(scopes)
        let seen = isReader ? [0, 101] : [0]
        for path in ["telemetry", "telemetry/!abcdef12", "telemetry?type=voltage", "telemetry?type=latitude"] {
            let rows = try test.ask("GET", "/api/v1/" + path, as: token).rows
            #expect(Set(rows.compactMap { $0["channel"] as? Int }) == Set(seen), "\(path)")
        }
        let history = try test.ask("GET", "/api/v1/nodes/!abcdef12/position-history", as: token)
        #expect(try history.json["total"] as? Int == seen.count)
    }

    /// What a token may see changes with the entries, though no message has changed; others do not learn of them.
    @Test func aTagEndsWithANewEntry() throws {
        let test = try gateway()
        let tokens = [try test.token(["read", "channel_database:read"]), try test.token(["read"])]
        let tags = { try tokens.map { try test.ask("GET", "/api/v1/messages", as: $0).header("ETag") } }
        let before = try tags()
        let admin = try test.token(["admin"])
        _ = try test.ask("POST", "/api/v1/channel-database", as: admin, #"{"name":"Open","psk":"AQ=="}"#)
        let after = try tags()
        #expect(after[0] != before[0] && after[1] == before[1])
    }

    @Test func whoDecryptedAMessageIsShown() throws {
        let test = try gateway()
        let rows = try test.ask("GET", "/api/v1/messages", as: try test.token(["admin"])).rows
        #expect(rows.map { $0["decryptedBy"] as? String } == ["server", "server", "node"])
        #expect(rows.map { $0["channel"] as? Int } == [102, 101, 0])
    }

    @Test func nobodySendsThere() throws {
        let test = try gateway()
        let answer = try test.ask(
            "POST", "/api/v1/messages", as: try test.token(["admin"]), #"{"text":"x","channel":101}"#)
        #expect(answer.message == "Channel must be a number between 0 and 7")
    }

    /// scopes -> whether the key is shown
    @Test(arguments: [
        (["channel_database:read"], false), (["channel_database:write"], false),
        (["channel_database:read", "channel_database:write"], false),
        (["channel_database:read", "configuration:write"], false),
        (["channel_database:read", "channel_database:write", "configuration:read"], false),
        (["channel_database:write", "configuration:write"], true), (["admin"], true),
    ]) func keysAreForWhoMayWriteBoth(scopes: [String], isShown: Bool) throws {
        let test = try gateway()
        let admin = try test.token(["admin"])
        _ = try test.ask("POST", "/api/v1/channel-database", as: admin, #"{"name":"Open","psk":"AQ=="}"#)
        let answer = try test.ask("GET", "/api/v1/channel-database", as: try test.token(scopes))
        let rows = try answer.rows
        #expect(rows.map { $0["psk"] as? String } == (isShown ? ["EBESExQVFhcYGRobHB0eHw==", "AQ=="] : [nil, nil]))
        // The default key is no secret.
        #expect(
            rows.map { $0["pskPreview"] as? String }
                == [isShown ? "EBESExQVFhcYGRobHB0eHw==" : "********", "AQ=="])
        #expect(rows.map { $0["pskLength"] as? Int } == [16, 1])
        #expect(answer.text.contains("EBES") == isShown)
    }

    /// Without the permission to read there is no entry, whatever its number.
    @Test func whoMayNotReadFindsNone() throws {
        let test = try gateway()
        let token = try test.token(["read", "send", "configuration:write"])
        for id in [1, 2, 99] {
            let answer = try test.ask("GET", "/api/v1/channel-database/\(id)", as: token)
            #expect(answer.status == 404)
            #expect(
                answer.text
                    == #"{"success":false,"error":"Not Found","message":"Channel database entry \#(id) not found"}"#)
        }
    }

    /// What else he asks for is refused in MeshMonitor's words.
    @Test(arguments: [
        ("GET", "", "read permission required"), ("GET", "/retroactive-decrypt/progress", "read permission required"),
        ("POST", "", "write permission required to create channel database entries"),
        ("PUT", "/1", "write permission required to update channel database entries"),
        ("DELETE", "/1", "write permission required to delete channel database entries"),
        ("PUT", "/reorder", "write permission required to reorder channel database entries"),
        ("POST", "/1/retroactive-decrypt", "write permission required to trigger retroactive decryption"),
        ("PUT", "/1/permissions/1", "write permission required to modify channel permissions"),
        ("DELETE", "/1/permissions/1", "write permission required to modify channel permissions"),
        ("GET", "/1/permissions", "read permission required to view channel permissions"),
    ]) func refusals(_ method: String, _ path: String, _ words: String) throws {
        let test = try gateway()
        let answer = try test.ask(
            method, "/api/v1/channel-database" + path, as: try test.token(["read", "send"]), "{}")
        let action = words.hasPrefix("read") ? "read" : "write"
        #expect(answer.status == 403)
        #expect(
            answer.text == #"{"success":false,"error":"Forbidden","message":"channel_database:\#(words)","#
                + #""required":{"resource":"channel_database","action":"\#(action)"}}"#)
    }

    /// Nor does a change show the key to who may not see it.
    @Test func aWriterIsNotShownTheOldKey() throws {
        let test = try gateway()
        let writer = try test.token(["channel_database:write"])
        let answer = try test.ask("PUT", "/api/v1/channel-database/1", as: writer, #"{"name":"Climbers"}"#)
        #expect(answer.status == 200 && !answer.text.contains("EBES"))
        #expect(try answer.data["name"] as? String == "Climbers")
    }
}
