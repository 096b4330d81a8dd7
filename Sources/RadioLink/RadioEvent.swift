import MeshModel
import MeshProtocol

/// Nanoseconds of CLOCK_MONOTONIC.
public typealias MonotonicTime = UInt64

/// Where a radio is to be found.
public enum RadioAddress: Hashable, Sendable {
    /// The one known radio among the USB serial ports.
    case auto
    /// A device node, a symbolic link to one, or a pseudo terminal.
    case path(String)
    /// A radio in the network; its own port is 4403.
    case tcp(host: String, port: UInt16)
    /// Descriptors come from the link's `connect` closure; the name is for people.
    case connection(name: String)
}

/// Who listens to a link and gives it packets. All calls come on the link's thread and must not block: the radio's
/// buffers are tiny and nobody else empties them.
public protocol RadioLinkDelegate: AnyObject, Sendable {
    func radioLink(_ event: RadioEvent)

    /// The next packet to send. Asked while live: when the link gets live, after ``RadioLink/wake()``, after each packet,
    /// at the time that a ``PacketOffer/wait(until:)`` named, and when a full radio has room again.
    ///
    /// - Parameter queueFree: places left in the radio's transmit queue, as far as it has told.
    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer

    /// Does what is due, whatever the link's state. Called before each of the link's waits.
    ///
    /// - Returns: when something is due next; nil: nothing before the next wake.
    func expire(at now: MonotonicTime) -> MonotonicTime?
}

public enum PacketOffer: Sendable {
    /// A complete packet with our own number as `from`, an id and at most 233 bytes of payload.
    case send(MeshPacket)
    /// The same as a client wrote it, with all that this program does not know.
    case pass(ClientPacket)
    /// Nothing before then; nil: nothing before the next wake.
    case wait(until: MonotonicTime?)
    /// Something waits for room in the radio's transmit queue. The radio is asked how much there is: by itself it says
    /// only that it is no longer full.
    case waitForRoom
}

public enum RadioEvent: Sendable {
    /// Every transition, once.
    case state(LinkState)
    /// The radio's settings, as one complete set. Comes before anything that this radio has to say.
    case configured(RadioSnapshot)
    /// Node infos, packets, queue status, notifications and so on, in order. `raw` is the frame's payload without the
    /// radio's secrets. What another node says to who administers it through this radio (ADMIN) has its session passkey:
    /// it is for that client's eyes alone, and nothing is to keep it.
    case received(FromRadio, raw: [UInt8])
    /// The last byte of the delegate's packet was written.
    case written(PacketID)
    /// A line of the radio's debug output.
    case debugText(String)
    /// So many bytes were neither a frame nor text.
    case garbage(Int)
    /// The radio has restarted, and why we think so.
    case rebooted(String)
    /// The same radio (MyNodeInfo.device_id) now has another node number; firmware 2.8 does so when its key changes.
    case nodeNumberChanged(from: NodeNumber, to: NodeNumber)
    /// Something is wrong with a radio that can be used all the same, such as `region-unset`. Told once, until it is over.
    case problem(Problem)
    /// A problem is over. A radio that is lost takes its problems with it: then this is not told.
    case solved(Problem)
}
