import MeshModel
import MeshProtocol
import RadioSimulator
import Synchronization
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
    let counted = CountedWhenLive()
    let link = RadioLink(
        address: .connection(name: "simulated"), connect: { try radio.connect() }, delegate: counted)
    counted.link.withLock { $0 = link }
    link.start()
    defer { link.stop() }
    #expect(counted.listener.waitUntilLive())
    let (all, sinceLive) = try #require(counted.counts.withLock { $0 })
    #expect(all.textBytes > 1000)
    #expect(all.framesRead > 10)
    #expect(sinceLive.textBytes == 0)
    #expect(sinceLive.framesRead == 0)
}

/// Reads both counts on the link's thread at the moment when it gets live: later the radio has said more.
private final class CountedWhenLive: RadioLinkDelegate {
    let listener = Listener()
    let link = Mutex<RadioLink?>(nil)
    let counts = Mutex<(all: LinkStatistics, sinceLive: LinkStatistics)?>(nil)

    func radioLink(_ event: RadioEvent) {
        if case .state(.live) = event, let link = link.withLock({ $0 }) {
            counts.withLock { $0 = (link.statistics, link.statisticsSinceLive) }
        }
        listener.radioLink(event)
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? { listener.expire(at: now) }

    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        listener.nextPacket(at: now, queueFree: queueFree)
    }
}
