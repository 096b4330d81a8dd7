import FakeSerial
import Glibc
import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aHandshakeRunsOverASerialPort() throws {
    let device = FakeRadioDevice()
    try device.plug()
    let radio = ScriptedRadio(on: device.controller)
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.keepHandshake(true)
    link.start()
    #expect(listener.waitUntilLive())
    #expect(listener.states == [.searching(nil), .opening, .configuring, .live])
    #expect(link.snapshot?.number == radio.answers.number)
    #expect(link.snapshot?.usbSerial == device.serialNumber)
    #expect(link.lastHandshakeFrames.count > 30)
    #expect(link.statistics.connections == 1)
    #expect(radio.firstBytes.prefix(32).allSatisfy { $0 == 0xC3 })

    // The pseudo terminal shows what was set on the host's side.
    var settings = termios()
    #expect(tcgetattr(device.controller, &settings) == 0)
    #expect(settings.c_cflag & tcflag_t(HUPCL) == 0)
    #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(settings.c_cflag & tcflag_t(PARENB | CSTOPB) == 0)
    #expect(cfgetospeed(&settings) == speed_t(B115200))
    #expect(settings.c_lflag & tcflag_t(ICANON | ECHO) == 0)
    // An ESP32 resets when one of these goes without the other.
    #expect(device.lines == TIOCM_DTR | TIOCM_RTS)
    #expect(device.pulses == 0)

    link.stop()
    radio.stop()
    #expect(link.statistics.framesRead > 70)
    #expect(device.lines == TIOCM_DTR | TIOCM_RTS)
    #expect(device.pulses == 0)
    #expect(tcgetattr(device.controller, &settings) == 0)
    #expect(settings.c_cflag & tcflag_t(HUPCL) == 0)
}

@Test func stopSaysGoodBye() throws {
    let device = FakeRadioDevice()
    try device.plug()
    let radio = ScriptedRadio(on: device.controller)
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.start()
    #expect(listener.waitUntilLive())
    link.stop()
    radio.stop()
    #expect(radio.received.last == .disconnect)
    #expect(listener.states.last == .stopped)
    #expect(link.state == .stopped)
}

@Test func aPacketIsWrittenAndReported() throws {
    let device = FakeRadioDevice()
    try device.plug()
    let radio = ScriptedRadio(on: device.controller)
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.start()
    #expect(listener.waitUntilLive())
    let packet = MeshPacket(
        from: radio.answers.number, to: .broadcast, id: 4711,
        payload: .decoded(MeshData(port: .textMessage, payload: Array("hello".utf8))), hopLimit: 3, wantAck: true)
    listener.offer(packet)
    link.wake()
    #expect(
        listener.wait {
            $0.contains {
                if case .received(.queueStatus(let status), _) = $0 { status.packetID == 4711 } else { false }
            }
        })
    #expect(listener.events.contains { if case .written(4711) = $0 { true } else { false } })
    radio.send(.text("grüezi"))
    let heard = FromRadio.text("grüezi")
    #expect(listener.wait { $0.contains { if case .received(heard, _) = $0 { true } else { false } } })
    link.stop()
    radio.stop()
    #expect(radio.received.contains(.packet(packet)))
}
