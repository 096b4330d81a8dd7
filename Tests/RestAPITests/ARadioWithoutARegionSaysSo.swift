import Foundation
import Testing

@testable import RestAPI

/// A radio without a region sends nothing: the link's state alone would be "live".
@Suite struct ARadioWithoutARegionSaysSo {
    @Test func whereTheLinkAndTheProblemsAre() throws {
        let live = try SentTextsAreRowsAtOnce.Live(region: 0)
        let test = live.test
        #expect(
            try eventually {
                try test.get("/api/v1/problems").rows.contains { $0["name"] as? String == "region-unset" }
            })
        let link = try #require(try test.get("/api/v1/status").data["link"] as? NSDictionary)
        #expect(link["state"] as? String == "live" && link["problem"] as? String == "region-unset")
        let own = try test.get("/api/v1/self").data
        #expect((own["link"] as? NSDictionary)?["problem"] as? String == "region-unset")
        let problem = try #require(
            (own["problems"] as? [NSDictionary])?.first { $0["name"] as? String == "region-unset" })
        #expect(problem["command"] as? String == "mesh-gateway radio config set lora.region=EU_868")
    }
}
