import Foundation
import MeshModel
import Platform
import Testing

@testable import RestAPI
@testable import Store

/// What the page says of a node beyond its row: what it has not sent for a week although it was heard, and that the radio does
/// not have it as a favourite.
@Suite struct ANodesDetailsSayWhatItDoesNotSend {
    private static let path = "/api/v1/nodes/!abcdef12/details"

    /// A node that has been known for eight days, and was heard now on channel 1.
    private func gateway() throws -> TestGateway {
        let (test, now) = (try TestGateway(), WallClock.milliseconds())
        try test.update(TestGateway.peer, at: now - QuietNode.patience - 86_400_000) { $0.channel = 1 }
        try test.update(TestGateway.peer, at: now) { $0.lastHeard = now / 1000 }
        return test
    }

    private func details(_ test: TestGateway, as token: [String] = ["read"]) throws -> NSDictionary {
        let answer = try test.ask("GET", Self.path, as: try test.token(token))
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.data
    }

    @Test func ofAWeek() throws {
        let test = try gateway()
        var shown = try details(test)
        #expect(shown["nodeId"] as? String == "!abcdef12")
        #expect(shown["sendsNoTelemetry"] as? Bool == true && shown["sendsNoPosition"] as? Bool == true)
        let (id, now) = (test.id, WallClock.milliseconds())
        try test.store.commit { writer in
            let packet = MeshPacket(from: TestGateway.peer, to: .broadcast, channel: 1, id: 5, payload: .none)
            try writer.insertTelemetry(
                Telemetry(kind: .device, values: [.init("batteryLevel", 50)]), from: TestGateway.peer, packet: packet,
                in: id, at: now)
        }
        shown = try details(test)
        #expect(shown["sendsNoTelemetry"] as? Bool == false && shown["sendsNoPosition"] as? Bool == true)
    }

    /// What is missing would tell of what came on other channels.
    @Test func forWhoSeesAllChannels() throws {
        let test = try gateway()
        let shown = try details(test, as: ["nodes:read", "channel_1:viewOnMap"])
        #expect(shown["sendsNoTelemetry"] is NSNull && shown["sendsNoPosition"] is NSNull)
        for scopes in [["nodes:read"], ["messages:read", "channels:viewOnMap"]] {
            #expect(try test.ask("GET", Self.path, as: try test.token(scopes)).status == 403, "\(scopes)")
        }
        #expect(try test.get("/api/v1/nodes/!00000001/details").status == 404)
    }

    @Test func ofAFavouriteThatTheRadioDoesNotHave() throws {
        let test = try gateway()
        #expect(try details(test)["favoriteMissingSince"] is NSNull)
        try test.update(TestGateway.peer) { ($0.isFavorite, $0.favoriteMissingSince) = (true, TestGateway.now) }
        #expect(try details(test)["favoriteMissingSince"] as? Int64 == TestGateway.now)
    }

    /// The radio itself hands its own values over when it likes.
    @Test func neverOfTheRadioItself() throws {
        let test = try gateway()
        let id = test.id
        try test.store.commit { try $0.update(id) { $0.nodeNumber = TestGateway.peer } }
        let shown = try details(test)
        #expect(shown["sendsNoTelemetry"] as? Bool == false && shown["sendsNoPosition"] as? Bool == false)
    }
}
