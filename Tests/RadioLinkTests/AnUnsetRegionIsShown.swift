import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func anUnsetRegionIsShown() {
    var radio = SessionInVirtualTime()
    radio.answers.region = 0
    radio.goLive()
    #expect(radio.isLive)
    #expect(radio.problems == ["region-unset"])
    // Told once, and no longer true once the region is there.
    radio.receive(.rebooted)
    radio.advance(seconds: 3)
    radio.goLive()
    #expect(radio.problems == ["region-unset"])
    radio.answers.region = 3
    radio.receive(.rebooted)
    radio.advance(seconds: 3)
    radio.goLive()
    #expect(radio.session.problems.isEmpty)
}
