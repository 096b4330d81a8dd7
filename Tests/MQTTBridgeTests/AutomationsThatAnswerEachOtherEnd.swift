import JSON
import MeshModel
import Testing

@testable import MQTTBridge

/// Two gateways in one mesh, each with a Home Assistant that answers every text: what one has sent the other one hears.
/// In virtual time.
@Suite struct AutomationsThatAnswerEachOtherEnd {
    /// - Parameter seconds: from a text to its answer.
    @Test(arguments: [(0, true), (1, true), (2, true), (10, false)] as [(Int64, Bool)])
    func byTheAllowance(seconds: Int64, isTooFast: Bool) throws {
        let houses = try (0..<2).map { _ in try HandledBridge { $0.takesCommands = true } }
        defer { for house in houses { house.stop() } }
        // How much of each was answered, and heard by the other one.
        var (answered, carried) = ([0, 0], [0, 0])
        try houses[0].hear("Servus")
        let minutes = 12
        let end = houses[0].now.steady + Int64(minutes) * 60_000
        var isOver = false
        while houses[0].now.steady < end, !isOver {
            for house in houses { house.pass(max(1, seconds * 1_000)) }
            isOver = true
            for (index, house) in houses.enumerated() {
                for text in house.texts.dropFirst(answered[index]) {
                    house.command(house.test.radio, "text_1", "answer \(answered[index]) to: \(text.prefix(20))")
                    answered[index] += 1
                    isOver = false
                }
                for text in try house.own().dropFirst(carried[index]) {
                    try houses[1 - index].hear(text) { $0.from = NodeNumber(0x100 + UInt32(index)) }
                    carried[index] += 1
                    isOver = false
                }
            }
        }
        for house in houses { house.pass(1) }
        // A text that is not sent is heard by nobody, so that nobody answers it: one refusal, and it is over.
        #expect(isOver == isTooFast)
        let refused = houses.flatMap(\.outcomes).filter { $0.type == "refused" }
        #expect(refused.count == (isTooFast ? 1 : 0), "\(refused)")
        #expect(refused.allSatisfy { $0["reason"]?.string?.contains("30 at once and six a minute") == true })
        for house in houses {
            let sent = try house.own().count
            #expect((seconds < 10 ? 30 : 20)...(30 + 6 * minutes) ~= sent, "\(sent)")
        }
    }

    /// Each of several conversations ends by itself, and what is refused is told ten times a minute at most.
    @Test func alsoManyAtOnce() throws {
        let house = try HandledBridge { $0.takesCommands = true }
        defer { house.stop() }
        for number in 0..<200 {
            house.command(house.test.radio, "text_1", "answer \(number)")
            house.pass(1)
        }
        #expect(try house.own().count == 30)
        #expect(house.outcomes.count { $0.type == "refused" } == 10)
        house.pass(60_000)
        let refused = house.outcomes.filter { $0.type == "refused" }
        #expect(refused.count == 11 && refused.last?["count"]?.integer == 160, "\(String(describing: refused.last))")
    }
}
