import CShims
import Glibc
import MeshModel
import RadioLink
import Testing

@Test func aPseudoTerminalIsOpenedDirectly() throws {
    var name = [CChar](repeating: 0, count: 64)
    let controller = mg_open_pty(&name, UInt(name.count))
    try #require(controller >= 0)
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    let link = "/tmp/radio-link-test-\(UInt32.random(in: .min ... .max))"
    try #require(symlink(path, link) == 0)
    defer { unlink(link) }

    for address in [path, link] {
        let radio = ScriptedRadio(on: controller)
        let listener = Listener()
        let radioLink = RadioLink(address: .path(address), delegate: listener)
        radioLink.start()
        #expect(listener.waitUntilLive())
        var settings = termios()
        #expect(tcgetattr(controller, &settings) == 0)
        #expect(settings.c_cflag & tcflag_t(HUPCL) == 0)
        radioLink.stop()
        radio.stop()
        #expect(radio.received.last == .disconnect)
    }
    close(controller)
}

@Test func aPlainFileIsNoSerialPort() {
    let listener = Listener()
    let link = RadioLink(address: .path("/dev/null"), delegate: listener)
    link.start()
    #expect(listener.waitForProblem("not-a-serial-port"))
    link.stop()
}
