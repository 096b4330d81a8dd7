import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

/// Positions, map reports and waypoints are one list, for lists of packets, events and explanations.
@Suite struct APlaceIsHiddenWhateverPacketHasIt {
    /// 46.5 degrees, as it stands in JSON and in bytes.
    private static let marks = ["465000000", "46.5", "Cache", "e953b71b"]

    private static var payloads: [(PortNumber, [UInt8])] {
        [
            (.position, Position(latitudeI: 465_000_000, longitudeI: 65_000_000).encoded()),
            (.waypoint, Waypoint(id: 7, latitudeI: 465_000_000, longitudeI: 65_000_000, name: "Cache").encoded()),
            // Its ninth field is the latitude.
            (.mapReport, [10, 5] + Array("Cache".utf8) + [77, 0x40, 0x53, 0xB7, 0x1B]),
        ]
    }

    private func log(_ test: TestGateway) throws {
        let id = test.id
        for (place, (port, payload)) in Self.payloads.enumerated() {
            var packet = MeshPacket(
                from: TestGateway.peer, to: TestGateway.own, id: PacketID(place + 1),
                payload: .decoded(MeshData(port: port, payload: payload)), hopStart: 3)
            packet.pkiEncrypted = true
            let logged = packet
            try test.store.commit { try $0.logPacket(logged, direction: .rx, in: id, at: TestGateway.now) }
        }
    }

    @Test(arguments: [
        (["packetmonitor:read", "messages:read"], false),
        (["packetmonitor:read", "messages:read", "channel_0:viewOnMap"], true),
    ])
    func goesByTheMap(_ scopes: [String], _ isShown: Bool) throws {
        let test = try TestGateway()
        let token = try test.token(scopes)
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        try log(test)
        let list = try test.ask("GET", "/api/v1/packets", as: token)
        #expect(try list.rows.count == Self.payloads.count)
        let told = try reader.read()
        #expect(told.count == Self.payloads.count)
        for (place, (port, _)) in Self.payloads.enumerated() {
            let path = "/api/v1/packets/\(place + 1)"
            let row = try test.ask("GET", path, as: token)
            #expect(row.status == 200)
            for text in [row.text, told[place].data] {
                // Of a map report rows have the bytes one by one.
                if port != .mapReport || !isShown {
                    #expect(Self.marks.contains { text.contains($0) } == isShown, "\(port): \(text)")
                }
                #expect(text.contains("decoded_payload") == isShown)
            }
            #expect(try test.ask("GET", path + "/explain", as: token).status == (isShown ? 200 : 403))
        }
        if !isShown { #expect(!Self.marks.contains { list.text.contains($0) }) }
    }
}
