import FakeSerial
import MeshModel
import RadioLink
import Testing

/// How the radio is addressed, and under which name it comes back.
enum Replug: CaseIterable { case sameName, otherNameByStablePath, otherNameByPath, otherNameByAuto }

@Test(arguments: Replug.allCases)
func aRadioComesBackAfterAnUnplug(replug: Replug) throws {
    let device = FakeRadioDevice()
    try device.plug()
    var radio = ScriptedRadio(on: device.controller)
    let serial = device.serialNumber
    let listener = Listener()
    let address: RadioAddress =
        switch replug {
        case .sameName, .otherNameByPath: .path(device.path)
        case .otherNameByStablePath: .path(device.stablePath)
        case .otherNameByAuto: .auto
        }
    let link = RadioLink(address: address, portFilter: { $0.usb?.serialNumber == serial }, delegate: listener)
    link.start()
    #expect(listener.waitUntilLive())

    radio.stop()
    device.unplug()
    #expect(listener.wait { $0.states.last?.name == "searching" })
    #expect(listener.states.contains { $0.problem?.name == "unplugged" })
    #expect(link.state.problem?.name == (address == .auto ? "no-radio" : "device-absent"))
    // What the radio has told is still known.
    #expect(link.snapshot != nil)

    try device.plug(as: replug == .sameName ? nil : FakeRadioDevice.uniqueName())
    radio = ScriptedRadio(on: device.controller)
    #expect(listener.waitUntilLive(2))
    #expect(link.statistics.connections == 2)
    link.stop()
    radio.stop()
}

@Test func aRadioMayArriveLater() throws {
    let device = FakeRadioDevice()
    let listener = Listener()
    let link = RadioLink(address: .path(device.stablePath), delegate: listener)
    link.start()
    #expect(listener.waitForProblem("device-absent"))
    try device.plug()
    let radio = ScriptedRadio(on: device.controller)
    #expect(listener.waitUntilLive())
    link.stop()
    radio.stop()
}
