import Foundation
import HTTPServer
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway
@testable import RestAPI

/// An answer acknowledges by itself: an acknowledgement alone says that none comes.
@Suite struct ARequestThatNobodyWillAnswerEnds {
    private static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)

    private func state(_ test: TestGateway, _ kind: String) throws -> (state: String?, reason: String?) {
        let page = try test.ask(
            "GET", "/local/requests/\(kind)/77?node=\(TestGateway.peer.id)", peer: Self.me
        ).json
        return (page["state"] as? String, page["reason"] as? String)
    }

    private func log(
        _ test: TestGateway, _ port: PortNumber, _ payload: [UInt8], from: NodeNumber = TestGateway.peer,
        to own: NodeNumber = TestGateway.own
    ) throws {
        let data = MeshData(port: port, payload: payload, requestID: 77)
        let packet = MeshPacket(
            from: from, to: own, id: 5, payload: .decoded(data), rxSNR: 5, rxRSSI: -80, hopLimit: 3,
            hopStart: 3, transport: .lora)
        let id = test.id
        try test.store.commit { try $0.logPacket(packet, direction: .rx, in: id, at: TestGateway.now) }
    }

    private let acknowledgement = Routing.error(.none).encoded()

    @Test func neighboursThatTheOwnRadioDrops() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let peer = live.radio.nodes[0].number
        let page = {
            try live.test.ask("GET", "/local/requests/neighbors/77?node=\(peer.id)", peer: Self.me).json
        }
        try log(live.test, .routing, acknowledgement, from: peer, to: live.radio.number)
        // Its neighbor_info module takes the answer, which may still come.
        #expect(try page()["state"] as? String == "waiting")
        let change = #"{"changes":[{"path":"neighbor_info.enabled","value":"false"}]}"#
        let changed = try live.test.ask(
            "POST", "/local/radio/config", headers: [(name: "Content-Type", value: "application/json")],
            body: Array(change.utf8), peer: Self.me)
        try #require(changed.status == 200, "\(changed.text)")
        // The radio restarts with it.
        try #require(eventually { try page()["state"] as? String == "failed" })
        #expect((try page()["reason"] as? String)?.contains("neighbor_info.enabled=true") == true)
    }

    @Test func aNodeThatHasToldItsNamesLately() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { $0.longName = "Peer" }
        #expect(try state(test, "nodeinfo").state == "waiting")
        // That somebody has repeated it is no word of the node's.
        try log(test, .routing, acknowledgement, from: TestGateway.own)
        #expect(try state(test, "nodeinfo").state == "waiting")
        try log(test, .routing, acknowledgement)
        let ended = try state(test, "nodeinfo")
        #expect(ended.state == "failed" && ended.reason?.contains("ten minutes") == true)
        // Others may still come.
        for kind in ["position", "telemetry", "neighbors"] { #expect(try state(test, kind).state == "waiting") }
        // And if it does answer, that counts.
        try log(test, .nodeInfo, User(longName: "Peer").encoded())
        #expect(try state(test, "nodeinfo").state == "answered")
    }
}
