import MeshModel
import MeshProtocol
import RadioLink
import Testing

private func clocks(_ radio: SessionInVirtualTime) -> [MeshPacket] {
    radio.packets.filter {
        guard let data = $0.decoded, case .admin(.setTimeOnly) = PacketContent(data) else { return false }
        return true
    }
}

@Test func theClockIsSetAfterTheHandshakeAndEveryTwelveHours() throws {
    var radio = SessionInVirtualTime(wallClock: 1_790_000_000)
    radio.goLive()
    let clock = try #require(clocks(radio).first)
    let data = try #require(clock.decoded)
    #expect(PacketContent(data) == .admin(.setTimeOnly(1_790_000_000)))
    #expect(data.wantResponse)
    #expect(clock.from == radio.answers.number)
    #expect(clock.to == radio.answers.number)
    #expect(clock.id != 0)
    for _ in 0..<(13 * 60) {
        radio.advance(seconds: 60)
        radio.receive(.text("still here"))
    }
    #expect(clocks(radio).count == 2)
}

@Test func aHostWithoutAClockSetsNone() {
    var radio = SessionInVirtualTime(wallClock: 1_700_000_000)
    radio.goLive()
    radio.advance(seconds: 50)
    #expect(radio.packets.isEmpty)
}

@Test func theClockIsSetAgainWhenTheHostsWasSet() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    for leap: Int64 in [0, 50 * 86_400, 0, -3 * 3600, 0] {
        radio.host.set(radio.host.now + leap)
        let before = clocks(radio).count
        for _ in 0..<3 {
            radio.advance(seconds: 60)
            radio.receive(.text("still here"))
        }
        #expect(clocks(radio).count == before + (leap == 0 ? 0 : 1), "\(leap)")
    }
}
