import MeshModel
import RadioLink
import Synchronization
import Testing

@testable import Recordings

/// However long a replay takes, a text is not given up before its recorded answer is played.
@Test
func noTimePassesForAReplayedGateway() {
    let (timeless, gateway) = (TimelessGateway(), AskedGateway())
    timeless.use(gateway)
    for hostTime: MonotonicTime in [0, 1_000_000_000, 3_600_000_000_000] {
        #expect(timeless.expire(at: hostTime) == nil)
        // When the radio has had no room, the link asks again after as long a while as ever.
        guard case .wait(until: hostTime + AskedGateway.pause) = timeless.nextPacket(at: hostTime, queueFree: 1) else {
            Issue.record("the link is not to ask again")
            continue
        }
    }
    let times = gateway.times.withLock { $0 }
    #expect(times.count == 6 && Set(times).count == 1)
}

/// Notes when it was asked, by its own time.
private final class AskedGateway: RadioLinkDelegate {
    static let pause: MonotonicTime = 2_500_000_000
    let times = Mutex<[MonotonicTime]>([])

    func radioLink(_ event: RadioEvent) {}

    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        times.withLock { $0.append(now) }
        return .wait(until: now + Self.pause)
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? {
        times.withLock { $0.append(now) }
        return now + 30_000_000_000
    }
}
