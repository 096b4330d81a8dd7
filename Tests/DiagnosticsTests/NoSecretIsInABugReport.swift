import Archives
import Foundation
import Platform
import Testing

@testable import Diagnostics

@Test(arguments: [
    // what is there | what must not be
    ("Authorization: Bearer mm_v1_0123456789abcdef0123456789abcdef from 10.0.0.1", "0123456789abcdef"),
    ("key 1PG7OiApB1nwvP+rz05pAQ== of a channel", "1PG7OiApB1nwvP"),
    ("key=4V1EJm9nN1t8/S0gqFx0cU4x3Q0m2yJ8YI1u0vB9bVc= there", "4V1EJm9nN1t8"),
    ("bytes 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "0a0b0c0d"),
    ("https://meshtastic.org/e/#CgMSAQESCggBOANAA0gBUB4", "CgMSAQ"),
    ("see http://ada:secret@hill:4403/x", "secret"),
])
func aSecretIsTakenOut(text: String, secret: String) {
    let result = scrubbed(text)
    #expect(!result.contains(secret), "\(result)")
    #expect(result.contains("(removed)"))
}

@Test(arguments: [
    "/dev/serial/by-id/usb-Espressif_USB_JTAG_serial_debug_unit_34:85:18:AB:CD:EF-if00 is there",
    "radio link live, !a1b2c3d4, 4d708747-de68-438f-a35c-2fa6a708b1ac", "2026-11-21T12:00:00.000Z", "",
])
func whatIsNoSecretStays(text: String) {
    #expect(scrubbed(text) == text)
}

@Test func aConfigurationKeepsItsSettingsAlone() {
    let file = """
        # the hill's password is hunter2
        device = tcp:hill:4403   # and 1234 the code
        password = hunter2
        name = "Cabin # 2"
        """
    let result = scrubbed(configuration: file, known: ["device", "name"])
    #expect(result == "device = tcp:hill:4403   \npassword = (removed)\nname = \"Cabin \n")
}

@Test func theLogLosesWhatTheRadioSaid() {
    let log = """
        11:00 mesh-gateway[7]: radio link live
        11:01 mesh-gateway[7]: radio: INFO | Received text msg="meet me at noon"
        11:02 mesh-gateway[7]: the radio says: something
        """
    #expect(scrubbed(log: log) == "11:00 mesh-gateway[7]: radio link live\n")
}

@Test func tarReadsTheArchive() throws {
    var archive = Archive(time: 1_795_262_400)
    archive.add("empty.txt", "")
    archive.add("block.bin", [UInt8](repeating: 7, count: 512))
    archive.add("text.txt", "übermorgen\n")
    let folder = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.tar")
    try Data(archive.bytes).write(to: file)
    func tar(_ words: String...) -> String? { Subprocess.output(of: ["tar"] + words, patience: 60_000_000_000) }
    #expect(tar("-tf", file.path) == "empty.txt\nblock.bin\ntext.txt\n")
    #expect(tar("-xOf", file.path, "text.txt") == "übermorgen\n")
    #expect(tar("-xOf", file.path, "block.bin")?.utf8.count == 512)
}
