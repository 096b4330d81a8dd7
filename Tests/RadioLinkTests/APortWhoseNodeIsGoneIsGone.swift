import FakeSerial
import Foundation
import RadioLink
import Testing

/// An unplugged device loses its node first and its place in sysfs after that; in between somebody may look.
@Test func aPortWhoseNodeIsGoneIsGone() throws {
    let (pulled, other) = (FakeRadioDevice(), FakeRadioDevice())
    try pulled.plug()
    try other.plug()
    let mine = Set([pulled.path, other.path])
    let listener = Listener()
    let link = RadioLink(address: .auto, portFilter: { mine.contains($0.path) }, delegate: listener)
    link.start()
    #expect(listener.waitForProblem("several-radios"))

    let radio = ScriptedRadio(on: other.controller)
    try FileManager.default.removeItem(atPath: FakeRadioDevice.root + pulled.path)
    #expect(listener.waitUntilLive())
    #expect(!PortScan.ports().contains { $0.path == pulled.path })
    link.stop()
    radio.stop()
}
