import FakeSerial
import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aLinkLeavesItsRadioToAnother() throws {
    let device = FakeRadioDevice()
    try device.plug()
    let radio = ScriptedRadio(on: device.controller)
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.start()
    #expect(listener.waitUntilLive())

    let problem = Problem(.sameRadio, "Somebody else has it.")
    link.leave(because: problem)
    #expect(listener.waitForProblem("same-radio"))
    #expect(link.state == .lost(problem))
    // The port is free for others, and a change under /dev is no reason to come back.
    let other = Listener()
    let another = RadioLink(address: .path(device.path), delegate: other)
    another.start()
    #expect(other.waitUntilLive())
    let unrelated = FakeRadioDevice()
    try unrelated.plug()
    unrelated.unplug()
    another.stop()
    #expect(link.state == .lost(problem))
    #expect(link.statistics.connections == 1)

    link.comeBack()
    #expect(listener.waitUntilLive(2))
    // To come back to where one is already changes nothing.
    link.comeBack()
    listener.offer(MeshPacket(from: radio.answers.number, to: .broadcast, id: 7, payload: .encrypted([1])))
    link.wake()
    #expect(listener.wait { events in events.contains { if case .written(7) = $0 { true } else { false } } })
    #expect(link.statistics.connections == 2)
    link.stop()
    radio.stop()
    let goodByes = radio.received.count { if case .disconnect = $0 { true } else { false } }
    #expect(goodByes == 3)
}
