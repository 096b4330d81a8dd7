import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test(arguments: [
    "ESP-ROM:esp32s3-20210327", "rst:0x1 (POWERON_RESET),boot:0x8 (SPI_FAST_FLASH_BOOT)", "ets Jun  8 2016 00:22:57",
    "//\\ E S H T /\\ S T / C", "INFO  | ??:??:?? 0 Booted, wake cause 0 (boot count 1), reset_reason=reset",
    "INFO  | ??:??:?? 0 [Main] Booted, wake cause 0 (boot count 1), reset_reason=reset",
])
func bootTextStartsTheHandshakeOver(line: String) {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.receive(text: line)
    radio.receive(text: "INFO  | 07:16:08 0 Start meshradio init")
    #expect(radio.reboots.count == 1)
    #expect(radio.states == [.configuring])
    radio.advance(seconds: 10)
    #expect(radio.nonces.first == 69420)
    radio.goLive()
    #expect(radio.reboots.count == 1)
}

@Test(arguments: [
    "INFO  | 07:23:24 6 [Router] Received text msg from=0xa1270102, id=0x49f2e8e6, msg=rst:0x1 ESP-ROM:",
    "Transition powerFSM transition=boot timeout, from=BOOT to=POWER", "INFO  | 07:23:27 9 Rebooting",
    "DEBUG | 07:16:01 3.345 [ServerAPI] PhoneAPI::close()", "text //\\ E S H T",
    "INFO  | ??:??:?? 0 msg=Booted, wake cause 0",
])
func otherTextDoesNot(line: String) {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.receive(text: line)
    radio.advance(seconds: 20)
    #expect(radio.reboots.isEmpty)
    #expect(radio.nonces.isEmpty)
}

@Test func theRebootedFrameStartsTheHandshakeOver() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.receive(.rebooted)
    radio.receive(text: "//\\ E S H T /\\ S T / C")
    radio.advance(seconds: 5)
    #expect(radio.reboots.count == 1)
    #expect(radio.nonces == [69420])
    radio.goLive()
}

@Test func aRebootInMidHandshakeForgetsTheFirstHalf() {
    var radio = SessionInVirtualTime()
    radio.advance(seconds: 1)
    let frames = radio.answers.handshake(69420)
    for frame in frames.prefix(8) { radio.receive(frame) }
    radio.receive(.rebooted)
    radio.receive(.configComplete(69420))
    radio.advance(seconds: 3)
    #expect(radio.snapshots.isEmpty)
    #expect(radio.nonces == [69420, 69420])
    // Only the second half is no complete answer.
    for frame in frames.dropFirst(8) { radio.receive(frame) }
    #expect(radio.snapshots.isEmpty)
    radio.goLive()
    #expect(radio.snapshots.last?.missing == [])
}

@Test func anEndlessBootTextDelaysTheHandshakeForSixSecondsOnly() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.receive(text: "ESP-ROM:esp32s3-20210327")
    for _ in 0..<9 {
        radio.advance(seconds: 1)
        radio.receive(text: "DEBUG | ??:??:?? 1 still starting")
    }
    #expect(radio.nonces.first == 69420)
}
