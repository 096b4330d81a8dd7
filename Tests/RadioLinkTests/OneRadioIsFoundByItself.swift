import FakeSerial
import MeshModel
import RadioLink
import Testing

@Test func oneRadioIsFoundByItself() throws {
    let radioDevice = FakeRadioDevice(vendor: 0x239A, product: 0x8029)
    let bridge = FakeRadioDevice(name: FakeRadioDevice.uniqueName("ttyUSB"), vendor: 0x10C4, product: 0xEA60)
    let debugger = FakeRadioDevice(vendor: 0x1366, product: 0x0105)
    for device in [radioDevice, bridge, debugger] { try device.plug() }
    let mine = Set([radioDevice, bridge, debugger].map(\.path))

    let ports = PortScan.ports().filter { mine.contains($0.path) }
    #expect(ports.count == 3)
    let port = try #require(ports.first { $0.path == radioDevice.path })
    #expect(port.stablePath == radioDevice.stablePath)
    #expect(port.usb?.vendor == 0x239A)
    #expect(port.usb?.serialNumber == radioDevice.serialNumber)
    #expect(port.usb?.manufacturer == "Fake")
    #expect(port.kind == .radio)
    #expect(ports.first { $0.path == bridge.path }?.kind == .bridge)
    #expect(ports.first { $0.path == debugger.path }?.kind == .never)

    let radio = ScriptedRadio(on: radioDevice.controller)
    let listener = Listener()
    let link = RadioLink(address: .auto, portFilter: { mine.contains($0.path) }, delegate: listener)
    link.start()
    #expect(listener.waitUntilLive())
    link.stop()
    radio.stop()
    // The others were not touched.
    #expect(bridge.opens == 0)
    #expect(debugger.opens == 0)
}

@Test func ofTwoRadiosNoneIsTaken() throws {
    let (first, second) = (FakeRadioDevice(), FakeRadioDevice(vendor: 0x239A, product: 0x4405))
    try first.plug()
    try second.plug()
    let mine = Set([first.path, second.path])
    let listener = Listener()
    let link = RadioLink(address: .auto, portFilter: { mine.contains($0.path) }, delegate: listener)
    link.start()
    #expect(listener.waitForProblem("several-radios"))
    let advice = try #require(link.state.problem?.advice)
    #expect(advice.contains("--device \(first.stablePath)"))
    #expect(advice.contains("--device \(second.stablePath)"))
    #expect(first.opens == 0)
    #expect(second.opens == 0)

    let radio = ScriptedRadio(on: second.controller)
    first.unplug()
    #expect(listener.waitUntilLive())
    link.stop()
    radio.stop()
}

@Test func aBridgeIsNamedButNotOpened() throws {
    let bridge = FakeRadioDevice(name: FakeRadioDevice.uniqueName("ttyUSB"), vendor: 0x1A86, product: 0x55D4)
    try bridge.plug()
    let path = bridge.path
    let listener = Listener()
    let link = RadioLink(address: .auto, portFilter: { $0.path == path }, delegate: listener)
    link.start()
    #expect(listener.waitForProblem("no-radio"))
    #expect(link.state.problem?.advice.contains("--device \(bridge.stablePath)") == true)
    link.stop()
    #expect(bridge.opens == 0)
}
