import RadioLink
import Synchronization

/// Stands between a link and the gateway's side of it, for which no time passes.
///
/// What the gateway does by itself after a while, such as giving a text up or sending it again, the recorded radio has
/// not heard, so that there is no answer to it. And a replay takes a moment of the host's time, or minutes where the disk
/// is slow: by that time a text could be given up before its recorded answer is played.
final class TimelessGateway: RadioLinkDelegate {
    /// The gateway's time, always.
    static let now: MonotonicTime = 0

    private let radio = Mutex<(any RadioLinkDelegate)?>(nil)

    /// - Parameter radio: the gateway's side.
    func use(_ radio: any RadioLinkDelegate) { self.radio.withLock { $0 = radio } }

    func radioLink(_ event: RadioEvent) { gateway?.radioLink(event) }

    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        switch gateway?.nextPacket(at: Self.now, queueFree: queueFree) {
        // The link's time goes on, and it asks again whether the radio has room.
        case .wait(let due?): .wait(until: now + due - Self.now)
        case let offer: offer ?? .wait(until: nil)
        }
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? {
        _ = gateway?.expire(at: Self.now)
        return nil
    }

    private var gateway: (any RadioLinkDelegate)? { radio.withLock { $0 } }
}
