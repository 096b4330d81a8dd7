import Testing

@testable import MQTTBridge

@Suite struct ARefusalIsFinalOnlyWhereTryingIsUseless {
    @Test func withMQTT5() {
        // Client id, user or password, not authorised, banned.
        for code in 1...255 {
            let expected: Refusal =
                [0x85, 0x86, 0x87, 0x8A].contains(code) ? .final : code == 0x84 ? .version : .passing
            #expect(Refusal(code, .mqtt5) == expected, "\(code)")
        }
    }

    @Test func withMQTT311() {
        #expect((1...5).map { Refusal($0, .mqtt311) } == [.version, .final, .passing, .final, .final])
    }

    @Test func theOtherVersionIsTriedWhereThisOneIsNotKnown() {
        var choice = ProtocolChoice()
        #expect(choice.version == .mqtt5)
        #expect(choice.refused() == true)
        #expect(choice.version == .mqtt311)
        // A broker that knows neither is not asked on and on.
        #expect(choice.refused() == false)
        #expect(choice.refused() == true)
        choice.accepted()
        // A broker that goes down has not forgotten its version.
        choice.endedUnanswered()
        #expect(choice.version == .mqtt311)
    }

    /// A broker that was just starting is not spoken to in its old version for as long as the service runs.
    @Test func aGuessHoldsForOneConnection() {
        var choice = ProtocolChoice()
        choice.endedUnanswered()
        choice.accepted()
        #expect(choice.version == .mqtt311)
        choice.ended()
        #expect(choice.version == .mqtt5)
        // What it has refused by its number stays refused.
        _ = choice.refused()
        choice.accepted()
        choice.ended()
        #expect(choice.version == .mqtt311)
    }

    @Test func silenceIsAHintOnly() {
        var choice = ProtocolChoice()
        choice.endedUnanswered()
        #expect(choice.version == .mqtt311)
        choice.endedUnanswered()
        #expect(choice.version == .mqtt5)
        choice.accepted()
        choice.endedUnanswered()
        #expect(choice.version == .mqtt5)
    }
}
