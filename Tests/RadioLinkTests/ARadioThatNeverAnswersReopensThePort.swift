import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test(
    arguments: [
        // What came besides silence, and what it is called.
        ("nothing", nil, "wrong-device"),
        ("log text", "INFO  | ??:??:?? 12 [Power] Battery: usbPower=1", "serial-api-disabled"),
        ("other text", "$GPGGA,123519,4807.038,N", "wrong-device"),
    ] as [(String, String?, String)])
func aPortWithoutFramesIsNamed(what: String, text: String?, problem: String) {
    var radio = SessionInVirtualTime()
    if let text { radio.receive(text: text) }
    radio.advance(seconds: 85)
    #expect(radio.reopened.isEmpty)
    radio.advance(seconds: 10)
    #expect(radio.reopened.map(\.name) == [problem])
    #expect(radio.session.deadline(canWrite: true) == nil)
}

@Test func aRadioThatStopsAnsweringIsNotResponding() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.receive(.heartbeatAnswer)
    radio.advance(seconds: 300)
    #expect(radio.states.last == .configuring)
    #expect(radio.reopened.map(\.name) == ["not-responding"])
}

@Test func aStartingRadioIsAskedTwice() {
    var radio = SessionInVirtualTime()
    radio.advance(seconds: 10)
    #expect(radio.nonces == [69420, 69420])
    radio.goLive()
    #expect(radio.nonces == [69420, 69420, 69421])
}
