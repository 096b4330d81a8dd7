import Foundation
import MeshModel
import Store
import Testing

@testable import RestAPI

@Suite struct ATokenSeesTheSeriesOfItsChannels {
    static let far = NodeNumber(0x5555)

    /// The peer lives on channel 0 and has shared a position on 0 and on 3; another node lives on channel 3.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insertReports(2)
        try test.update(TestGateway.peer) { $0.channel = 0 }
        try test.insert(place(0, altitude: nil), packetID: 50, channel: 0, at: TestGateway.now)
        try test.insert(place(3, altitude: nil), packetID: 51, channel: 3, at: TestGateway.now + 1)
        try test.insertReports(1, from: Self.far)
        try test.update(Self.far) { $0.channel = 3 }
        return test
    }

    private func values(_ answer: Answer) throws -> [String] {
        try answer.rows.map { "\($0["nodeNum"] ?? "") \($0["telemetryType"] ?? "")" }.sorted()
    }

    @Test func rowsOfOtherChannelsAreLeftOut() throws {
        let test = try gateway()
        let token = try test.token(["nodes:read", "channel_0:viewOnMap"])
        let peer = TestGateway.peer.rawValue
        let seen = [
            "\(peer) batteryLevel", "\(peer) batteryLevel", "\(peer) latitude", "\(peer) longitude", "\(peer) voltage",
            "\(peer) voltage",
        ]
        #expect(try values(test.ask("GET", "/api/v1/telemetry", as: token)) == seen)
        let ofNode = try test.ask("GET", "/api/v1/telemetry/!abcdef12?limit=5", as: token)
        #expect(try ofNode.json["total"] as? Int == 6)
        #expect(try values(test.ask("GET", "/api/v1/telemetry/!abcdef12", as: token)) == seen)
        // The limit comes behind the filter.
        #expect(try test.ask("GET", "/api/v1/telemetry?type=latitude&limit=1", as: token).rows.count == 1)
        let history = try test.ask("GET", "/api/v1/nodes/!abcdef12/position-history?limit=1", as: token)
        #expect(try history.json["total"] as? Int == 1)
        #expect(try history.rows.first?["packetId"] as? Int == 50)
        #expect(try values(test.get("/api/v1/telemetry")).count == 10)
    }

    /// Without naming the permission, unlike elsewhere (Contract 3.7).
    @Test(arguments: ["telemetry/!00005555", "telemetry?nodeId=!00005555", "nodes/!00005555/position-history"])
    func aNodeOfAnotherChannelIsRefused(_ path: String) throws {
        let test = try gateway()
        let token = try test.token(["nodes:read", "channel_0:viewOnMap"])
        let answer = try test.ask("GET", "/api/v1/" + path, as: token)
        #expect(answer.status == 403)
        #expect(answer.text == #"{"success":false,"error":"Forbidden","message":"Insufficient permissions"}"#)
        let other = try test.token(["nodes:read", "channel_3:viewOnMap"])
        #expect(try test.ask("GET", "/api/v1/" + path, as: other).status == 200)
    }

    /// A tag of one token tells another nothing.
    @Test func tagsBelongToWhatMayBeSeen() throws {
        let test = try gateway()
        let token = try test.token(["nodes:read", "channel_3:viewOnMap"])
        let all = try test.get("/api/v1/telemetry")
        let some = try test.ask("GET", "/api/v1/telemetry", as: token)
        #expect(all.header("ETag") != some.header("ETag"))
        // A node that moves to another channel takes its rows along, though no row has changed.
        try test.update(Self.far) { $0.channel = 5 }
        let later = try test.ask("GET", "/api/v1/telemetry", as: token)
        #expect(some.header("ETag") != later.header("ETag"))
        #expect(try later.rows.isEmpty)
        #expect(try some.rows.count == 2)
    }
}
