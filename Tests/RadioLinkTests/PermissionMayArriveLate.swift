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
