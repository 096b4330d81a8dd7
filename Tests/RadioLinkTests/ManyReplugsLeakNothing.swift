import FakeSerial
import Foundation
import MeshModel
import RadioLink
import Testing

/// Other tests run beside this one and have descriptors of their own, but give them back; what counts is far below one a
/// replug. Their memory stays with the process, so that only a large leak shows in it.
@Test func manyReplugsLeakNothing() throws {
    let device = FakeRadioDevice()
    let listener = Listener()
    let link = RadioLink(address: .path(device.stablePath), delegate: listener)
    link.start()
    let replugs = 50
    var before = (descriptors: 0, kilobytes: 0)
    for replug in 1...replugs {
        try device.plug()
        let radio = ScriptedRadio(on: device.controller)
        try #require(listener.waitUntilLive(replug))
        if replug == 10 { before = (openDescriptors(), residentKilobytes()) }
        radio.stop()
        device.unplug()
        try #require(listener.wait { $0.states.last?.problem?.name == "device-absent" })
    }
    var looks = 0
    while openDescriptors() >= before.descriptors + 20, looks < 600 {
        looks += 1
        usleep(50_000)
    }
    #expect(openDescriptors() < before.descriptors + 20)
    #expect(residentKilobytes() < before.kilobytes + 128_000)
    link.stop()
}

private func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? .max
}

private func residentKilobytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4 : 0
}
