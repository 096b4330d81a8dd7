import MeshModel
import MeshProtocol
import RadioLink
import Testing

private func isChannel(_ index: Int) -> @Sendable (FromRadio) -> Bool {
    { if case .channel(let channel) = $0 { channel.index == index } else { false } }
}
private func isConfig(_ tag: UInt32) -> @Sendable (FromRadio) -> Bool {
    { if case .config(let section) = $0 { section.tag == tag } else { false } }
}
private let isOwnNode: @Sendable (FromRadio) -> Bool = {
    if case .nodeInfo(let node) = $0 { node.number == RadioAnswers().number } else { false }
}
private let isMyInfo: @Sendable (FromRadio) -> Bool = { if case .myInfo = $0 { true } else { false } }

@Test(
    arguments: [
        // What debug text has eaten on firmware 2.7 (recording 27-serial-text-in-frames-chunk64).
        ("a channel", isChannel(3)), ("a config section", isConfig(8)), ("the own node", isOwnNode),
        ("my_info", isMyInfo),
    ] as [(String, @Sendable (FromRadio) -> Bool)])
func aStageWithMissingPartsIsAskedAgain(part: (String, @Sendable (FromRadio) -> Bool)) {
    var radio = SessionInVirtualTime()
    radio.answer(without: part.1)
    radio.advance(seconds: 1)
    #expect(radio.nonces == [69420, 69420], "after losing \(part.0)")
    #expect(radio.snapshots.isEmpty)
    radio.goLive()
    #expect(radio.nonces == [69420, 69420, 69421])
    #expect(radio.snapshots[0].missing.isEmpty)
}

@Test func twoDamagedRunsMakeOneCompleteSet() {
    var radio = SessionInVirtualTime()
    radio.answer(without: isChannel(3))
    radio.answer(without: isConfig(8))
    #expect(radio.snapshots.count == 1)
    #expect(radio.snapshots[0].missing.isEmpty)
}

@Test func aStageThatStaysIncompleteIsLivedWith() {
    var radio = SessionInVirtualTime()
    while !radio.isLive { radio.answer(without: isConfig(8)) }
    #expect(radio.nonces == [69420, 69420, 69420, 69420, 69421])
    #expect(radio.snapshots[0].missing == ["config 8"])
    #expect(radio.problems == ["handshake-incomplete"])
    #expect(radio.session.problems[0].advice.contains("config 8"))
}

@Test func nodesWithoutTheOwnOneAreAskedAgain() {
    var radio = SessionInVirtualTime()
    radio.answer()
    radio.answer(without: isOwnNode)
    #expect(!radio.isLive)
    radio.answer()
    #expect(radio.nonces == [69420, 69421, 69421])
    #expect(radio.isLive)
}
