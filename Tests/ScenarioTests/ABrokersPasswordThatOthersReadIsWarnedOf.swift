import Foundation
import Testing

@testable import ServedProgram

/// By `config check` and by `doctor`, as secrets of targets are.
@Test func aBrokersPasswordThatOthersReadIsWarnedOf() throws {
    let served = try ServedBroker()
    let path = "\(served.folders.root)/password"
    try "secret\n".write(toFile: path, atomically: true, encoding: .utf8)
    try "url = mqtt://mesh@127.0.0.1:\(served.port)\npassword-file = \(path)\n".write(
        toFile: "\(served.folders.root)/brokers.d/house.conf", atomically: true, encoding: .utf8)
    for (mode, isOpen) in [(0o644, true), (0o640, false)] {
        try #require(chmod(path, mode_t(mode)) == 0)
        let sentence = "\(path) holds a secret, and every user of this computer can read it"
        #expect(try served.run("config check").contains(sentence) == isOpen)
        // Its own lines are as wide as the screen.
        let doctor = try served.run("doctor --json")
        #expect(doctor.contains("chmod o-r \(path)") == isOpen, "\(doctor)")
    }
}
