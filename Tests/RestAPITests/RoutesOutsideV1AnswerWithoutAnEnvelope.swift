import Foundation
import MeshModel
import Platform
import Routes
import Testing

@testable import RestAPI

@Suite struct RoutesOutsideV1AnswerWithoutAnEnvelope {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([
            Channel(index: 0, role: .primary, psk: [1]), Channel(index: 1, role: .secondary, name: "c1", psk: [1]),
        ])
        for id in 1...5 as ClosedRange<PacketID> {
            try test.insert("text \(id)", packetID: id, at: TestGateway.now + Int64(id)) {
                $0.channel = id == 2 ? 1 : 0
            }
        }
        try test.update(TestGateway.peer) { ($0.channel, $0.lastHeard) = (0, WallClock.milliseconds() / 1000) }
        try test.update(NodeNumber(0x100)) { $0.channel = 1 }
        return test
    }

    private func rows(_ answer: Answer) throws -> [NSDictionary] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary], "\(answer.text)")
    }

    @Test func whatTellsOfNobodyIsOpen() throws {
        let test = try gateway()
        #expect(
            try test.ask("GET", "/api/connection").text
                == #"{"connected":false,"nodeResponsive":false,"configuring":false,"userDisconnected":false}"#)
        let info = try test.ask("GET", "/api/server-info")
        #expect(JSONText(info.body).keys == ["timezone", "timezoneProvided"])
        #expect(try (info.json["timezone"] as? String)?.isEmpty == false)
        #expect(
            try test.ask("GET", "/api/version/check").text == #"{"updateAvailable":false,"currentVersion":"1.2.3","#
                + #""error":"This server does not look for newer versions","deploymentMethod":"manual"}"#)
    }

    @Test func sourcesAndTheirState() throws {
        let test = try gateway()
        let createdAt = try #require(try test.store.read { try $0.sources() }.first?.1.createdAt)
        // No radio has told how it sends.
        #expect(
            try test.get("/api/sources").text == #"[{"id":"\#(test.uuid)","name":"Default","type":"meshtastic_tcp","#
                + #""enabled":true,"createdAt":\#(createdAt),"updatedAt":\#(createdAt),"#
                + #""config":{"host":null,"port":null},"radio":null}]"#)
        #expect(try test.get("/api/automations").text == "[]")
        let one =
            #"{"id":"\#(test.uuid)","name":"Default","type":"meshtastic_tcp","config":{"host":null,"port":null},"#
            + #""enabled":true,"displayOrder":0,"createdAt":\#(createdAt),"updatedAt":\#(createdAt),"createdBy":null}"#
        #expect(try test.get("/api/sources/\(test.uuid)").text == one)
        let blind = try test.token(["info:read"])
        #expect(try rows(try test.ask("GET", "/api/sources", as: blind)).isEmpty)
        #expect(try test.ask("GET", "/api/sources/default", as: blind).status == 404)
        #expect(try test.ask("GET", "/api/sources/default", as: try test.token(["channel_3:read"])).status == 200)
        let status = try test.get("/api/sources/\(test.uuid)/status")
        #expect(
            status.text == #"{"sourceId":"\#(test.uuid)","sourceName":"Default","sourceType":"meshtastic_tcp","#
                + #""connected":false,"nodeNum":null,"nodeId":null,"nodeCount":2,"activeNodeCount":1}"#)
        let narrow = try test.token(["info:read", "channel_1:viewOnMap"])
        let seen = try test.ask("GET", "/api/sources/default/status", as: narrow)
        #expect(try seen.json["nodeCount"] as? Int == 1)
        #expect(try seen.json["activeNodeCount"] as? Int == 0)
        let unknown = try test.get("/api/sources/nobody/status")
        #expect(unknown.status == 404)
        #expect(unknown.text == #"{"error":"Source not found","code":"SOURCE_NOT_FOUND"}"#)
    }

    /// A radio that says how it sends, and a source whose radio is gone.
    @Test func aSourceWithoutARadioIsHistory() throws {
        let filled = try FilledGateway()
        let test = filled.test
        try test.store.commit { writer in
            let gone = Source(uuid: "22222222-2222-4333-8444-555555555555", name: "Old", isEnabled: false, createdAt: 1)
            _ = try writer.insert(gone)
        }
        let sources = try rows(try test.get("/api/sources"))
        #expect(sources.map { $0["name"] as? String } == ["Old", "Default", "Hill"], "oldest first")
        #expect(sources.map { $0["enabled"] as? Bool } == [false, true, true])
        #expect(sources[0]["radio"] is NSNull)
        let text = try test.get("/api/sources").text
        #expect(
            text.contains(
                #""radio":{"frequencyMhz":null,"regionName":"EU_868","modemPreset":0,"txEnabled":true,"#
                    + #""udpRelayEnabled":true,"canTransmit":true}"#), "\(text)")
        let old = try test.get("/api/sources/22222222-2222-4333-8444-555555555555").json
        #expect(old["enabled"] as? Bool == false)
        // MeshMonitor's v1 lists the enabled ones only.
        #expect(try test.get("/api/v1/sources").rows.map { $0["name"] as? String } == ["Default", "Hill"])
        #expect(try test.get("/api/v1/sources").rows.map { $0["isPrimary"] as? Bool } == [true, false])
        let status = try test.get("/api/sources/\(test.uuid)/status").json
        #expect(status["nodeNum"] as? UInt32 == filled.live.radio.number.rawValue)
        #expect(status["nodeId"] as? String == filled.live.radio.number.id)
        filled.live.radio.unplug()
        #expect(try eventually { try test.get("/api/sources/default/status").json["connected"] as? Bool == false })
        // What it has told is known while it is away.
        #expect(try test.get("/api/sources/default/status").json["nodeId"] as? String == filled.live.radio.number.id)
        #expect(try test.get("/api/sources").text == text)
    }

    @Test func rowsAreThoseOfV1() throws {
        let test = try gateway()
        let list = try rows(try test.get("/api/sources/default/messages"))
        #expect(try list == test.get("/api/v1/messages").rows)
        let page = try rows(try test.get("/api/sources/default/messages?limit=2&offset=1"))
        #expect(page.map { $0["text"] as? String } == ["text 4", "text 3"])
        #expect(try rows(try test.get("/api/sources/default/messages?offset=99999999999999")).isEmpty)
        let channels = try rows(try test.get("/api/sources/default/channels"))
        #expect(try channels == test.get("/api/v1/channels").rows)
        try test.update(TestGateway.peer) { $0.uptimeSeconds = 60 }
        let nodes = try test.get("/api/sources/default/nodes")
        let v1 = try test.get("/api/v1/nodes").text
        #expect(v1.hasSuffix(#","uptimeSeconds":60}]}"#) || v1.contains(#","uptimeSeconds":60},{"#))
        #expect(
            nodes.text
                == String(v1.dropFirst(#"{"success":true,"count":2,"data":"#.count).dropLast())
                .replacing(#","uptimeSeconds":60"#, with: ""))
        let mapped = try test.token(["nodes:read", "channel_1:viewOnMap"])
        #expect(
            try rows(try test.ask("GET", "/api/sources/default/nodes", as: mapped)).map { $0["nodeNum"] as? Int } == [
                256
            ])
        let narrow = try test.token(["messages:read", "channel_1:read"])
        let messages = try rows(try test.ask("GET", "/api/sources/default/messages?limit=1", as: narrow))
        #expect(messages.map { $0["text"] as? String } == ["text 2"])
        let seen = try rows(try test.ask("GET", "/api/sources/default/channels", as: narrow))
        #expect(seen.map { $0["id"] as? Int } == [1])
    }
}
