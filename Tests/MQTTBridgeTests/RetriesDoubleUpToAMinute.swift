import Testing

@testable import MQTTBridge

/// The first retry comes after 0.5 to 1.5 s, then twice as late each time, up to a minute and for ever.
@Suite struct RetriesDoubleUpToAMinute {
    @Test func withoutChance() {
        var retries = Retries()
        let delays = (0..<10).map { _ in retries.delay(afterLasting: nil, draw: 0.5) }
        #expect(delays == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000])
    }

    @Test func chanceMovesEachByHalf() {
        for draw in [0, 0.25, 0.999] {
            var retries = Retries()
            for step in 0..<2_000 {
                let delay = retries.delay(afterLasting: nil, draw: draw)
                let middle = Int64(1_000) << Int64(min(step, 6))
                #expect(delay >= middle / 2 && delay <= min(60_000, middle * 3 / 2))
            }
        }
    }

    @Test func aConnectionOfTenSecondsBeginsFromTheStart() {
        var retries = Retries()
        for _ in 0..<9 { _ = retries.delay(afterLasting: nil, draw: 0.5) }
        // Accepted and ended at once, as by two gateways with one client id.
        #expect(retries.delay(afterLasting: 9_999, draw: 0.5) == 60_000)
        #expect(retries.delay(afterLasting: 10_000, draw: 0.5) == 1_000)
        #expect(retries.delay(afterLasting: nil, draw: 0.5) == 2_000)
    }
}
