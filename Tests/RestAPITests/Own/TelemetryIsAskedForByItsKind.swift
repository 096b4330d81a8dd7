import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import RestAPI

@Suite struct TelemetryIsAskedForByItsKind {
    @Test(arguments: [
        (nil, Telemetry.Kind.device), ("device", .device), ("environment", .environment), ("airQuality", .airQuality),
        ("power", .power), ("localStats", .localStats),
    ])
    func each(_ kind: String?, _ wanted: Telemetry.Kind) throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let hiker = live.radio.nodes[0].number
        let word = kind.map { #","kind":"\#($0)""# } ?? ""
        let answer = try live.test.post(
            "/api/v1/actions/request-telemetry", #"{"destination":"\#(hiker.id)"\#(word)}"#)
        #expect(
            answer.text == #"{"success":true,"data":{"destination":"\#(hiker.id)","channel":0,"#
                + #""message":"Telemetry request sent"}}"#)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .telemetry })
        #expect(sent.to == hiker)
        #expect(sent.decoded?.wantResponse == true)
        guard case .telemetry(let telemetry) = PacketContent(try #require(sent.decoded)) else {
            Issue.record("no telemetry")
            return
        }
        // Empty: what we measure is for nobody to believe.
        #expect(telemetry.kind == wanted && telemetry.values.isEmpty)
    }

    @Test(arguments: [#""Device""#, #""health""#, #""host""#, #""""#, "2", "[]", "{}", "true", #""🌡""#])
    func whatIsNoKind(_ kind: String) throws {
        let test = try TestGateway()
        let answer = try test.post(
            "/api/v1/actions/request-telemetry", #"{"destination":"!abcdef12","kind":\#(kind)}"#)
        #expect(answer.status == 400)
        #expect(
            answer.text
                == #"{"success":false,"error":"kind is one of device, environment, airQuality, power, localStats"}"#)
    }

    @Test(arguments: ["{}", #"{"destination":""}"#, #"{"nodeNum":0}"#, #"{"destination":"!"}"#])
    func withoutADestination(_ body: String) throws {
        let test = try TestGateway()
        let answer = try test.post("/api/v1/actions/request-telemetry", body)
        #expect(answer.status == 400)
        #expect(
            answer.text
                == #"{"success":false,"error":"Destination node is required (destination, nodeId, or nodeNum)"}"#)
    }

    @Test func withoutARadio() throws {
        let test = try TestGateway()
        let answer = try test.post("/api/v1/actions/request-telemetry", #"{"destination":"!abcdef12"}"#)
        #expect(answer.status == 503)
        #expect(answer.text == #"{"success":false,"error":"Not connected to Meshtastic node"}"#)
    }
}
