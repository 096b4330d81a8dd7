import MeshModel
import MeshProtocol
import RadioLink
import Testing

/// The radio answers heartbeats as ever, but holds back all packets: recording 07-reboot-mid-stream.
private func answerHeartbeats(_ radio: inout SessionInVirtualTime, seconds: Int) {
    for _ in 0..<seconds {
        let before = radio.heartbeats.count
        radio.advance(seconds: 1)
        if radio.heartbeats.count > before { radio.receive(.heartbeatAnswer) }
    }
}

/// Live, and known to answer admin packets.
private func liveRadio() -> SessionInVirtualTime {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.receive(.routingAnswer(to: radio.packets.last!.id, from: radio.answers.number))
    radio.forget()
    return radio
}

@Test func aWordlessRebootIsFoundWithinFiveMinutes() {
    var radio = liveRadio()
    answerHeartbeats(&radio, seconds: 235)
    #expect(radio.packets.isEmpty)
    answerHeartbeats(&radio, seconds: 65)
    // get_device_metadata_request to the radio itself was not answered.
    #expect(radio.packets.first?.decoded?.payload == [0x60, 1])
    #expect(radio.packets.first?.to == radio.answers.number)
    #expect(radio.packets.first?.decoded?.wantResponse == true)
    #expect(radio.nonces.first == 69420)
}

@Test func aRadioThatAnswersTheProbeIsLeftAlone() {
    var radio = liveRadio()
    for _ in 0..<4 {
        answerHeartbeats(&radio, seconds: 242)
        let probe = radio.packets.last!
        radio.receive(.routingAnswer(to: probe.id, from: radio.answers.number))
    }
    #expect(radio.packets.count == 4)
    #expect(radio.nonces.isEmpty)
    // Nobody else asked for these answers.
    #expect(!radio.received.contains { if case .packet = $0 { true } else { false } })
}

@Test func aRadioThatNeverAnswersAdminIsAskedOnlyWhenSomethingWaits() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    answerHeartbeats(&radio, seconds: 1000)
    #expect(radio.nonces.isEmpty)
    radio.outgoing = [
        MeshPacket(
            from: radio.answers.number, to: NodeNumber(0xA1), id: 9,
            payload: .decoded(MeshData(port: .textMessage, payload: [65])), wantAck: true)
    ]
    radio.session.wake()
    answerHeartbeats(&radio, seconds: 300)
    #expect(radio.nonces.first == 69420)
}

private func uptime(_ seconds: Double, from number: NodeNumber, rssi: Int32? = nil) -> FromRadio {
    let telemetry = Telemetry(kind: .device, values: [.init("uptimeSeconds", seconds)])
    let data = MeshData(port: .telemetry, payload: telemetry.encoded())
    return .packet(MeshPacket(from: number, to: .broadcast, id: 5, payload: .decoded(data), rxRSSI: rssi))
}

@Test func uptimeThatGoesBackIsAReboot() {
    var radio = liveRadio()
    let number = radio.answers.number
    radio.receive(uptime(1000, from: number), uptime(1060, from: number), uptime(20, from: NodeNumber(0xA1)))
    // Forged: it came over the air.
    radio.receive(uptime(3, from: number, rssi: -70))
    #expect(radio.reboots.isEmpty)
    radio.receive(uptime(30, from: number))
    #expect(radio.reboots.count == 1)
    radio.advance(seconds: 1)
    #expect(radio.nonces == [69420])
}
