import Foundation
import Gateway
import MeshModel
import Store
import Testing

@testable import RestAPI

@Suite struct SignalWordsGoByTheModem {
    /// spreading factor -> the weakest signal that is read, in dB
    @Test(arguments: [(7, -7.5), (8, -10), (9, -12.5), (10, -15), (11, -17.5), (12, -20)])
    func withTheseMargins(_ factor: Int, _ limit: Double) {
        let scale = SignalScale(ModemPreset.Modem(spreadingFactor: factor, bandwidth: 250, codingRate: 5))
        #expect(scale.limit == limit)
        for (above, grade) in [(12, "good"), (11.75, "fair"), (5, "fair"), (4.75, "weak"), (-1, "weak")] {
            #expect(scale.grade(of: limit + above).rawValue == grade, "\(above) dB above the limit")
        }
    }

    @Test func theAPISaysWhichOnesHold() throws {
        let test = try TestGateway()
        func signal() throws -> NSDictionary? {
            (try test.get("/api/v1/me").data["sources"] as? [NSDictionary])?.first?["signal"] as? NSDictionary
        }
        // As a radio comes out of its box: LONG_FAST.
        #expect(try signal() == ["limit": -17.5, "fair": -12.5, "good": -5.5])
        try set(test, LoRaSettings(modemPreset: ModemPreset(rawValue: 6)))
        #expect(try signal() == ["limit": -7.5, "fair": -2.5, "good": 4.5], "SHORT_FAST")
    }

    @Test func aLinkHasItsWord() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in
            let report = NeighborInfo(
                number: TestGateway.peer, lastSentBy: TestGateway.peer, broadcastInterval: 900,
                neighbors: [.init(number: NodeNumber(0x300), snr: -6)])
            try writer.replaceNeighbors(report, in: id, at: test.api.clock())
        }
        func grade() throws -> String? { try test.get("/api/v1/links").rows.first?["grade"] as? String }
        #expect(try grade() == "fair")
        try set(test, LoRaSettings(modemPreset: ModemPreset(rawValue: 6)))
        #expect(try grade() == "weak", "what a slow modem reads a fast one has lost")
    }

    private func set(_ test: TestGateway, _ lora: LoRaSettings) throws {
        let id = test.id
        try test.store.commit { writer in try writer.update(id) { $0.lora = lora } }
    }
}
