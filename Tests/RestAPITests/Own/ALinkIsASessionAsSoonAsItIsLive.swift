import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import Gateway
@testable import RestAPI

/// What `status` says of a link, `sessions` says as well; short links, too.
@Suite struct ALinkIsASessionAsSoonAsItIsLive {
    private func sessions(_ test: TestGateway) throws -> [String] {
        let rows = try #require(try test.get("/api/v1/sessions").json["sessions"] as? [NSDictionary])
        return rows.map { $0["status"] as? String == "ended" ? "ended" : "live" }
    }

    @Test func eachOfThreeReplugs() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let (test, gateway, id) = (live.test, live.test.gateway, live.test.id)
        #expect(try sessions(test) == ["live"])
        for number in 1...3 {
            live.radio.unplug()
            try #require(eventually { gateway.status(of: id).link != .live })
            #expect(eventually { (try? sessions(test)) == Array(repeating: "ended", count: number) })
            try live.radio.replug()
            try #require(eventually { gateway.status(of: id).link == .live })
            #expect(eventually { (try? sessions(test)) == ["live"] + Array(repeating: "ended", count: number) })
            #expect(
                try test.get("/api/v1/devices").json["devices"].map {
                    ($0 as? [NSDictionary])?.first?["active_sessions"] as? Int
                } == 1)
        }
    }
}
