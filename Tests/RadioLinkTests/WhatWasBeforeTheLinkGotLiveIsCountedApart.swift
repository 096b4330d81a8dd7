import RadioSimulator
import Testing

@testable import RadioLink

/// Doctor's advice about debug text goes by what has come since the link got live: it is over when it was followed.
@Test func whatWasBeforeTheLinkGotLiveIsCountedApart() throws {
    var options = SimulatorOptions()
    options.chatter = 0
    options.misbehaviour = .debugTextBetweenFrames
    let radio = try SimulatedRadio(options)
    radio.start()
    defer { radio.stop() }
    let listener = Listener()
    let link = RadioLink(
        address: .connection(name: "simulated"), connect: { try radio.connect() }, delegate: listener)
    link.start()
    defer { link.stop() }
    #expect(listener.waitUntilLive())
    #expect(link.statistics.textBytes > 1000)
    // At most a line or two that came with the last frames of the handshake.
    #expect(link.statisticsSinceLive.textBytes < link.statistics.textBytes / 4)
    #expect(link.statisticsSinceLive.framesRead < link.statistics.framesRead)
}
