import Foundation
import Glibc
import HTTPServer
import MeshModel
import MeshProtocol
import Platform
import Store
import Testing

@testable import RestAPI

/// Contract 3.10: what a radio and its host say to each other is no traffic of the mesh, and what the radio sends by itself
/// is sent.
@Suite struct ThePacketMonitorShowsTheTraffic {
    private static let own = TestGateway.own
    private static let peer = TestGateway.peer

    /// Rows 1 to 4 are no traffic: an acknowledgement for us, settings, a routing error of our own radio, and its
    /// telemetry for the host. Row 5 is an acknowledgement among others, row 6 a text.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try heard(.routing, Routing.error(.none).encoded(), in: test) { $0.to = Self.own }
        try heard(.admin, [8, 1], in: test) { ($0.from, $0.to, $0.rxRSSI) = (Self.own, Self.own, nil) }
        try heard(.routing, Routing.error(.noResponse).encoded(), in: test) { packet in
            (packet.from, packet.to, packet.rxRSSI, packet.transport) = (Self.own, Self.own, nil, .internal)
        }
        try heard(.telemetry, [0x12, 0], in: test) { packet in
            (packet.from, packet.rxRSSI, packet.transport, packet.hopStart) = (Self.own, nil, .internal, 0)
            packet.hopLimit = 0
        }
        try heard(.routing, Routing.error(.none).encoded(), in: test) { $0.to = NodeNumber(0x77) }
        try heard(.textMessage, Array("hello".utf8), in: test)
        return test
    }

    private func heard(
        _ port: PortNumber, _ payload: [UInt8], in test: TestGateway, _ change: (inout MeshPacket) -> Void = { _ in }
    ) throws {
        var packet = MeshPacket(
            from: Self.peer, to: .broadcast, id: 9, payload: .decoded(MeshData(port: port, payload: payload)),
            rxRSSI: -90, hopLimit: 3, hopStart: 3, transport: .lora)
        change(&packet)
        let (logged, id, now) = (packet, test.id, WallClock.milliseconds())
        try test.store.commit { writer in
            try writer.update(id) { $0.nodeNumber = Self.own }
            try writer.logPacket(logged, direction: .rx, in: id, at: now)
        }
    }

    @Test func listPagesAndSinglePacketsAgree() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/packets")
        #expect(try answer.rows.map { $0["id"] as? Int } == [6, 5])
        #expect(try answer.json["total"] as? Int == 2)
        let page = try test.get("/api/v1/packets?limit=1&offset=1").json
        #expect(page["total"] as? Int == 2 && page["count"] as? Int == 1)
        let routing = try test.get("/api/v1/packets?portnum=5")
        #expect(try routing.rows.map { $0["id"] as? Int } == [5])
        #expect(try test.get("/api/v1/packets?portnum=6").json["total"] as? Int == 0)
        for row in 1...6 {
            #expect(try test.get("/api/v1/packets/\(row)").status == (row < 5 ? 404 : 200), "row \(row)")
        }
    }

    @Test func statisticsCountTheTraffic() throws {
        let test = try gateway()
        let neighbours = try test.get("/api/v1/network/direct-neighbors")
        #expect((try neighbours.data["\(Self.peer.rawValue)"] as? NSDictionary)?["packetCount"] as? Int == 2)
        let counted = try test.get("/api/v1/metrics").text.split(separator: "\n").filter {
            $0.hasPrefix("meshmonitor_packets_by_port_last_hour{")
        }
        #expect(counted.count == 2)
        #expect(counted.contains { $0.hasSuffix(#"portnum="5",portnum_name="ROUTING_APP"} 1"#) })
    }

    /// `mesh-gateway packets` and `explain` have everything.
    @Test func theLogKeepsTheRest() throws {
        let test = try gateway()
        let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
        #expect(try test.ask("GET", "/local/packets", peer: me).json["matching"] as? Int == 6)
        let page = try test.ask("GET", "/local/packets/3", peer: me)
        #expect((try page.json["packet"] as? NSDictionary)?["portName"] as? String == "ROUTING_APP")
    }

    @Test func whatTheRadioSendsByItselfIsSent() throws {
        let test = try TestGateway()
        func direction(_ change: (inout MeshPacket) -> Void) throws -> String? {
            try heard(.position, [], in: test) { packet in
                (packet.from, packet.rxRSSI, packet.transport) = (Self.own, nil, .internal)
                change(&packet)
            }
            let row = try #require(try test.get("/api/v1/packets").rows.first)
            #expect(row["packet_id"] as? Int == 9)
            #expect(row["to_node_id"] as? String == "!ffffffff")
            #expect(row["decrypted_by"] as? String == "node")
            return row["direction"] as? String
        }
        #expect(try direction { _ in } == "tx")
        #expect(try direction { $0.transport = .api } == "tx")
        // Received, by whatever way, is what somebody else has sent under our number.
        #expect(try direction { $0.transport = .lora } == "rx")
        #expect(try direction { $0.rxRSSI = -90 } == "rx")
        #expect(try direction { $0.rxSNR = 6.25 } == "rx")
        #expect(try direction { $0.hopLimit = 2 } == "rx", "relayed")
        #expect(try direction { $0.viaMQTT = true } == "rx")
        #expect(try direction { $0.from = Self.peer } == "rx")
    }

    private func metadata(_ row: NSDictionary) throws -> String { try #require(row["metadata"] as? String) }

    /// The settings that others exchange are listed; what is in them can be a key.
    @Test func administrationHasNoContent() throws {
        let test = try TestGateway()
        try heard(.admin, [8, 1], in: test) { $0.to = NodeNumber(0x77) }
        let row = try #require(try test.get("/api/v1/packets").rows.first)
        #expect(row["portnum_name"] as? String == "ADMIN_APP")
        #expect(try metadata(row).hasSuffix(#""transport_mechanism":1}"#))
    }

    /// Who may read direct messages gets what comes encrypted for one node, but only who may see channel 0 on the map learns
    /// where nodes are.
    @Test func aPlaceIsForThoseWhoMaySeeIt() throws {
        let test = try TestGateway()
        let place = Position(latitudeI: 462_044_000, longitudeI: 61_432_000, precisionBits: 32).encoded()
        for (port, payload) in [(.position, place), (.mapReport, [0x0A, 0]), (.telemetry, [0x12, 2, 8, 87])]
            as [(PortNumber, [UInt8])]
        {
            try heard(port, payload, in: test) { ($0.to, $0.pkiEncrypted) = (Self.own, true) }
        }
        func ends(_ scopes: [String]) throws -> [String] {
            let token = try test.token(["packetmonitor:read", "messages:read"] + scopes)
            return try test.ask("GET", "/api/v1/packets", as: token).rows.map { row in
                let text = try metadata(row)
                return String(text[try #require(text.range(of: #","transport_mechanism":1"#)).upperBound...])
            }
        }
        let telemetry = #","decoded_payload":{"deviceMetrics":{"batteryLevel":87}}}"#
        let shown = #","decoded_payload":{"latitudeI":462044000,"longitudeI":61432000,"precisionBits":32}}"#
        #expect(try ends(["channel_0:viewOnMap"]) == [telemetry, #","decoded_payload":{"0":10,"1":0}}"#, shown])
        #expect(try ends([]) == [telemetry, "}", "}"])
    }
}
