import Testing

@testable import ServedProgram

/// What is said in one valley is heard in the other, whoever says it, and nothing goes in circles: 20 texts when
/// MESH_GATEWAY_TEST_FULL is set, else 3.
@Test(.timeLimit(.minutes(10))) func threeGatewaysJoinTwoValleys() throws {
    let valleys = try JoinedValleys(isSealed: false)
    let (anna, bert) = (JoinedValleys.anna.id, JoinedValleys.bert.id)
    let all = (1...(isFullRun ? 20 : 3)).map { "text \($0)" }
    var (first, second): ([String], [String]) = ([], [])
    for (number, text) in all.enumerated() {
        switch number % 3 {
        case 0:
            valleys.sayInTheFirstValley(text)
            second.append("\(anna): \(text)")
        case 1:
            valleys.sayInTheSecondValley(text)
            first.append("\(bert): \(text)")
        default:
            try valleys.office.say(text)
            first.append("office: \(text)")
            second.append("office: \(text)")
        }
    }
    let daemons = [valleys.hut, valleys.hall, valleys.barn, valleys.office]
    for daemon in daemons {
        try valleys.wait(seconds: 60, { "\(daemon.name) has \(daemon.texts)" }) { daemon.count >= all.count }
    }
    func inTheFirst() -> [String] { valleys.sent(by: valleys.hut, valleys.hall) }
    func inTheSecond() -> [String] { valleys.sent(by: valleys.barn) }
    try valleys.wait(seconds: 300, { "the first valley has \(inTheFirst())" }) { inTheFirst().count >= first.count }
    try valleys.wait(seconds: 300, { "the second valley has \(inTheSecond())" }) { inTheSecond().count >= second.count }
    // What might still come a second time.
    valleys.rest()
    #expect(inTheSecond().sorted() == second.sorted())
    #expect(Set(inTheFirst()) == Set(first))
    // Of two gateways that speak at the same moment neither hears the other in time.
    #expect(inTheFirst().count - first.count < 6, "\(inTheFirst())")
    for daemon in daemons { #expect(daemon.texts.sorted() == all.sorted(), "\(daemon.name)") }
}
