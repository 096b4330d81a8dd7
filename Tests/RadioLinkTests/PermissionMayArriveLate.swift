import FakeSerial
import MeshModel
import RadioLink
import Testing

@Test func permissionMayArriveLate() throws {
    let device = FakeRadioDevice()
    try device.plug()
    try device.setPermitted(false)
    let radio = ScriptedRadio(on: device.controller)
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.start()
    #expect(listener.waitForProblem("permission-denied"))
    let advice = try #require(link.state.problem?.advice)
    #expect(advice.contains("sudo usermod -aG "))
    #expect(advice.contains(device.path))
    try device.setPermitted(true)
    #expect(listener.waitUntilLive())
    // However often it was tried, it was told once.
    #expect(listener.states.count { $0.problem?.name == "permission-denied" } == 1)
    link.stop()
    radio.stop()
}

/// udev takes its time with a node that has just appeared; what takes longer is a problem.
@Test func aNewNodeThatStaysForbiddenIsTold() throws {
    let device = FakeRadioDevice()
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.start()
    #expect(listener.waitForProblem("device-absent"))
    try device.setPermitted(false)
    try device.plug()
    #expect(listener.waitForProblem("permission-denied"))
    #expect(listener.states.map(\.name) == ["searching", "searching", "opening", "lost"])
    try device.setPermitted(true)
    let radio = ScriptedRadio(on: device.controller)
    #expect(listener.waitUntilLive())
    link.stop()
    radio.stop()
}
