import CShims
import Foundation
import MeshModel
import RadioLink
import Testing

/// As with /dev/serial/by-id, which is made together with the link in it when the first device is plugged in.
@Test(arguments: [0, 30_000])
func aDirectoryOfTheDeviceMayAppearLater(pause: UInt32) throws {
    var name = [CChar](repeating: 0, count: 64)
    let controller = mg_open_pty(&name, UInt(name.count))
    try #require(controller >= 0)
    defer { close(controller) }
    let terminal = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    let files = FileManager.default
    let root = files.temporaryDirectory.appending(path: "radio-link-\(UUID().uuidString)").path
    try files.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: root) }

    let listener = Listener()
    let link = RadioLink(address: .path("\(root)/serial/by-id/radio"), delegate: listener)
    link.start()
    defer { link.stop() }
    #expect(listener.waitForProblem("device-absent"))
    let radio = ScriptedRadio(on: controller)
    defer { radio.stop() }
    for directory in ["serial", "serial/by-id"] {
        try files.createDirectory(atPath: "\(root)/\(directory)", withIntermediateDirectories: false)
        usleep(pause)
    }
    #expect(symlink(terminal, "\(root)/serial/by-id/radio") == 0)
    #expect(listener.waitUntilLive())
}
